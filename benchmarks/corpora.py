"""A corpus from its folder to the evaluation of its dictionary, stage by stage.

Agents name the kind, the colour and the size of a thing in three symbols, or in a vector of 16 numbers with noise, and
slip in one message of twenty; there is one state per five messages, and people said something about every message's
state. All stages run in one process under the default config, by the functions that the workflow's jobs call; the jobs
take a few seconds more each to start. `fit` is three models, `choose` every member of the default criteria on dev.
"""

import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa
from measure import peak_megabytes

from neuralese.config.models import CRITERIA, Ablation, DescriptionConfig, Dictionary, Evaluation, MessagesConfig
from neuralese.stages import agents, evaluate, translate
from neuralese.stages.run import Run
from neuralese.tasks.corpus.read import read_corpus
from neuralese.tasks.corpus.task import FITTING
from neuralese.tasks.corpus.write import settings_text, write_corpus
from neuralese.translator import corpus_run, fit_models, one_thread, read, take, write_descriptions, write_dictionary

KINDS = ("cup", "key", "lamp", "book", "ball", "shoe", "coin", "plate")
SIZES = ("small", "medium", "large")
LENGTH, NOISE = 16, 0.3  # of vectors
STAGES = ("read", "fit", "take", "measure", "choose", "dictionary", "describe", "evaluate")
COLUMNS = {
    "messages": "messages",
    "kind": "kind",
    "states": "states",
    **{f"{stage}, CPU s": stage for stage in STAGES},
    "all, CPU s": "seconds",
    "peak MB": "megabytes",
    "MB before": "megabytes_before",
    "largest in": "largest",
}


def cases(quick: bool) -> list[dict]:
    """Symbols and vectors, each growing tenfold."""
    if quick:
        return [{"messages": 300, "kind": "symbols"}]
    return [{"messages": size, "kind": kind} for kind in ("symbols", "vector") for size in (1000, 10_000, 100_000)]


def write_log(folder: Path, messages: int, kind: str) -> int:
    """Write a corpus; return its number of states."""
    random = np.random.default_rng(0)
    states = max(50, messages // 5)
    thing, size = random.integers(len(KINDS), size=states), random.uniform(0, 9, states)
    color = random.integers(0, 256, (states, 3))
    place = np.stack([thing, color.argmax(1), (size // 3).astype(int)], axis=1)
    state = random.integers(states, size=messages)
    slips = random.random((messages, 1)) < 1 / 20
    meant = np.where(slips, random.integers(3, size=(messages, 3)), place[state])
    if kind == "symbols":
        said = (meant + np.array([1, 11, 21])).tolist()
    else:
        codes = random.normal(size=(3, len(KINDS), LENGTH))
        said = codes[np.arange(3), meant].sum(1) + NOISE * random.normal(size=(messages, LENGTH))
        said = said.tolist()
    names = np.array(["red", "green", "blue"])[place[:, 1]]
    texts = [f"a {SIZES[place[row, 2]]} {names[row]} {KINDS[thing[row]]}" for row in state]
    tables = {
        "states": pa.table(
            {
                "state_id": np.arange(states),
                "thing": [KINDS[each] for each in thing],
                "size": size,
                "rgb": color.tolist(),
            }
        ),
        "messages": pa.table({"state_id": state, "message": said}),
        "utterances": pa.table({"state_id": state, "text": texts}),
    }
    types = {"thing": {"type": "category"}, "size": {"type": "number"}, "rgb": {"type": "color"}}
    settings = {"title": "Things", "licence": "CC0-1.0", "messages": {"kind": kind}}
    write_corpus(folder, settings_text(settings | {"utterances": {"language": "en"}}, types), tables)
    return states


def stages(folder: Path, run: Run) -> dict[str, Callable[[], object]]:
    """The work of each stage; each needs those before it."""
    counts, sizes, evaluation = MessagesConfig(), Ablation(), Evaluation()
    chosen: dict = {}
    compared = (sizes.messages, sizes.contexts, sizes.humans)
    return {
        "read": lambda: read(run, read_corpus(folder)),
        "fit": lambda: fit_models(run, FITTING.model_dump()),
        "take": lambda: take(run, counts.model_dump()),
        "measure": lambda: agents.analyse_protocol(run),
        "choose": lambda: chosen.update(translate.choose_members(run, CRITERIA, *compared)),
        "dictionary": lambda: write_dictionary(run, chosen, Dictionary().n_best),
        "describe": lambda: write_descriptions(run, DescriptionConfig().model_dump(), counts.held_out),
        "evaluate": lambda: evaluate.evaluate_belief(run, "test", counts.held_out, 1, evaluation.resamples),
    }


def measure(messages: int, kind: str) -> dict[str, object]:
    """Processor time of every stage, and the peak memory of any stage."""
    row: dict[str, object] = {"megabytes_before": peak_megabytes()}
    most: dict[str, float] = {}
    with TemporaryDirectory() as folder:
        row["states"] = write_log(Path(folder) / "corpus", messages, kind)
        made = Path(folder) / "made"
        made.mkdir()
        works = stages(Path(folder) / "corpus", corpus_run(made))
        with one_thread():
            for stage in STAGES:
                forget_peak()
                started = time.process_time()
                works[stage]()
                row[stage], most[stage] = time.process_time() - started, peak_megabytes()
    row["seconds"] = sum(row[stage] for stage in STAGES)
    row["largest"] = max(most, key=most.get)
    return row | {"megabytes": most[row["largest"]]}


def forget_peak() -> None:
    """Reset the peak memory to what is held now, if the system can do so."""
    clear = Path("/proc/self/clear_refs")
    if clear.exists():
        clear.write_text("5")
