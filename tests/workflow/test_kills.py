"""Killed runs end like undisturbed ones, on one core as on two; `kill_and_rerun.py` kills more often."""

from copies import QUICK, Project
from kill_and_rerun import COMPARED, Runs, files


def test_a_run_on_one_core_killed_at_random_moments_equals_an_undisturbed_run_on_two(project, tmp_path):
    expected, copy = project.quick / "colors", Project(tmp_path / "killed")
    targets = [str(path.relative_to(project.folder)) for path in files(expected, *COMPARED).values()]
    settings = [*QUICK, "--config", "tasks=[colors]", "data={source: embedded}"]
    runs = Runs(copy, copy.command(*targets, *settings, cores=1))
    runs.disturb(kills=3, longest=25, seed=0, expected=expected, actual=copy.quick / "colors")
    assert runs.faults == []
    assert runs.kills == 3
    assert runs.compared >= 20
