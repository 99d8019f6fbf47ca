"""Killed runs end as if nobody had killed them, on one core as on two; `kill_and_rerun.py` kills more often."""

from kill_and_rerun import COMPARED, Runs, differences, disturb, files


def test_a_run_on_one_core_killed_at_random_moments_ends_like_one_on_two_that_nobody_disturbed(project, tmp_path):
    expected = project.quick / "colors"
    targets = [str(path.relative_to(project.folder)) for path in files(expected, *COMPARED).values()]
    runs = Runs(tmp_path / "killed", ["colors"], cores=1, targets=targets)
    account = disturb(
        runs,
        kills=3,
        longest=25,
        seed=0,
        compare=lambda: differences(expected, runs.quick / "colors"),
    )
    assert account.faults == []
    assert account.kills == 3
    assert account.compared >= 20
