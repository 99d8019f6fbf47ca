"""What a task is made from: public archives, where to find each, and how to know that it is right."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Archive:
    """One public archive."""

    file: str  # its name in the raw folder
    mirror: str  # its name in a mirror folder
    urls: tuple[str, ...]  # official addresses, in order of preference
    used: str  # pattern of the members that are used (see `archives.members`)
    content_sha256: str  # `archives.content_digest` of those members
    file_md5: str = ""  # or, where another edition is as good, the md5 of that archive
    largest: int = 1 << 28  # bytes that it may have: a longer download is broken off
    supplied: str = ""  # a further name in a mirror folder, whose content is taken as it is because a user put it there


@dataclass(frozen=True)
class DataSet:
    """What one task is made from; a task without archives generates its data itself."""

    title: str
    licence: str
    archives: tuple[Archive, ...] = ()
