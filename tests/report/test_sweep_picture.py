"""A sweep as a picture: which figures of each point are drawn."""

import pandas as pd
import pytest
from comparison_rows import TASKS, belief_rows
from matplotlib import pyplot as plt

from neuralese.report.sweep import draw_sweep

NOISES = (0.1, 0.3)


def protocol(key: str, values: tuple) -> pd.DataFrame:
    rows = [
        {"task": task, "seed": seed, "measure": measure, "variable": "hue", "value": 1.0, "data": "mirror", key: value}
        for task in TASKS
        for seed in (0, 1)
        for measure in ("information", "effective_dimension")
        for value in values
    ]
    return pd.DataFrame(rows)


@pytest.fixture
def figure(monkeypatch):
    """The figure that is drawn, before it is closed."""
    kept = []
    monkeypatch.setattr("neuralese.report.sweep.plt.close", kept.append)
    yield lambda: kept[-1]
    monkeypatch.undo()
    plt.close("all")


def lines(axes: plt.Axes) -> dict[str, tuple[list, list]]:
    return {
        line.get_label(): (list(line.get_xdata()), [round(float(value), 4) for value in line.get_ydata()])
        for line in axes.lines
        if not line.get_label().startswith("_")
    }


def test_whole_utterances_with_the_games_own_distractors_are_drawn(figure, tmp_path):
    belief = pd.concat([belief_rows(seeds=2).assign(**{"agent.noise": noise}) for noise in NOISES])
    other = (belief["unit"] == "phrase") | (belief["distractors"] == "anywhere") | (belief["criterion"] == "direct")
    belief["value"] = belief["value"].where(~other, 0.1)  # what must not be seen
    belief.loc[(belief["agent.noise"] == 0.3) & (belief["role"] == "ours") & ~other, "value"] = 0.6
    draw_sweep(tmp_path / "sweep.png", belief, protocol("agent.noise", NOISES), ["agent.noise"], "belief")
    for task, axes in zip(TASKS, figure().axes[::2], strict=True):
        robot = "R*" if task == "driving" else "R"
        assert lines(axes) == {
            f"R → {robot}": ([0, 1], [0.9, 0.9]),
            "R → H*": ([0, 1], [0.75, 0.6]),
            f"H → {robot}": ([0, 1], [0.75, 0.6]),
        }
        assert axes.get_title() == f"{task} (data: mirror)"


def test_points_that_have_but_the_easier_distractors_are_drawn_with_these(figure, tmp_path):
    key, kinds = "driving.distractors", ("anywhere", "play")
    belief = pd.concat([belief_rows(seeds=2).assign(**{key: kind}) for kind in kinds])
    driving = belief["task"] == "driving"
    belief = belief[~driving | (belief[key] == "play") | (belief["distractors"] == "anywhere")]
    easier = (belief["distractors"] == "anywhere") & (belief["role"] == "ours")
    belief["value"] = belief["value"].where(~easier, 0.95)
    draw_sweep(tmp_path / "sweep.png", belief, protocol(key, kinds), [key], "belief")
    assert lines(figure().axes[2 * TASKS.index("driving")])["R → H*"] == ([0, 1], [0.95, 0.75])
