"""What a job checks before it begins, what its files say of it, and which of them are out of date later."""

import ast
import os
from dataclasses import replace
from pathlib import Path

import pytest

from neuralese.pipeline.made import Job
from neuralese.pipeline.out_of_date import out_of_date, told
from neuralese.storage.errors import NeuraleseError
from neuralese.storage.files import file_digest, write_json, write_text
from neuralese.storage.stamps import making, read_record

SCRIPTS = Path(__file__).parents[2] / "workflow" / "scripts"


class Study:
    """Four jobs in a folder: raw data, a table of it, a model of the table and a page about both."""

    def __init__(self, folder: Path) -> None:
        self.results = str(folder / "results")
        self.jobs = {}
        self.add("fetch", (), ("raw",), source="embedded", partial=f"{self.results}/.parts")
        self.add("parse", ("raw",), ("table.json",), rows=3)
        self.add("fit", ("table.json",), ("seed0/model.json",), fit={"steps": 5, "rate": 0.1})
        self.add("write", ("table.json", "seed0/model.json"), ("page.html", "page.json"))
        self.run()

    def path(self, place: str) -> str:
        return f"{self.results}/{place}"

    def add(self, stage: str, inputs: tuple[str, ...], outputs: tuple[str, ...], **params: object) -> None:
        given, made = (tuple(self.path(each) for each in places) for places in (inputs, outputs))
        job = Job(stage, {"seed": "0", "point": ""}, {**params, "code": f"code of {stage}"}, given, made)
        self.jobs |= dict.fromkeys(made, job)

    def change(self, stage: str, **params: object) -> None:
        """Let a stage have other settings or code."""
        self.jobs = {
            path: replace(job, params={**job.params, **params}) if job.stage == stage else job
            for path, job in self.jobs.items()
        }

    def run(self, *stages: str) -> None:
        """Do all jobs, or those of some stages."""
        for job in dict.fromkeys(map(id, self.jobs.values())):
            job = next(each for each in self.jobs.values() if id(each) == job)
            if not stages or job.stage in stages:
                maker = job.begin(self.results)
                with making(maker):
                    for output in map(Path, job.outputs):
                        self.make(output)
                job.end(maker)

    def make(self, output: Path) -> None:
        if output.suffix == "":
            write_text(output / "archive", "raw data")
            record = {"file": "archive", "sha256": file_digest(output / "archive")}
            write_json(output / "source.json", {"source": "embedded", "files": [record], "time": str(os.times())})
        elif output.suffix == ".json":
            write_json(output, {"made": "by the study"})
        else:
            write_text(output, "<html>")

    def stale(self) -> dict[str, str]:
        found = out_of_date(self.jobs, self.results)
        return {str(Path(path).relative_to(self.results)): why for path, why in found.items()}


@pytest.fixture
def study(tmp_path) -> Study:
    return Study(tmp_path)


AFTER_FIT = {"seed0/model.json", "page.html", "page.json"}
AFTER_PARSE = {"table.json"} | AFTER_FIT


def test_nothing_is_out_of_date_after_a_run_or_where_the_results_are_moved_to(study, tmp_path):
    assert study.stale() == {}
    (tmp_path / "results").rename(tmp_path / "moved")
    moved = Study(tmp_path / "elsewhere")
    assert moved.results != study.results
    assert Path(moved.path("page.json")).read_bytes() == (tmp_path / "moved" / "page.json").read_bytes()


@pytest.mark.parametrize(
    ("stage", "change", "first", "why", "all_of_it"),
    [
        ("fit", {"fit": {"steps": 6, "rate": 0.1}}, "seed0/model.json", "fit.steps was 5 and is 6", AFTER_FIT),
        ("fit", {"code": "edited"}, "seed0/model.json", "the code has changed", AFTER_FIT),
        ("parse", {"rows": 4}, "table.json", "rows was 3 and is 4", AFTER_PARSE),
        ("parse", {"more": True}, "table.json", "more was not set and is True", AFTER_PARSE),
        ("fetch", {"source": "real"}, "raw", "source was embedded and is real", {"raw"} | AFTER_PARSE),
    ],
)
def test_other_settings_code_or_data_make_a_file_and_what_follows_out_of_date(
    study, stage, change, first, why, all_of_it
):
    study.change(stage, **change)
    found = study.stale()
    assert set(found) == all_of_it
    assert {path: reason for path, reason in found.items() if reason} == {first: why}
    assert why in told(found)
    study.run()
    assert study.stale() == {}


def test_a_job_that_was_not_done_again_leaves_what_follows_out_of_date(study):
    study.change("parse", rows=4)
    study.run("fetch", "parse")
    assert set(study.stale()) == AFTER_FIT


