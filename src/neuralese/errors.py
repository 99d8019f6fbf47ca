"""The exceptions that are addressed to the user, and how their messages quote values."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EXTRAS = {  # of this package, with the libraries that they bring: a corpus and its translation need none of them
    "workflow": ("snakemake", "snakemake_interface_logger_plugins", "requests", "skimage", "tqdm"),
    "birds": ("efficientnet_lite_pytorch", "onnx", "onnxruntime"),
    "report": ("jinja2", "vl_convert"),
}
LONGEST = 40  # characters of a value that are quoted


class NeuraleseError(Exception):
    """Something the user can fix: the message is one sentence that says what is wrong and what to do next."""


class DamagedError(NeuraleseError):
    """A file that is not whole, or whose bytes are not those that were written."""

    def __init__(self, path: str | Path) -> None:
        super().__init__(f"{path} is damaged; delete it and run again.")


class StorageError(NeuraleseError):
    """The disk refuses a write (full, read-only); trying something else would not help."""


@contextmanager
def extras() -> Iterator[None]:
    """Say what to install if a library of an extra is imported here and missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        name = (error.name or "").partition(".")[0]
        for extra, libraries in EXTRAS.items():
            if name in libraries:
                message = f"{name} is not installed; install it with: pip install 'neuralese[{extra}]'"
                raise NeuraleseError(message) from None
        raise


def shown(value: object) -> str:
    """A value as quoted in a message: on one line, and not too long."""
    text = repr(value) if isinstance(value, str) else str(value)
    return ascii(text)[1:-1] if not text.isprintable() else text if len(text) <= LONGEST else f"{text[:LONGEST]}…"


def reason(error: BaseException) -> str:
    """A library's error as quoted in a message."""
    text = " ".join(str(error).split())[:120] or type(error).__name__
    return text if text.isprintable() else ascii(text)[1:-1]
