"""The same figure is the same bytes, however the layout came out in its last digits."""

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest

from neuralese.figures import save

matplotlib.use("agg")


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


@pytest.mark.parametrize("jitter", [-1e-17, 1e-9])
def test_the_last_digits_of_a_layout_leave_no_trace(tmp_path, jitter):
    assert drawn(tmp_path / "one.svg", 0.0) == drawn(tmp_path / "two.svg", jitter)
    assert (tmp_path / "one.png").read_bytes() == (tmp_path / "two.png").read_bytes()


def test_a_figure_that_is_another_is_other_bytes(tmp_path):
    assert drawn(tmp_path / "one.svg", 0.0) != drawn(tmp_path / "two.svg", 0.01)


@pytest.mark.parametrize("text", ["a $x^{ b$", "$", "$$", "\\frac", "50 $ or 60 $", "\u2603"])
def test_any_text_can_be_drawn(tmp_path, text):
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.set_title(text)
    axes.set_yticks([0], [text])
    save(figure, tmp_path / "one.svg", tmp_path / "one.png")
    assert (tmp_path / "one.svg").stat().st_size > 1000
    assert plt.get_fignums() == []
