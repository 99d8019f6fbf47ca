"""An autoencoder's bottleneck in English: what does a network keep of a picture if it has only a few numbers for it?

    python autoencoder.py results/ out/             # features and captions of a finished run of the birds

An encoder-decoder learns to rebuild features from a short code, through a noisy channel. The code is the message, the
features are the state, and captions provide the words that messages are translated into.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow as pa
import torch
from torch import Tensor, nn

from neuralese import Translator
from neuralese.storage.tables import matrix, read_table
from neuralese.tasks.corpus.write import settings_text, write_corpus

NOISE = 0.3


class Autoencoder(nn.Module):
    """Linear, tanh, linear to the code; noise; and the same back."""

    def __init__(self, width: int, code: int, hidden: int = 128) -> None:
        super().__init__()
        self.encode = nn.Sequential(nn.Linear(width, hidden), nn.Tanh(), nn.Linear(hidden, code), nn.Tanh())
        self.decode = nn.Sequential(nn.Linear(code, hidden), nn.Tanh(), nn.Linear(hidden, width))

    def send(self, features: Tensor, generator: torch.Generator) -> Tensor:
        """The codes (n, code) of features (n, width), as they arrive."""
        codes = self.encode(features)
        return codes + NOISE * torch.randn(codes.shape, generator=generator)


def train(features: np.ndarray, code: int = 8, steps: int = 1500, seed: int = 0) -> np.ndarray:
    """Learn to rebuild features (n, width); return their codes (n, code)."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    seen = torch.from_numpy(np.ascontiguousarray(features, dtype=np.float32))
    seen = (seen - seen.mean(0)) / seen.std(0).clamp(min=1e-3)
    model = Autoencoder(seen.shape[1], code)
    optimizer = torch.optim.Adam(model.parameters(), 2e-3)
    for _ in range(steps):
        batch = seen[torch.randint(len(seen), (256,), generator=generator)]
        loss = (model.decode(model.send(batch, generator)) - batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with torch.no_grad():
        return model.send(seen, generator).numpy()


def birds(results: Path) -> tuple[np.ndarray, np.ndarray, list[tuple[int, str]]]:
    """Features (n, d) of a run of the birds, the split of each bird, and captions: (bird, text) pairs."""
    items, traces = (read_table(results / "birds" / f"{name}.parquet", name) for name in ("items", "traces"))
    phrases = read_table(results / "birds" / "inventory.parquet", "inventory")["phrase"].to_pylist()
    rows = zip(traces["item_id"].to_pylist(), traces["phrases"].to_pylist(), strict=True)
    said = [(bird, ". ".join(phrases[each] for each in parts)) for bird, parts in rows if parts]
    return matrix(items["feature"]), np.array(items["split"].to_pylist()), said


def write(folder: Path, data: tuple[np.ndarray, np.ndarray, list[tuple[int, str]]], codes: np.ndarray) -> None:
    """Write features, codes and captions as a corpus."""
    features, split, said = data
    numbers = np.array([number for number, _ in said])
    tables = {
        "states": pa.table({"state_id": np.arange(len(features)), "feature": features.tolist()}),
        "messages": pa.table({"state_id": np.arange(len(features)), "message": codes.tolist(), "split": split}),
        "utterances": pa.table({"state_id": numbers, "text": [text for _, text in said], "split": split[numbers]}),
    }
    about = {"title": "The code of an autoencoder", "messages": {"kind": "vector", "noise": NOISE}}
    write_corpus(folder, settings_text(about, {"feature": {"type": "vector"}}), tables)


def main() -> None:
    """Train, write the corpus, translate."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results folder of a finished run")
    parser.add_argument("out", type=Path, help="folder to create")
    given = parser.parse_args()
    data = birds(given.results)
    codes = train(data[0])
    write(given.out / "corpus", data, codes)
    translator = Translator().fit_corpus(given.out / "corpus")
    translator.save(given.out / "autoencoder.neuralese")
    print(translator.to_english(codes[:10], n_best=3)[["source_id", "rank", "target", "score"]].to_string(index=False))
    print(translator.score()[["speaker", "listener", "criterion", "value", "n"]].to_string(index=False))


if __name__ == "__main__":
    main()
