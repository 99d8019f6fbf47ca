"""Download one file over HTTP: resumed after interruptions, retried with growing pauses, with a progress bar."""

import hashlib
import logging
import sys
import time
from pathlib import Path

import requests
from tqdm import tqdm

from neuralese.errors import NeuraleseError, StorageError, reason
from neuralese.storage.files import storage_problem

log = logging.getLogger(__name__)

CHUNK = 1 << 13  # at most this many bytes are lost when the connection breaks
SLOWEST, GRACE = 1000, 60.0  # bytes per second required on average, after this many seconds


def partial_path(url: str, folder: str | Path) -> Path:
    """Where the bytes of `url` are kept until the file is whole; each address has its own file."""
    return Path(folder) / f"{hashlib.sha256(url.encode()).hexdigest()[:16]}.part"


def download(
    url: str,
    folder: str | Path,
    *,
    largest: int = 1 << 28,
    tries: int = 3,
    pause: float = 1.0,
    timeout: tuple[float, float] = (10, 60),
) -> Path:
    """Fetch `url` into `folder` and return the path of the whole file, at most `largest` bytes long.

    Each of the `tries` asks only for the bytes still missing, and builds on those an earlier run left behind. The
    pause between tries doubles. `timeout` is in seconds, for connecting and between two pieces of data.
    """
    part, why = partial_path(url, folder), ""
    part.parent.mkdir(parents=True, exist_ok=True)
    for attempt in range(tries):
        if attempt:
            time.sleep(pause * 2 ** (attempt - 1))
        try:
            _fetch(url, part, largest, timeout)
            return part
        except NeuraleseError:
            raise
        except Exception as error:  # odd headers, lengths, encodings and redirects make the libraries raise almost any
            if isinstance(error, OSError) and (full := storage_problem(error, part, part)):
                raise StorageError(full) from error
            held, why = part.stat().st_size if part.exists() else 0, reason(_cause(error)).rstrip(".")
            log.warning("%s: attempt %d of %d failed with %d bytes held: %s", url, attempt + 1, tries, held, why)
    raise NeuraleseError(f"{url} could not be downloaded in {tries} attempts: {why}.")


def _fetch(url: str, part: Path, largest: int, timeout: tuple[float, float]) -> None:
    held = part.stat().st_size if part.exists() else 0
    # "identity": a file served compressed on the fly has no stable byte ranges to resume from
    headers = {"Accept-Encoding": "identity", **({"Range": f"bytes={held}-"} if held else {})}
    with requests.get(url, headers=headers, stream=True, timeout=timeout) as response:
        content_range = response.headers.get("Content-Range", "")
        if response.status_code == requests.codes.requested_range_not_satisfiable:
            if held and content_range == f"bytes */{held}":
                return  # the earlier run held every byte already
            part.unlink(missing_ok=True)
            raise requests.RequestException("the file on the server is shorter than the part held; starting over")
        response.raise_for_status()
        if response.status_code not in (requests.codes.ok, requests.codes.partial_content):
            raise requests.RequestException(f"the server answered with status {response.status_code}")
        resumed = response.status_code == requests.codes.partial_content
        if resumed and not content_range.startswith(f"bytes {held}-"):
            part.unlink(missing_ok=True)
            raise requests.RequestException("the server sent the wrong range; starting over")
        if resumed:
            log.info("%s: resumed at byte %d", url, held)
        _write(url, response, part, held if resumed else 0, largest)


def _write(url: str, response: requests.Response, part: Path, start: int, largest: int) -> None:
    """Append the incoming bytes to the `start` bytes already held."""
    length = response.headers.get("Content-Length", "")
    total = start + int(length) if length.isdecimal() and len(length) < 16 else None
    begun, got, quiet = time.monotonic(), 0, not sys.stderr.isatty()
    bar = tqdm(desc=url.rsplit("/", 1)[-1], initial=start, total=total, unit="B", unit_scale=True, disable=quiet)
    with part.open("ab" if start else "wb") as file, bar:
        while (total or 0) <= largest and start + got <= largest:
            # not `iter_content`, which waits for a whole piece, however slowly it arrives
            if not (chunk := response.raw.read1(CHUNK, decode_content=True)):
                return
            file.write(chunk)
            file.flush()
            bar.update(len(chunk))
            got += len(chunk)
            if (seconds := time.monotonic() - begun) > GRACE and got < SLOWEST * seconds:
                raise requests.RequestException(f"it arrives at less than {SLOWEST:,} bytes per second")
    part.unlink()
    raise NeuraleseError(f"{url} has more than {largest:,} bytes, more than its archive may have.")


def _cause(error: BaseException) -> BaseException:
    """The cause at the bottom of a chain of wrapped network errors."""
    for _ in range(20):
        cause = getattr(error, "reason", None) or next((a for a in error.args if isinstance(a, Exception)), None)
        if not isinstance(cause, BaseException):
            break
        error = cause
    return error
