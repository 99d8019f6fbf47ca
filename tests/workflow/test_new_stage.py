"""A stage is one function, one rule and one script; no other file has to be touched for it."""

from copies import QUICK

FUNCTION = '''

def count_phrases(run):
    """How many phrases there are."""
    return len(run.phrases)
'''
RULE = '''

rule count_phrases:
    """Count the phrases that people use."""
    input:
        human=files_of("human"),
    output:
        "<results>/{task}/phrases.json",
    log:
        "<logs>/{task}/count_phrases.log",
    params:
        code=code("count_phrases"),
    script:
        "../scripts/count_phrases.py"
'''
SCRIPT = '''"""Count the phrases that people use."""

from neuralese.stages import stage
from neuralese.stages.evaluate import count_phrases
from neuralese.storage.files import write_json

with stage(snakemake) as job:
    write_json(job.output[0], {"phrases": count_phrases(job.run)})
'''


def test_a_function_a_rule_and_a_script_are_a_stage_that_an_edit_of_the_function_runs_again(fresh):
    function = fresh.folder / "src/neuralese/stages/evaluate.py"
    for path, text in ((function, FUNCTION), (fresh.folder / "workflow/rules/evaluate.smk", RULE)):
        path.write_text(path.read_text() + text)
    (fresh.folder / "workflow/scripts/count_phrases.py").write_text(SCRIPT)
    target = "results/quick/colors/phrases.json"
    code, output = fresh.snakemake(target, *QUICK)
    assert code == 0, output
    assert '"phrases": ' in (fresh.folder / target).read_text()
    assert fresh.planned(target, *QUICK) == set()
    function.write_text(function.read_text().replace("return len(run.phrases)", "return 2 * len(run.phrases)"))
    assert fresh.planned(target, *QUICK) == {"count_phrases"}
