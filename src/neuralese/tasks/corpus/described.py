"""What the files are that a corpus alone has."""

from neuralese.storage.described import Described
from neuralese.tasks.corpus.tables import PICTURES, RECORDED, STATES

DESCRIBED = {
    "states.parquet": Described(
        "The states of the corpus.",
        STATES,
        {
            "state": "Its row, from 0.",
            "name": "Its id in the corpus.",
            "group": "Distractors are of the same group: they share the columns `same`.",
            "shown": "What it is called in pictures and on the page.",
            "label": "The same without colours, to stand on a swatch.",
            "color": "As `#rrggbb`, or empty.",
        },
    ),
    "recorded.parquet": Described(
        "What was recorded in them.",
        RECORDED,
        {
            "state": "The true state, by its row.",
            "candidates": "The true state and its distractors; empty where none were recorded.",
            "picked": "Whether the real listener picked the true state; -1 where it is not known.",
            "group": "Which messages belong together: those of an episode, or each for itself.",
        },
    ),
    "pictures.parquet": Described(
        "Small copies of its pictures.",
        PICTURES,
        {"picture": "Its path in the corpus.", "content": "The picture, as WebP."},
    ),
    "judge_dev.safetensors": Described("p(z|x) of a robot that judges translations on dev, from other messages."),
    "judge_test.safetensors": Described("The same for test."),
}
