"""The stages of the workflow: those that every task has, and those that tasks bring.

A stage is the rule of workflow/rules with the same name; a test compares the two. Everything else that concerns
stages, their files or what these depend on reads it here, or from `dependencies`, which is derived from this.

A stage's inputs may be named by their role for a task (`GAME`, `HUMAN`, ...): each task says which files these are.
"""

from neuralese import tasks
from neuralese.tasks.stages import RUN, SEED, SWEPT_FILES, TASK, Stage

TASKS = tasks.names()
DATA = frozenset(TASKS)  # the sections of the config that tasks' data depends on, one per task
PICTURES = ("png", "svg")  # the formats of every figure

# files by their role for a task
GAME, HUMAN, VARIABLES, SHOWN, WATCHED = "<game>", "<human>", "<variables>", "<pictures>", "<watched>"
ROBOT, HISTORY, JUDGE = "<robot>", "<history>", "<judge>"
TOKENS = {
    GAME: "game_files",
    HUMAN: "human_files",
    VARIABLES: "variable_files",
    SHOWN: "picture_files",
    WATCHED: "watched_files",
    ROBOT: "robot_files",
    HISTORY: "history_files",
    JUDGE: "judge_files",
}

_TRACES = (GAME, HUMAN)
_TALK = ("messages.parquet", "contexts.parquet", "robot_speaker.safetensors", "human_speaker.safetensors")
_SYNTHESIS = ("synthesis.parquet", "new_messages.parquet", "bags.parquet")
_PLAY = ("provenance.json", ROBOT, "messages.parquet", "dictionary.parquet", "utterances.parquet")
_BEHAVIOR, _RELAY = "behavior_test.parquet", "relay.parquet"
_PLAIN = tuple(
    task.name for task in tasks.every() if not (task.rules or task.stages)
)  # tasks without stages of their own
_PLAYED = tuple(task.name for task in tasks.every() if task.history_files)  # tasks that have a game
_RELAYED = tuple(  # tasks that have a game, and no relay of their own
    name for name in _PLAYED if not any(_RELAY in dict(stage.made()) for stage in tasks.get(name).stages)
)
_BEHAVING = tuple(task.name for task in tasks.every() if any(_BEHAVIOR in dict(stage.made()) for stage in task.stages))
_LISTENING = tuple(
    task.name for task in tasks.every() if any("listening.parquet" in dict(stage.made()) for stage in task.stages)
)


def _table_figures() -> dict[str, tuple[str, ...]]:
    """The pictures of the tables, and the tasks they belong to."""
    found: dict[str, tuple[str, ...]] = {}
    for task in tasks.every():
        found[f"table_{task.paper.table if task.paper else task.name}"] = (task.name,)
        if task.name in _BEHAVING:
            table = task.paper.behavior_table if task.paper else f"{task.name}_behavior"
            found[f"table_{table}"] = (task.name,)
    return found


def _own(each: str) -> list[Stage]:
    """The stages that tasks bring, of one kind."""
    return [stage for task in tasks.every() for stage in task.stages if stage.each == each]


