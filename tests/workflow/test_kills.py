"""Killed runs end as if nobody had killed them; twenty kills are for `kill_and_rerun.py`, here are three."""

from kill_and_rerun import Runs, differences, disturb


def test_a_run_killed_at_random_moments_ends_like_one_that_nobody_disturbed(project, tmp_path):
    runs = Runs(tmp_path / "killed", ["colors"])
    account = disturb(
        runs,
        kills=3,
        longest=25,
        seed=0,
        compare=lambda: differences(project.quick / "colors", runs.quick / "colors"),
    )
    assert account.faults == []
    assert account.kills == 3
    assert account.compared >= 20
