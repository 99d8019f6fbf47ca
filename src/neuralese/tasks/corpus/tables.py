"""The tables that the pipeline reads of a corpus: their columns, and how they are written."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from neuralese.storage.schema import MESSAGE, SPLIT, Column, contract, int8, int32, int32s, text, vector
from neuralese.storage.tables import write_table

if TYPE_CHECKING:
    from neuralese.tasks.corpus.read import Corpus

STATES = contract(
    "states",
    "name",
    state=int32("Its row, from 0.", row_number=True),
    name=text("Its id in the corpus."),
    group=int32("Distractors are of the same group: they share the columns `same`.", low=0),
    shown=text("What it is called in pictures and on the page."),
    label=text("The same without colours, to stand on a swatch."),
    color=text("As `#rrggbb`, or empty."),
    picture=text("Its row in `pictures.parquet`, or empty."),
    feature=vector("What players see of it."),
)
PICTURES = replace(
    contract(
        "pictures",
        "picture",
        picture=text("Its path in the corpus."),
        content=Column(pa.binary(), "A small copy of the picture, as WebP."),
    ),
    may_be_empty=True,
)
RECORDED = contract(
    "recorded",
    state=int32("The true state, by its row.", low=0),
    split=SPLIT,
    message=Column(MESSAGE, "What was said: a vector, or symbols."),
    candidates=int32s("The true state and its distractors; empty where none were recorded.", low=0),
    picked=int8("Whether the real listener picked the true state; -1 where it is not known.", low=-1, high=1),
    group=int32("Which messages belong together: those of an episode, or each for itself.", low=0),
)

JUDGED = ("dev", "test")  # splits in which translations are judged, each by a p(z | x) fitted to its own messages
JUDGES = tuple(f"judge_{split}.safetensors" for split in JUDGED)


def write_tables(corpus: "Corpus", made: dict[str, str | Path]) -> None:
    """Write the states, the recorded messages, what was said in words, and the provenance of all."""
    from neuralese.storage.files import write_json
    from neuralese.tasks.items import utterances_table

    write_table(made["states"], corpus.states, STATES, corpus.states_about)
    write_table(made["recorded"], corpus.recorded, RECORDED, messages_about(corpus))
    write_table(made["inventory"], corpus.inventory, "inventory")
    write_table(made["traces"], corpus.traces, "traces")
    phrases, split = corpus.inventory["phrase"].to_pylist(), corpus.traces["split"].to_pylist()
    write_table(made["utterances"], utterances_table(phrases, corpus.traces, split), "utterances")
    if "pictures" in made:
        write_table(made["pictures"], _pictures(corpus), PICTURES)
    write_json(made["provenance"], _provenance(corpus))


def messages_about(corpus: "Corpus") -> dict[str, Any]:
    """Metadata about all messages."""
    settings = corpus.settings.messages
    if settings.kind == "vector":
        return {"kind": "vector", "noise": settings.noise}
    messages = corpus.recorded["message"].to_pylist()
    vocabulary = sorted({symbol for each in messages for symbol in each} - {settings.end})
    longest = max(1, *(len(each) - (each[-1] == settings.end) for each in messages))
    names = {"names": settings.names} if settings.names else {}
    return {"kind": "symbols", "vocabulary": vocabulary, "longest": longest, "end": settings.end, **names}


def _pictures(corpus: "Corpus") -> pa.Table:
    """A small copy of every picture, by its path inside the folder."""
    from neuralese.tasks.corpus.states import thumbnail

    paths = sorted(set(corpus.states["picture"].to_pylist()) - {""})
    copies = [thumbnail(corpus.folder / path) for path in paths]
    return pa.table({"picture": pa.array(paths, pa.string()), "content": pa.array(copies, pa.binary())})


def _provenance(corpus: "Corpus") -> dict[str, Any]:
    """Where the data comes from."""
    from neuralese.storage.files import file_digest
    from neuralese.tasks.corpus.describe import warnings
    from neuralese.tasks.corpus.settings import FILE

    files = [corpus.folder / FILE, *corpus.files.values()]
    return {
        "data_set": corpus.settings.title,
        "source": "corpus",
        "files": [{"file": path.name, "from": str(corpus.folder), "sha256": file_digest(path)} for path in files],
        "licence": corpus.settings.licence,
        "time": "",
        "rows": {"states": len(corpus.states), "messages": len(corpus.recorded), "utterances": len(corpus.traces)},
        "speaker": corpus.states_about["speaker"],
        "warnings": warnings(corpus),
    }
