"""What a task is made from: public archives, where to find each, and how to verify it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Archive:
    """One public archive."""

    file: str  # its name in the raw folder
    mirror: str  # its name in a mirror folder
    urls: tuple[str, ...]  # official addresses, in order of preference
    used: str  # pattern of the members that are used (see `archives.members`)
    content_sha256: str  # `archives.content_digest` of these members
    file_md5: str = ""  # md5 of another, equally good edition, if there is one
    largest: int = 1 << 28  # maximum size in bytes: a longer download is aborted
    supplied: str = ""  # another name in a mirror folder, whose content is taken as is because a user put it there


@dataclass(frozen=True)
class DataSet:
    """What one task is made from; a task without archives generates its data itself."""

    title: str
    licence: str
    archives: tuple[Archive, ...] = ()
