import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import sample_messages
from neuralese.figures import choose_examples, draw_examples
from neuralese.stages.run import Run
from neuralese.storage.tables import write_table
from neuralese.tasks.items import items_table

MESSAGES = pd.DataFrame({"message_id": [1, 3, 5], "target": [1, 3, 5], "other": [4, 2, 0]})
DICTIONARY = pd.DataFrame(
    [
        ("R->H", criterion, source, rank, f"{criterion} {source} {rank}", rank / 10)
        for criterion in ("belief", "direct")
        for source in range(6)
        for rank in (1, 2)
    ],
    columns=["direction", "criterion", "source_id", "rank", "target", "score"],
)


def test_examples_are_messages_with_their_ranked_translations():
    examples = choose_examples(MESSAGES, DICTIONARY, "belief", count=2)
    assert examples["message_id"].tolist() == [1, 1, 3, 3]
    assert examples["phrase"].tolist() == ["belief 1 1", "belief 1 2", "belief 3 1", "belief 3 2"]
    assert examples[["target", "other"]].iloc[0].tolist() == [1, 4]


@pytest.mark.parametrize("count", [2, 3])
def test_examples_are_test_messages_with_all_their_candidates(tmp_path, count, generator):
    splits = pd.Series(["train", "dev", "test"] * 4)
    write_table(tmp_path / "items.parquet", items_table(splits, np.arange(24.0).reshape(12, 2)), "items")
    files = [tmp_path / name for name in ("items.parquet", "messages.parquet")]
    run = Run("colors", files, game={"candidates": count})
    torch.manual_seed(0)
    cell = Cell(run.states, CellConfig(hidden=4, message=3))
    messages = sample_messages(cell, run.games, {"train": 2, "dev": 3, "test": 4}, generator)
    write_table(files[1], messages, "messages")
    coded = run.coded_messages()
    assert list(coded) == ["message_id", "target", "other", "other_2"][: 1 + count]
    assert coded["message_id"].tolist() == [5, 6, 7, 8]
    assert set(coded.drop(columns="message_id").to_numpy().flatten() % 3) == {2}  # of the test items
    columns = messages.to_pandas().iloc[5:].reset_index(drop=True)
    for name in coded:
        assert coded[name].tolist() == columns[name].tolist()


@pytest.mark.parametrize("others", [{"other": 4}, {"other": 4, "other_2": 2}])
def test_the_picture_shows_every_item_of_an_example(tmp_path, others):
    """The target is red, other items are green and blue, and all else is black."""
    examples = choose_examples(MESSAGES.assign(**others), DICTIONARY, "belief", count=1)
    colors = dict(enumerate(np.zeros((6, 1, 1, 3))))
    for item, channel in ((1, 0), (4, 1), (2, 2)):
        colors[item][..., channel] = 1.0
    draw_examples([tmp_path / "examples.png"], examples, colors, "A page", ("it ★", "not it"))
    pixels = np.asarray(Image.open(tmp_path / "examples.png").convert("RGB")).reshape(-1, 3)
    shown = [(np.abs(pixels - np.array(color)).sum(1) < 10).sum() > 500 for color in 255 * np.eye(3)]
    assert shown == [True, True, len(others) == 2]