def test_a_missing_file_makes_nothing_else_out_of_date(study, tmp_path):
    (tmp_path / "results" / "table.json").unlink()  # as a temporary file, or one that somebody deleted to save space
    assert study.stale() == {}
    study.change("fit", code="edited")
    assert set(study.stale()) == AFTER_FIT
    study.change("fit", code="code of fit")
    study.change("parse", rows=4)
    assert set(study.stale()) == AFTER_FIT


def test_raw_data_that_was_deleted_is_believed_to_have_been_what_the_files_say(study, tmp_path):
    for path in (tmp_path / "results" / "raw").iterdir():
        path.unlink()
    (tmp_path / "results" / "raw").rmdir()
    assert study.stale() == {}
    study.change("parse", rows=4)
    assert set(study.stale()) == AFTER_PARSE


def test_other_raw_data_makes_everything_after_it_out_of_date(study, tmp_path):
    raw = tmp_path / "results" / "raw"
    job = study.jobs[str(raw)]
    with making(job.begin(study.results)):
        write_text(raw / "archive", "other data")
        record = {"file": "archive", "sha256": file_digest(raw / "archive")}
        write_json(raw / "source.json", {"source": "mirror", "files": [record]})
    assert set(study.stale()) == AFTER_PARSE


def test_an_edited_note_of_where_raw_data_comes_from_makes_everything_out_of_date(study, tmp_path):
    source = tmp_path / "results" / "raw" / "source.json"
    before, _, after = source.read_text().rpartition("embedded")
    source.write_text(f"{before}official{after}")
    found = study.stale()
    assert set(found) == {"raw"} | AFTER_PARSE
    assert "source.json was changed after it was made" in found["raw"]


def test_files_that_changed_places_or_say_nothing_are_out_of_date(study, tmp_path):
    results = tmp_path / "results"
    (results / "table.json").write_bytes((results / "page.json").read_bytes())
    (results / "seed0" / "model.json").write_text('{"made by": "hand"}')
    found = study.stale()
    assert found == {"table.json": "it was made as page.json", "seed0/model.json": ""}  # the page is of the right ones
    (results / "table.json").write_text("{}")
    assert study.stale()["table.json"] == "it does not say what made it"


def test_a_users_own_files_are_known_by_their_bytes(study, tmp_path):
    own = tmp_path / "messages.csv"
    own.write_text("one")
    study.add("read", (), ("corpus.json",))
    study.jobs[study.path("corpus.json")] = replace(study.jobs[study.path("corpus.json")], inputs=(str(own),))
    study.run("read")
    assert study.stale() == {}
    own.write_text("two")
    assert study.stale() == {"corpus.json": "messages.csv is not the one it was made from"}


def test_a_job_refuses_an_input_that_does_not_say_what_made_it(study, tmp_path):
    (tmp_path / "results" / "table.json").write_text("{}")
    with pytest.raises(NeuraleseError, match=r"table\.json does not say what made it; delete it and run snakemake"):
        study.run("fit")


def test_a_job_refuses_an_input_that_was_made_as_another(study, tmp_path):
    results = tmp_path / "results"
    (results / "table.json").write_bytes((results / "page.json").read_bytes())
    with pytest.raises(NeuraleseError, match=r"table\.json is not what its name says: it was made as page\.json"):
        study.run("fit")


def test_a_job_refuses_inputs_that_do_not_belong_together(study):
    study.change("parse", rows=4)
    study.run("parse")
    with pytest.raises(
        NeuraleseError, match=r"model\.json and .*table\.json were not made from the same table\.json; delete both"
    ):
        study.run("write")


def test_a_job_refuses_raw_data_that_is_not_what_was_fetched(study, tmp_path):
    (tmp_path / "results" / "raw" / "archive").write_text("raw date")
    with pytest.raises(NeuraleseError, match=r"raw/archive is not the file that was fetched; delete .*raw and run"):
        study.run("parse")


def test_a_job_refuses_a_page_that_was_edited(study, tmp_path):
    study.add("read", ("page.html",), ("read.json",))
    study.run("read")
    (tmp_path / "results" / "page.html").write_text("<html>?")
    with pytest.raises(NeuraleseError, match=r"page\.html was changed after it was made; delete it and run snakemake"):
        study.run("read")


def test_files_say_which_kind_of_data_they_are_of(study):
    assert read_record(study.path("page.json"))["data"] == "embedded"


@pytest.mark.parametrize("script", sorted(SCRIPTS.rglob("*.py")), ids=lambda path: path.stem)
def test_every_script_does_all_its_work_as_a_stage(script):
    body = [each for each in ast.parse(script.read_text()).body if not isinstance(each, (ast.Import, ast.ImportFrom))]
    work = [each for each in body if not isinstance(each, (ast.Expr, ast.Assign, ast.FunctionDef))]
    assert len(work) == 1
    assert isinstance(work[0], ast.With)
    assert ast.unparse(work[0].items[0].context_expr) == "stage(snakemake)"
