"""Write a small working corpus, for users to look at and to replace with their own."""

from pathlib import Path

import numpy as np

from neuralese.tasks.corpus.write import check_free, write_corpus

STATES, MESSAGES, UTTERANCES = 60, 400, 320
SHAPES = ("circle", "square", "triangle", "star")
COLORS = {
    "red": (205, 35, 35),
    "green": (40, 150, 50),
    "blue": (40, 80, 205),
    "yellow": (235, 215, 50),
    "purple": (125, 50, 155),
}
END, SMALL, LARGE = 0, 10, 11  # symbols; those of shapes follow the end, those of colours the shapes
SLIP = 0.05  # how often the agent says a wrong symbol

SETTINGS = """\
# A corpus: what agents said, and in which states. `neuralese corpus check` shows what is in it, or what is wrong.
title: A toy game of shapes
licence: CC0-1.0
messages: {kind: symbols, end: 0}  # lists of whole numbers, separated by spaces in CSV; ignored after `end`
#                                    or {kind: vector}: lists of numbers; the channel's noise is fitted, or `noise: 0.3`
states:                            # one entry for each column that describes the state; others are ignored
  shape: {type: category}          # text or whole numbers
  rgb: {type: color}               # "#rrggbb", or three numbers from 0 to 255
  size: {type: number}
#                                    also {type: circular, period: 360} and {type: vector}
candidates: 2                      # number of states a listener chooses from, if there is no table of contexts
# same: [board]                    # distractors have the same values as the true state in these columns
split: {dev: 0.15, test: 0.25}     # unless the tables have a column `split`; `by: episode` keeps episodes together
utterances: {language: en, least: 5}  # phrases are words and pairs of words in at least this many training utterances
#                                    or {from: states}: phrases are made from the columns, such as "large size"
"""

README = """\
# A corpus

What agents said to each other, in which states, and what people say about such states. This one is generated: an agent
names the shape, the colour and the size of a thing in its own symbols, with occasional slips. Replace it with your
own data.

    neuralese corpus check .    # shows what is in it or, in one sentence each, what is wrong

| file | columns |
| --- | --- |
| `corpus.yaml` | what the columns mean, and how the corpus is split |
| `states.csv` | `state_id` (a whole number or text), and one column for each attribute of a state |
| `messages.csv` | `state_id`, `message`; optional `context_id`, `episode`, `split` |
| `contexts.csv`, optional | `context_id`, `candidates` (a list of `state_id`), `true`, optional `pick` |
| `utterances.csv`, optional | `state_id` or `context_id`, `text`; optional `episode`, `split` |

Tables may be Parquet (`.parquet`), CSV (`.csv`) or JSON Lines (`.jsonl`), one file each. Lists in CSV are their entries
separated by spaces. `true` is the position of the true state among the candidates, counted from 0, and `pick` that of
the state that the listener picked, empty if unknown.

## Your own

1. A **state** is what the speaker saw when it spoke. Write every distinct one once, into `states.csv`, and declare in
   `corpus.yaml` the types of its columns: `category`, `number`, `circular` (an angle or an hour, with its `period`),
   `color` or `vector`. Columns that `corpus.yaml` does not name are ignored.
2. A **message** is what it sent: whole numbers, `7 2 0`, or a vector of numbers. Every message needs its state.
3. If the listener chose among certain states, add these **contexts**; a message in a context was said in its true
   state. Without contexts, `candidates` states are drawn for each message.
4. **Utterances** are what people said about the same states. If you have none, remove the file and write
   `utterances: {from: states}`: phrases are then made from the columns ("shape star", "large size").
5. The column `split` may say `train`, `dev` or `test`. Otherwise splits are drawn, whole groups together with `by`.

If all you have is one flat file with a message and its state in each row:

    neuralese corpus import csv log.csv mine --message sent --states shape,size

From Python, around any loop:

    from neuralese.recording import Recording

    with Recording("mine") as recording:
        for state, message in play():
            recording.say(state, message)  # a dict of columns, and a list of symbols or numbers
"""


def new_corpus(folder: Path) -> None:
    """Write the example into a folder that is empty or does not exist."""
    check_free(folder)
    rng = np.random.default_rng(0)
    shapes, colors = (rng.integers(len(each), size=STATES) for each in (SHAPES, COLORS))
    sizes = np.round(rng.uniform(1, 10, STATES), 1)
    rgb = np.array(list(COLORS.values()))[colors] + rng.integers(-20, 21, (STATES, 3))
    ids = [f"thing{number}" for number in range(STATES)]
    spoken = rng.integers(STATES, size=MESSAGES)
    described = rng.integers(STATES, size=UTTERANCES)
    tables = {
        "states": {
            "state_id": ids,
            "shape": [SHAPES[shape] for shape in shapes],
            "rgb": ["#{:02x}{:02x}{:02x}".format(*each) for each in np.clip(rgb, 0, 255)],
            "size": sizes.tolist(),
        },
        "messages": {
            "state_id": [ids[row] for row in spoken],
            "message": [_message(shapes[row], colors[row], sizes[row], rng) for row in spoken],
            "episode": [number // 10 for number in range(MESSAGES)],
        },
        "utterances": {
            "state_id": [ids[row] for row in described],
            "text": [_utterance(shapes[row], colors[row], sizes[row], rng) for row in described],
        },
    }
    write_corpus(folder, SETTINGS, tables, {"README.md": README}, suffix=".csv")


def _message(shape: int, color: int, size: float, rng: np.random.Generator) -> list[int]:
    """What the agent says: shape, colour, and size if it is far from the middle; then the end."""
    said = [1 + shape, 1 + len(SHAPES) + color]
    if not 4 < size < 7:
        said.append(SMALL if size <= 4 else LARGE)
    slips = rng.random(len(said)) < SLIP
    wrong = rng.integers(1, LARGE + 1, len(said))
    return [*np.where(slips, wrong, said).tolist(), END]


def _utterance(shape: int, color: int, size: float, rng: np.random.Generator) -> str:
    """What a person says: some of what could be said."""
    parts = []
    if not 4 < size < 7 and rng.random() < 0.8:
        parts.append(rng.choice(["small", "little"]) if size <= 4 else rng.choice(["big", "large"]))
    if rng.random() < 0.9:
        parts.append(list(COLORS)[color])
    parts.append(SHAPES[shape] if rng.random() < 0.9 or not parts else "one")
    return f"{rng.choice(['a', 'the', 'it is a'])} {' '.join(parts)}"