# in an order in which they can be run
STAGES = (
    Stage("download", TASK, (), ("raw",), ("data",), tasks=_PLAYED),
    Stage(
        "prepare",
        TASK,
        ("raw",),
        ("items.parquet", "inventory.parquet", "traces.parquet", "utterances.parquet", "provenance.json"),
        _PLAIN,
        tasks=_PLAIN,
    ),
    *_own(TASK),
    Stage(
        "read_corpus",
        TASK,
        (),
        (
            "states.parquet",
            "recorded.parquet",
            "pictures.parquet",
            "inventory.parquet",
            "traces.parquet",
            "utterances.parquet",
            "provenance.json",
        ),
        ("corpora",),
        tasks=tuple(tasks.corpora()),
    ),
    Stage(
        "fit_judges",
        SEED,
        ("states.parquet", "recorded.parquet"),
        ("judge_dev.safetensors", "judge_test.safetensors"),
        ("speakers", "games"),
        tasks=tuple(tasks.corpora()),
    ),
    Stage(
        "train_agent",
        SEED,
        (GAME, "provenance.json"),
        ("agent.safetensors", "history.parquet"),
        ("agent", "training", "games"),
        tasks=_PLAYED,
    ),
    Stage(
        "fit_robot_speaker",
        SEED,
        (GAME, "provenance.json", ROBOT),
        ("messages.parquet", "contexts.parquet", "robot_speaker.safetensors"),
        ("speakers", "messages", "games"),
    ),
    Stage(
        "fit_human_models",
        SEED,
        _TRACES,
        ("human_speaker.safetensors", "human_listener.safetensors"),
        ("speakers", "games"),
    ),
    Stage(
        "analyse_protocol",
        SEED,
        (GAME, VARIABLES, "provenance.json", ROBOT, "robot_speaker.safetensors", "messages.parquet"),
        ("protocol.parquet", "protocol.png"),
        ("games",),
    ),
    Stage(
        "ablate",
        SEED,
        (*_TRACES, *_TALK, "provenance.json", ROBOT, JUDGE, "human_listener.safetensors", "utterances.parquet"),
        ("ablation.parquet",),
        ("ablation", "criteria", "evaluation", "games"),
    ),
    Stage("choose_criteria", TASK, ("ablation.parquet",), ("criteria.parquet",), ("criteria",)),
    Stage(
        "score_dictionary",
        SEED,
        (*_TRACES, *_TALK, "utterances.parquet", "criteria.parquet"),
        ("dictionary.parquet", "meanings.parquet"),
        ("dictionary", "games"),
    ),
    Stage(
        "synthesise",
        SEED,
        (*_TRACES, *_TALK, "utterances.parquet", "criteria.parquet", ROBOT),
        ("synthesis.parquet", "new_messages.parquet", "bags.parquet"),
        ("synthesis", "agent", "dictionary", "games"),
    ),
    Stage(
        "evaluate_belief",
        SEED,
        (
            *_TRACES,
            *_PLAY,
            *_SYNTHESIS,
            JUDGE,
            "contexts.parquet",
            "robot_speaker.safetensors",
            "human_speaker.safetensors",
            "human_listener.safetensors",
        ),
        ("belief_test.parquet", "bound.parquet"),
        ("messages", "evaluation", "ablation", "examples", "games"),
    ),
    Stage(
        "relay",
        SEED,
        (
            *_TRACES,
            *_TALK,
            "provenance.json",
            "agent.safetensors",
            "human_listener.safetensors",
            "synthesis.parquet",
            "new_messages.parquet",
        ),
        (_RELAY,),
        ("ablation", "criteria", "evaluation", "games"),
        tasks=_RELAYED,
    ),
    *_own(SEED),
    Stage(
        "gather_report",
        SEED,
        (
            *_TRACES,
            SHOWN,
            WATCHED,
            *_PLAY,
            *_SYNTHESIS,
            HISTORY,
            "robot_speaker.safetensors",
            "human_speaker.safetensors",
            "human_listener.safetensors",
            "protocol.parquet",
        ),
        ("examples.parquet", "report.json"),
        ("examples", "games"),
        figures=("examples_{task}_seed{seed}",),
    ),
    Stage(
        "tabulate",
        RUN,
        ("belief_test.parquet", _BEHAVIOR),
        (
            "tables/belief.parquet",
            "tables/behavior.parquet",
            "tables/comparison.csv",
            "tables/comparison.tex",
            "tables/comparison.html",
            "tables/comparison.md",
        ),
        only={"tables/behavior.parquet": _BEHAVING},
        job="tables/tabulate",
    ),
    Stage(
        "tabulate_relay",
        RUN,
        (_RELAY,),
        ("tables/relay.parquet",),
        only={"tables/relay.parquet": _PLAYED},
        job="tables/relay",
    ),
    Stage(
        "tabulate_listening",
        RUN,
        ("listening.parquet",),
        ("tables/listening.parquet",),
        only={"tables/listening.parquet": _LISTENING},
        job="tables/listening",
    ),
    Stage(
        "tabulate_ablation",
        RUN,
        ("ablation.parquet", "criteria.parquet"),
        ("tables/ablation.parquet", "tables/criteria.parquet"),
        figures=("ablation",),
        job="tables/ablation",
    ),
    Stage(
        "check_theory",
        RUN,
        ("bound.parquet",),
        ("tables/bound.parquet", "theory/proposition_1.parquet", "theory/proposition_2.parquet"),
        ("theory",),
        figures=("theory",),
        job="theory/check",
    ),
    Stage(
        "draw_tables",
        RUN,
        ("tables/comparison.csv",),
        (),
        figures=tuple(_table_figures()),
        only=_table_figures(),
        job="tables/draw",
    ),
    Stage(
        "write_report",
        RUN,
        (
            "report.json",
            "provenance.json",
            "tables/comparison.csv",
            "tables/criteria.parquet",
            "tables/ablation.parquet",
            "tables/bound.parquet",
            "tables/relay.parquet",
            "tables/listening.parquet",
            "theory/proposition_1.parquet",
            "theory/proposition_2.parquet",
        ),
        ("report/index.html",),
        ("seeds",),
        job="report/write",
    ),
    Stage(
        "tabulate_sweep", RUN, tuple(SWEPT_FILES.values()), ("sweep/{table}.parquet",), ("sweep",), job="sweep/{table}"
    ),
    Stage(
        "draw_sweep",
        RUN,
        ("sweep/belief.parquet", "sweep/protocol.parquet"),
        ("sweep/sweep.png",),
        ("sweep", "examples"),
        job="sweep/draw",
    ),
)
