"""Export a colour agent as a corpus, translate the corpus, and compare its dictionary with that of the game.

    python colors_as_corpus.py results/ out/            # results of a finished run of the colour game

The corpus knows nothing about the game: its states are pairs of colours, its messages vectors with the noise of the
channel, its utterances what people called the first colour.
"""

import argparse
from pathlib import Path

import matplotlib.colors
import numpy as np
import pandas as pd
import pyarrow as pa
import torch

from neuralese import Translator
from neuralese.agents.players import utterances
from neuralese.randomness import generator
from neuralese.stages.run import Run
from neuralese.storage.tables import read_table
from neuralese.tasks.colors.data import COLORS
from neuralese.tasks.corpus.write import settings_text, write_corpus

MESSAGES = 60_000  # number of messages the agent is asked for, to learn from
LEAST = 50  # minimum number of training utterances with a phrase; all of the game's are more frequent


def export(run: Run, folder: Path, messages: int = MESSAGES, least: int = LEAST) -> None:
    """Write the corpus: new messages to learn from, and those of dev and test that the game's dictionary translates."""
    random = generator(run.seed, "colors as corpus")
    states, said = utterances(run.cell, run.games["train"], messages, random)
    spoken = {"train": (states, run.cell.channel(said, random))}
    spoken |= {split: (run.said[split].states, run.said[split].messages) for split in ("dev", "test")}
    pairs = torch.cat([states for states, _ in spoken.values()]).numpy()
    split = np.repeat(list(spoken), [len(states) for states, _ in spoken.values()])
    both = np.concatenate([pairs, pairs[:, ::-1]])  # each pair, and the same with the other colour as the target
    distinct, place = np.unique(both, axis=0, return_inverse=True)
    place = place.reshape(2, -1)
    tables = {
        "states": _states(run, distinct),
        "messages": pa.table(
            {
                "context_id": np.arange(len(pairs)),
                "message": [row.tolist() for row in torch.cat([said for _, said in spoken.values()]).numpy()],
                "split": split,
            }
        ),
        "contexts": pa.table(
            {"context_id": np.arange(len(both)), "candidates": _swapped(place), "true": np.zeros(len(both), dtype=int)}
        ),
        "utterances": _utterances(run, both, np.tile(split, 2)),
    }
    columns = {name: {"type": "color"} for name in ("target", "other")}
    settings = {
        "title": "Colour agents",
        "licence": "CC0-1.0",
        "messages": {"kind": "vector", "noise": run.robot.scale},
        "utterances": {"language": "en", "least": least, "about": ["target"]},
    }
    write_corpus(folder, settings_text(settings, columns), tables)


def _states(run: Run, pairs: np.ndarray) -> pa.Table:
    """Every pair, as two colours."""
    colors = read_table(run.files["colors.parquet"], COLORS)
    hsv = np.stack([colors[name].to_numpy() for name in ("h", "s", "v")], axis=1)[pairs]
    rgb = np.round(255 * matplotlib.colors.hsv_to_rgb(hsv))
    shown = {name: rgb[:, place].tolist() for place, name in enumerate(("target", "other"))}
    return pa.table({"state_id": np.arange(len(pairs)), **shown})


def _swapped(place: np.ndarray) -> list[list[int]]:
    """The candidates of every context: a pair and the same the other way round."""
    return np.concatenate([place.T, place[::-1].T]).tolist()


def _utterances(run: Run, pairs: np.ndarray, split: np.ndarray) -> pa.Table:
    """What somebody said about each target; a full stop after every word keeps words single, as in the game."""
    said = read_table(run.files["traces.parquet"], "traces")["phrases"].combine_chunks()
    said = said.take(pa.array(pairs[:, 0])).to_pylist()
    known = [row for row, phrases in enumerate(said) if phrases]
    return pa.table(
        {
            "context_id": np.array(known),
            "text": [". ".join(run.phrases[number] for number in said[row]) for row in known],
            "split": split[known],
        }
    )


def compare(run: Run, translator: Translator) -> pd.DataFrame:
    """How often both dictionaries translate a test message the same way, and how well each is understood."""
    dictionary = read_table(run.files["dictionary.parquet"], "dictionary").to_pandas()
    tests = run.said["test"]
    own = dictionary.query("direction == 'R->H' and criterion == 'belief' and rank == 1").set_index("source_id")[
        "target"
    ]
    theirs = translator.to_english(tests.messages.numpy(), n_best=1)["target"].to_numpy()
    belief = {"game": read_table(run.files["belief_test.parquet"], "belief").to_pandas(), "corpus": translator.score()}
    rows = [("top-1 agreement, R -> H", float((own.loc[tests.ids.tolist()].to_numpy() == theirs).mean()))]
    for name, table in belief.items():
        for speaker in ("R", "H"):
            cell = table.query("speaker == @speaker and criterion == 'belief' and unit in ('message', 'utterance')")
            rows.append((f"belief, {speaker} -> {cell['listener'].iloc[0]}, {name}", float(cell["value"].iloc[0])))
    return pd.DataFrame(rows, columns=["measure", "value"])


def main() -> None:
    """Export, translate, compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=Path, help="results folder of a finished run")
    parser.add_argument("out", type=Path, help="folder to create, for the corpus and the translator")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--messages", type=int, default=MESSAGES)
    given = parser.parse_args()
    run = Run.open(given.results, "colors", given.seed)
    export(run, given.out / "corpus", given.messages)
    translator = Translator(seed=given.seed).fit_corpus(given.out / "corpus")
    translator.save(given.out / "colors.neuralese")
    print(translator.criterion_)
    print(compare(run, translator).to_string(index=False))


if __name__ == "__main__":
    main()
