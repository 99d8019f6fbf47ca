"""Where raw data comes from: a mirror folder, then the official addresses, then an embedded stand-in.

Each archive is known by a digest of the content that is used, because hosting sites re-pack archives; whatever does
not match it is refused and the next place is tried. One data set comes whole from real places or whole from the
embedded generator, never from both.
"""

import logging
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from neuralese.data.archives import content_digest
from neuralese.data.download import download
from neuralese.storage.errors import NeuraleseError, StorageError
from neuralese.storage.files import atomic, file_digest, write_json

log = logging.getLogger(__name__)

MIRROR_VARIABLE = "NEURALESE_MIRROR"


@dataclass(frozen=True)
class Archive:
    """One public archive: what to call it, where to find it, and how to know that it is right."""

    file: str  # its name in the raw folder
    mirror: str  # its name in a mirror folder
    urls: tuple[str, ...]  # official addresses, in order of preference
    used: str  # pattern of the members that are used (see `archives.members`)
    content_sha256: str  # `archives.content_digest` of those members
    file_md5: str = ""  # or, where another edition is as good, the md5 of that archive
    supplied: str = ""  # a further name in a mirror folder, whose content is taken as it is because a user put it there


@dataclass(frozen=True)
class DataSet:
    """What one task is made from."""

    title: str
    licence: str
    archives: tuple[Archive, ...]


XKCD = DataSet(
    title="XKCD colour survey, as prepared by McMahan & Stone (2015)",
    licence="CC0",
    archives=(
        Archive(
            file="xkcd",
            mirror="xkcd-munroecorpus.tar.xz",
            urls=(
                "http://paul.rutgers.edu/~bcm84/rugstk_v1.0.tar.gz",
                "https://github.com/hamdans-eth/colors/archive/5edc0e8778f40723508f27e835a583f96cf1bfff.tar.gz",
            ),
            used=r"munroecorpus/(corpusindex\.txt|train/[^/]+_train|(?:5dev|25test)/[^/]+\.test)$",
            content_sha256="4daaca1b25a40b92dd60b9af0c719078ccf038d2e19f4361d1bb74eb2bd3bb6f",
        ),
    ),
)

CUB = DataSet(
    title="Caltech-UCSD Birds 200-2011, described by Reed et al. (2016)",
    licence="non-commercial research and education",
    archives=(
        Archive(
            file="images",
            mirror="CUB_200_2011_224px.tar",  # all images, scaled to a short side of at most 224 pixels
            urls=("https://data.caltech.edu/records/65de6-vp158/files/CUB_200_2011.tgz",),
            used=r"CUB_200_2011/(images/.+\.jpg|(?:images|image_class_labels|classes|bounding_boxes)\.txt)$",
            content_sha256="0bfacc9e1e70aaaa22043a4eba42256bfc46bead6021670ddbfcdcfdd45a5333",
            file_md5="97eceeb196236b17998738112f37df78",
        ),
        Archive(
            file="captions",
            mirror="birds.zip",
            urls=(
                "https://github.com/Jagadeesh-N/DF-GAN-Text-to-Image-Synthesis/raw/"
                "1ca5fed5f8573402ae98b4f73a89f89498334900/data/birds.zip",
            ),
            used=r"^(birds/(?:captions|(?:train|test)/filenames)\.pickle)$",
            content_sha256="b229ceebb43810c7b927594d8cbaffe5a78071848d10dc13c067ccb61505f2f1",
            supplied="cvpr2016_cub.tar.gz",  # the original release, text_c10/<class>/<image>.txt
        ),
        Archive(
            file="splits",
            mirror="neuralese-fa55efc.tar.gz",
            urls=("https://github.com/jacobandreas/neuralese/archive/fa55efcc9c7ae864e55682c306576cfc6c2234b6.tar.gz",),
            used=r"data/birds/((?:train|val|test)\.txt)$",
            content_sha256="379dfc705c94efa854131d2cd63ec83006a29fec5a0ab23ee4d016a90bb77fad",
        ),
    ),
)

DRIVING = DataSet(
    title="382 human games of the driving task, by Andreas, Dragan & Klein (2017)",
    licence="released with the paper",
    archives=(
        Archive(
            file="logs",
            mirror="neuralese-fa55efc.tar.gz",
            urls=CUB.archives[-1].urls,  # the same archive
            used=r"data/drive/server_logs/([^/]+\.json)$",
            content_sha256="2418716c0118724fbe599639f47d5b687b485726592ff10e1773436cec93539d",
        ),
    ),
)

