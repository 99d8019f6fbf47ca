"""Download one file over HTTP: resumed where it broke off, retried with growing pauses, with a progress bar."""

import hashlib
import logging
import sys
import time
from pathlib import Path

import requests
from tqdm import tqdm

from neuralese.storage.errors import NeuraleseError

log = logging.getLogger(__name__)

CHUNK = 1 << 13  # what is lost of a piece that breaks off


def partial_path(url: str, folder: str | Path) -> Path:
    """Where the bytes of `url` are kept until the file is whole; another address has another file."""
    return Path(folder) / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.part"


def download(
    url: str, folder: str | Path, *, tries: int = 3, pause: float = 1.0, timeout: tuple[float, float] = (10, 60)
) -> Path:
    """Fetch `url` into `folder` and return the path of the whole file.

    Each of the `tries` asks only for the bytes that are still missing, also those an earlier run left behind. The
    pause between tries doubles. `timeout` is in seconds, for connecting and between two pieces of data.
    """
    part = partial_path(url, folder)
    part.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(1, tries + 1):
        try:
            _fetch(url, part, timeout)
            return part
        except requests.RequestException as error:
            held = part.stat().st_size if part.exists() else 0
            log.warning("%s: try %d of %d failed with %d bytes held: %s", url, attempt, tries, held, _brief(error))
            if attempt < tries:
                time.sleep(pause * 2 ** (attempt - 1))
            else:
                raise NeuraleseError(f"{url} could not be downloaded in {tries} tries: {_brief(error)}.") from error
    raise AssertionError("unreachable: the last try returns or raises")


def _fetch(url: str, part: Path, timeout: tuple[float, float]) -> None:
    held = part.stat().st_size if part.exists() else 0
    # "identity": a file served compressed on the fly has no stable byte ranges to resume from
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={held}-"} if held else {})}
    with requests.get(url, headers=headers, stream=True, timeout=timeout) as response:
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            if response.headers.get("Content-Range") == f"bytes */{held}":
                return  # the earlier run held every byte already
            part.unlink(missing_ok=True)
            raise requests.RequestException("the file on the server is shorter than the part held; starting over")
        response.raise_for_status()
        resumed = response.status_code == requests.codes.partial_content
        if resumed:
            log.info("%s: resumed at byte %d", url, held)
        start = held if resumed else 0
        length = response.headers.get("Content-Length")
        with (
            part.open("ab" if resumed else "wb") as file,
            tqdm(
                desc=url.rsplit("/", 1)[-1],
                initial=start,
                total=start + int(length) if length else None,
                unit="B",
                unit_scale=True,
                disable=not sys.stderr.isatty(),
            ) as bar,
        ):
            for chunk in response.iter_content(CHUNK):
                file.write(chunk)
                file.flush()
                bar.update(len(chunk))


def _brief(error: BaseException) -> str:
    """The cause at the bottom of a chain of wrapped network errors, in a line."""
    while cause := getattr(error, "reason", None) or next((a for a in error.args if isinstance(a, Exception)), None):
        if not isinstance(cause, BaseException):
            break
        error = cause
    return " ".join(str(error).split()).rstrip(".")
