"""Whole runs of the workflow on the quick config, in a copy of the project."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter, defaultdict
from graphlib import TopologicalSorter
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import yaml
from copies import QUICK, restored
from test_code import may_be_left_out

from neuralese.data.archives import members, write_tar
from neuralese.storage.files import file_digest, read_json, write_json

DICTIONARY = {  # the rule of the dictionary and those after it
    "score_dictionary",
    "evaluate_belief",
    "evaluate_behavior",
    "tabulate",
    "watch_driving",
    "check_theory",
    "gather_report",
    "write_report",
}
CLOSED_LOOP = {"relay_driving", "listen_driving", "relay"}
TRANSLATION = DICTIONARY | CLOSED_LOOP | {"describe", "ablate", "choose_criteria"}
# prints the modules and definitions that each script reaches
REACHED = """
import json, sys
from pathlib import Path
from neuralese import tasks
from neuralese.workflow import reached

print(json.dumps({Path(script).stem: sorted(reached(Path(script), tasks.BUILT_IN)) for script in sys.argv[1:]}))
"""
# a proxy that does not answer stands for a machine without network
NOWHERE = dict.fromkeys(("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"), "http://127.0.0.1:9")


def test_the_tables_name_their_data(project):
    tables = project.quick / "tables"
    belief = pd.read_parquet(tables / "belief.parquet")
    assert (belief["data"] == "embedded").all()
    configured = {"algorithm-1", "released", "belief", "direct", "pmi", "random"}
    controls = {"shuffled", "constant", "silence"}
    assert set(belief["criterion"]) == configured | controls | {
        "none",
        "description",
        "description-shuffled",
        "interpreter",
    }
    assert set(belief.loc[belief["distractors"] == "anywhere", "task"]) == {"driving"}
    for name in ("comparison.md", "comparison.csv", "comparison.tex"):
        assert "embedded" in (tables / name).read_text()
    provenance = json.loads((project.quick / "colors" / "provenance.json").read_text())
    assert provenance["source"] == "embedded"
    assert provenance["rows"]["colors"] == len(pd.read_parquet(project.quick / "colors" / "colors.parquet"))


def test_a_second_run_has_nothing_to_do(project):
    project.snakemake("all", *QUICK)  # other tests may have touched results
    code, output = project.snakemake("all", *QUICK)
    assert code == 0
    assert "Nothing to be done" in output


def test_forcing_a_stage_plans_it_and_what_follows(project):
    assert project.planned("all", "--forcerun", "score_dictionary", *QUICK) == DICTIONARY


def test_the_code_digest_of_every_rule_includes_all_modules_that_its_script_imports(project):
    source = project.folder / "src" / "neuralese"
    loaded = defaultdict(set)
    for record in project.watched.glob("tmp*.txt"):
        script = record.name.split(".")[1]
        loaded[script] |= {Path(line).relative_to(source.parent).as_posix() for line in record.read_text().splitlines()}
    places = {path.stem: str(path) for path in (project.folder / "workflow/scripts").rglob("*.py")}
    others = {"tabulate_sweep", "prepare", "read_corpus", "fit_judges"}
    assert set(loaded) == set(places) - others
    ran = set(places) - others - {"download"}  # raw data is known by its digest
    command = [sys.executable, "-c", REACHED, *sorted(places[script] for script in ran)]
    done = subprocess.run(command, cwd=project.folder, env=project.environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    for script, found in json.loads(done.stdout).items():
        for path in loaded[script]:
            module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            assert module in found or may_be_left_out(module), (script, module)


@pytest.mark.parametrize(
    ("file", "planned"),
    [
        ("translate/criteria.py", TRANSLATION),
        ("evaluate/comparison.py", {"check_theory", "tabulate", "gather_report", "write_report"}),
        ("report/assets/explorer.js", {"write_report"}),
        ("errors.py", set()),
    ],
)
def test_an_edit_of_code_reruns_its_stages_and_what_follows(project, file, planned):
    path = project.folder / "src" / "neuralese" / file
    with restored(path):
        path.write_text(path.read_text() + "\n")
        assert project.planned("all", *QUICK) == planned


def test_a_sweep_makes_tidy_tables_and_reuses_the_run_where_the_value_is_the_same(project):
    code, output = project.snakemake("sweep", *QUICK, "--config", "tasks=[colors]", "sweep={agent.noise: [0.3, 0.9]}")
    assert code == 0, output
    sweep = project.quick / "sweep"
    assert [path.name for path in sweep.iterdir() if path.is_dir()] == ["agent.noise=0.9"]
    belief = pd.read_parquet(sweep / "belief.parquet")
    same = belief[belief["agent.noise"] == 0.3].drop(columns="agent.noise").reset_index(drop=True)
    pd.testing.assert_frame_equal(same, pd.read_parquet(project.quick / "colors" / "seed0" / "belief_test.parquet"))
    native = belief.query("speaker == 'R' and listener == 'R' and criterion == 'none'")
    robots = native.set_index("agent.noise")["value"]
    assert list(robots.index) == [0.3, 0.9]
    assert robots[0.3] != robots[0.9]
    assert {0.3, 0.9} == set(pd.read_parquet(sweep / "protocol.parquet")["agent.noise"])
    assert (sweep / "sweep.png").stat().st_size > 0


def test_a_stage_that_reads_a_wrong_table_ends_in_one_sentence_and_leaves_nothing(project):
    inventory = project.quick / "colors" / "inventory.parquet"
    dictionary = project.quick / "colors" / "seed0" / "dictionary.parquet"
    with restored(inventory, dictionary):
        pq.write_table(pa.table({"phrase_id": pa.array([0], pa.int32())}), inventory)
        code, output = project.snakemake(
            str(dictionary.relative_to(project.folder)), "--allowed-rules", "score_dictionary", "--force", *QUICK
        )
        assert code != 0
        assert "inventory.parquet, a table of kind 'inventory', has no column 'phrase'" in output
        assert not dictionary.exists()


def test_a_sweep_runs_each_stage_once_for_each_combination_it_depends_on(fresh):
    swept = "sweep={agent.noise: [0.3, 0.9], dictionary.n_best: [1, 3, 5]}"
    code, output = fresh.snakemake("--dry-run", "sweep", *QUICK, "--config", "tasks=[colors]", swept)
    assert code == 0, output
    counts = Counter()
    for rule, count in set(re.findall(r"^(\w+) +(\d+)$", output, flags=re.MULTILINE)):  # they are printed twice
        counts[re.sub(r"^point\d+_", "", rule)] += int(count)
    assert counts["download"] == counts["parse_colors"] == 1
    assert counts["fit_human_models"] == 1  # whatever the robots do
    assert counts["train_agent"] == 2
    assert counts["fit_robot_speaker"] == counts["score_dictionary"] == counts["evaluate_belief"] == 6


@pytest.mark.parametrize(
    ("target", "config", "says"),
    [
        ("all", "sedes=[1]", "config: 'sedes' is not a known key; did you mean 'seeds'?"),
        ("sweep", "sweep={theory.games: [1, 2]}", "'theory.games' cannot be swept: no result of a point depends on it"),
        ("sweep", "sweep={}", "config: nothing is swept; add --configfile config/sweep_noise.yaml"),
    ],
)
def test_a_wrong_config_stops_the_run_before_it_starts(fresh, target, config, says):
    code, output = fresh.snakemake(target, "--config", config)
    assert code != 0
    assert says in output
    assert not (fresh.folder / "results").exists()


@pytest.mark.parametrize(
    ("mirror", "says"),
    [
        ("null", ("no real data for XKCD colour survey", "paul.rutgers.edu", "set NEURALESE_MIRROR")),
        ("mirror", ("xkcd-munroecorpus.tar.xz is truncated or not an archive",)),
    ],
)
def test_a_run_without_real_data_or_with_a_truncated_archive_says_what_to_do_and_leaves_nothing(fresh, mirror, says):
    (fresh.folder / "mirror").mkdir()
    (fresh.folder / "mirror" / "xkcd-munroecorpus.tar.xz").write_bytes(b"\xfd7zXZ\x00 and then nothing")
    config = f"data={{source: real, mirror: {mirror}}}"
    code, output = fresh.snakemake("results/colors/raw", "--config", config, environment=NOWHERE)
    assert code != 0
    for part in says:
        assert part in output
    assert not (fresh.folder / "results" / "colors" / "raw").exists()


def test_a_corrupt_picture_is_left_out_and_counted(project, fresh):
    birds = fresh.quick / "birds"
    shutil.copytree(project.quick / "birds" / "raw", birds / "raw")
    files = {
        f"CUB_200_2011/{name}": content for name, content in members(birds / "raw" / "images", r"CUB_200_2011/(.+)")
    }
    broken = next(name for name in files if name.endswith(".jpg"))
    files[broken] = files[broken][:200]
    write_tar(birds / "raw" / "images", files)
    source = birds / "raw" / "source.json"
    fetched = read_json(source)
    for each in fetched["files"]:
        each["sha256"] = file_digest(birds / "raw" / each["file"])
    write_json(source, fetched)  # as if it had been fetched like this
    code, output = fresh.snakemake(str(birds.relative_to(fresh.folder) / "provenance.json"), *QUICK)
    assert code == 0, output
    provenance = json.loads((birds / "provenance.json").read_text())
    assert list(provenance["left_out"]) == [broken.removeprefix("CUB_200_2011/images/")]
    assert (provenance["rows"]["images"], provenance["rows"]["items"]) == (1000, 999)


def test_groups_of_jobs_on_a_cluster_have_no_circular_dependencies(fresh):
    code, output = fresh.snakemake(*QUICK, "--rulegraph", "--", "all")
    assert code == 0, output
    names = dict(re.findall(r'(\d+)\[label = "(\w+)', output))
    groups = yaml.safe_load((fresh.folder / "profiles" / "slurm" / "config.yaml").read_text())["groups"]
    assert set(groups) - set(names.values()) == {"tabulate_sweep", "prepare", "read_corpus", "fit_judges"}
    waits = {groups.get(name, name): set() for name in names.values()}
    for before, after in re.findall(r"(\d+) -> (\d+)", output):
        one, other = (groups.get(names[each], names[each]) for each in (before, after))
        if one != other:
            waits[other].add(one)
    TopologicalSorter(waits).prepare()  # raises an error for a circle
