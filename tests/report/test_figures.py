"""Example translations as pictures; and the same figure is the same bytes, whatever the last digits of its layout."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
import torch
from PIL import Image

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.players import sample_messages
from neuralese.figures import choose_examples, draw_examples, save
from neuralese.stages.run import Run
from neuralese.storage.tables import write_table
from neuralese.tasks.items import items_table

matplotlib.use("agg")
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


def drawn(path, jitter: float) -> bytes:
    """A figure of several parts, whose layout is a little off."""
    figure = plt.figure(figsize=(6, 4), layout="constrained")
    figure.suptitle("title", fontsize=11)
    for number, part in enumerate(figure.subfigures(1, 2).flat):
        left, right = part.subplots(1, 2)
        left.imshow(np.arange(12.0).reshape(3, 4) + number)
        left.set_title("other", fontsize=8)
        right.plot([0, 1], [number, 2])
    solve = figure.draw_without_rendering

    def off() -> None:
        solve()
        for part in figure.subfigs:
            part.bbox_relative.p0 = part.bbox_relative.p0 + jitter
        for axes in figure.axes:
            axes.set_position(np.array(axes.get_position(original=True).bounds) + jitter)
        for text in figure.texts:
            text.set_position(np.array(text.get_position()) + jitter)

    figure.draw_without_rendering = off
    save(figure, path.with_suffix(".png"), path)
    return path.read_bytes()


@pytest.mark.parametrize(("jitter", "same"), [(-1e-17, True), (1e-9, True), (0.01, False)])
def test_only_the_last_digits_of_a_layout_leave_no_trace(tmp_path, jitter, same):
    assert (drawn(tmp_path / "one.svg", 0.0) == drawn(tmp_path / "two.svg", jitter)) is same
    assert ((tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()) is same


@pytest.mark.parametrize("text", ["a $x^{ b$", "$", "$$", "\\frac", "50 $ or 60 $", "\u2603"])
def test_any_text_can_be_drawn(tmp_path, text):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.set_title(text)
    axes.set_yticks([0], [text])
    save(figure, tmp_path / "one.svg", tmp_path / "one.png")
    assert (tmp_path / "one.svg").stat().st_size > 1000
    assert plt.get_fignums() == []