DATA_SETS = {"colors": XKCD, "birds": CUB, "driving": DRIVING}


def mirror_folder(configured: str | None) -> Path | None:
    """The mirror to use: the environment's, else the config's, else none."""
    chosen = os.environ.get(MIRROR_VARIABLE) or configured
    if not chosen:
        return None
    if not Path(chosen).is_dir():
        raise NeuraleseError(f"the mirror '{chosen}' is not a folder; mend or unset {MIRROR_VARIABLE} or data.mirror.")
    return Path(chosen)


def fetch(
    data_set: DataSet,
    raw: str | Path,
    *,
    source: str,
    mirror: Path | None,
    partial: str | Path,
    embed: Callable[[Path], None],
) -> dict:
    """Fill the folder `raw` with the archives of `data_set`, and write and return `source.json`: where they are from.

    `source` is `real` (stop if no real place has the data), `embedded` (never look), or `auto` (real if possible,
    else embedded with a warning). Unfinished downloads stay in the folder `partial`; `embed` makes the stand-in.
    """
    raw = Path(raw)
    raw.mkdir(parents=True, exist_ok=True)
    (raw / "source.json").unlink(missing_ok=True)
    files, failures = [], []
    if source != "embedded":
        for archive in data_set.archives:
            found = _obtain(archive, raw, mirror, Path(partial), failures)
            if found is None:
                for other in data_set.archives:
                    (raw / other.file).unlink(missing_ok=True)
                files = []
                break
            files.append(found)
    if files:
        kind = "mirror" if any(file["source"] == "mirror" for file in files) else "official"
    elif source == "real":
        raise NeuraleseError(
            f"no real data for {data_set.title}: {'; '.join(failures)}; set {MIRROR_VARIABLE} to a folder that holds "
            f"{', '.join(archive.mirror for archive in data_set.archives)}, or set data.source to auto or embedded."
        )
    else:
        if source == "auto":
            log.warning(
                "NO REAL DATA for %s (%s). Going on with the EMBEDDED stand-in, whose results say nothing about the "
                "paper's; once the network or %s is there, run: snakemake --cores all --forcerun download -- all",
                data_set.title,
                "; ".join(failures),
                MIRROR_VARIABLE,
            )
        embed(raw)
        kind = "embedded"
        files = [
            {"file": path.name, "from": "generated by neuralese", "sha256": file_digest(path)}
            for path in sorted(raw.iterdir())
        ]
    record = {
        "data_set": data_set.title if kind != "embedded" else f"embedded stand-in for: {data_set.title}",
        "source": kind,
        "files": files,
        "licence": data_set.licence if kind != "embedded" else "same as neuralese",
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    write_json(raw / "source.json", record)
    return record


def _obtain(archive: Archive, raw: Path, mirror: Path | None, partial: Path, failures: list[str]) -> dict | None:
    """Put `archive` into `raw` from the first place that has it right; what fails is added to `failures`."""
    destination = raw / archive.file

    def verified(path: Path, place: str) -> str:
        if archive.file_md5 and file_digest(path, "md5") == archive.file_md5:
            return file_digest(path)
        if path.name == archive.supplied:
            log.warning("%s: supplied by you, its content is not verified", place)
            return file_digest(path)
        digest = content_digest(path, archive.used)
        if digest != archive.content_sha256:
            raise NeuraleseError(
                f"{place} holds other content than expected (sha256 {digest[:12]}... of the files used, "
                f"expected {archive.content_sha256[:12]}...)"
            )
        log.info("%s: content verified", place)
        return file_digest(path)

    places = [("mirror", str(mirror / archive.mirror))] if mirror else []
    if mirror and archive.supplied and (mirror / archive.supplied).is_file():
        places.append(("mirror", str(mirror / archive.supplied)))
    places += [("official", url) for url in archive.urls]
    for kind, place in places:
        try:
            if kind == "mirror":
                if not Path(place).is_file():
                    raise NeuraleseError(f"the mirror has no {archive.mirror}")
                digest = verified(Path(place), place)
                with atomic(destination) as temporary:
                    shutil.copyfile(place, temporary)
            else:
                whole = download(place, partial)
                try:
                    digest = verified(whole, place)
                    shutil.move(whole, destination)
                finally:
                    whole.unlink(missing_ok=True)  # wrong bytes must not be resumed
        except StorageError:
            raise  # every place would fill the same disk
        except NeuraleseError as error:
            log.warning("%s; trying the next place", error)
            failures.append(str(error).rstrip("."))
        else:
            return {"file": archive.file, "source": kind, "from": place, "sha256": digest}
    return None
