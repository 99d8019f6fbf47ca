"""Killed runs end as if nobody had killed them, on one core as on two; `kill_and_rerun.py` kills more often."""

from kill_and_rerun import Runs, differences, disturb


def test_a_run_on_one_core_killed_at_random_moments_ends_like_one_on_two_that_nobody_disturbed(project, tmp_path):
    runs = Runs(tmp_path / "killed", ["colors"], cores=1)
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
