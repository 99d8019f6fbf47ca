"""Results made with other settings, code or data than those of a run are remade, whatever Snakemake remembers."""

from neuralese.pipeline.made import Job
from neuralese.pipeline.out_of_date import out_of_date, told


def stale(dag):
    """The files of a plan that are out of date by their own stamps."""
    jobs = {}
    for each in dag.jobs:
        if each.rule.script:
            given, made = (
                tuple(map(str, paths)) for paths in (each.input, each.output)
            )
            wildcards, settings = dict(each.wildcards.items()), dict(
                each.params.items()
            )
            job = Job(each.rule.name, wildcards, settings, given, made)
            jobs |= dict.fromkeys(made, job)
    return out_of_date(jobs, RESULTS)


def looking(prepare):
    """Snakemake's preparation of a plan, extended to check the results before it decides what to run.

    It forces such files like incomplete ones; this reaches inside because there is no other way to tell it.
    """

    def prepared(*given, **named):
        prepare(*given, **named)
        dag = workflow._dag
        decide = dag.update_needrun

        async def decided(*given, **named):
            dag.update_needrun = decide  # once is enough
            if found := stale(dag):
                logger.warning(told(found))
                dag.forcefiles.update(found)
            await decide(*given, **named)

        dag.update_needrun = decided

    return prepared


# the jobs of a run are started by it, and need not check again
if workflow.is_main_process:
    workflow._prepare_dag = looking(workflow._prepare_dag)
