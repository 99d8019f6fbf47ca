import numpy as np
import pandas as pd
from PIL import Image

from neuralese.report.examples import choose_examples, draw_examples

MESSAGES = pd.DataFrame(
    {"message_id": range(6), "split": ["train", "test"] * 3, "target": range(6), "other": [5, 4, 3, 2, 1, 0]}
)
DICTIONARY = pd.DataFrame(
    [
        ("R->H", criterion, source, rank, f"{criterion} {source} {rank}", rank / 10)
        for criterion in ("belief", "direct")
        for source in range(6)
        for rank in (1, 2)
    ],
    columns=["direction", "criterion", "source_id", "rank", "target", "score"],
)


def test_examples_are_test_messages_with_their_ranked_translations():
    examples = choose_examples(MESSAGES, DICTIONARY, "belief", count=2)
    assert examples["message_id"].tolist() == [1, 1, 3, 3]
    assert examples["phrase"].tolist() == ["belief 1 1", "belief 1 2", "belief 3 1", "belief 3 2"]
    assert examples[["target", "other"]].iloc[0].tolist() == [1, 4]


def test_the_page_shows_both_items_of_every_example(tmp_path):
    examples = choose_examples(MESSAGES, DICTIONARY, "belief", count=3)
    colors = np.zeros((6, 1, 1, 3))
    colors[1, ..., 0], colors[4, ..., 2] = 1.0, 1.0  # the first example's target is red, its other item blue
    draw_examples([tmp_path / "examples.png"], examples, lambda item: colors[item], "A page")
    pixels = np.asarray(Image.open(tmp_path / "examples.png").convert("RGB")).reshape(-1, 3)
    for color in ((255, 0, 0), (0, 0, 255), (0, 0, 0)):
        assert (np.abs(pixels - np.array(color)).sum(1) < 10).sum() > 500
