"""Read pickles from strangers: plain lists, dicts, texts and numbers only; anything that names code is refused."""

import io
import pickle
from typing import Any

from neuralese.storage.errors import NeuraleseError


class _PlainUnpickler(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        raise NeuraleseError(f"the pickle asks for {module}.{name}; only plain data is read, so it is refused.")


def read_plain_pickle(content: bytes, name: str) -> Any:
    """Read a pickle that holds plain data (texts of Python 2 as latin-1)."""
    try:
        return _PlainUnpickler(io.BytesIO(content), encoding="latin1").load()
    except NeuraleseError as error:
        raise NeuraleseError(f"{name}: {error}") from None
    except Exception as error:  # a damaged pickle may raise nearly anything
        raise NeuraleseError(f"{name} is damaged ({error}); fetch its archive again.") from error
