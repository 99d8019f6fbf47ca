"""The stages of the workflow as data: what each reads, what it makes, and the sections of the config it looks at.

A stage is the rule of workflow/rules that has its name; a test holds the two against each other. Whatever else speaks
of stages, of their files or of what these depend on reads it here, or from `dependencies`, which is derived from this.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product

TASKS = ("colors", "birds", "driving")
DATA = frozenset(TASKS)  # the sections of the config on which tasks' data depends, one for each task

RUN, TASK, SEED = "run", "task", "seed"  # what a stage is run once for; a seed is one of a task
FOLDERS = {RUN: "", TASK: "{task}/", SEED: "{task}/seed{seed}/"}  # where its files are, below the results
PICTURES = ("png", "svg")  # the formats of every figure

# the tables that a sweep is seen in, and the file of every point, task and seed that each is made of
SWEPT_FILES = {
    "belief": "belief_test.parquet",
    "behavior": "behavior_test.parquet",
    "protocol": "protocol.parquet",
    "ablation": "ablation.parquet",
}
# what else than task and seed may stand in braces in the name of a file; shards are as many as the config says
WILDCARDS = {"split": ("dev", "test"), "model": ("speaker", "listener"), "table": tuple(SWEPT_FILES)}


@dataclass(frozen=True)
class Stage:
    """One stage; its files are named from its folder (see `FOLDERS`), what it reads from that of who makes it.

    Of what it reads, a task has what a stage makes for that task: driving has maps, and the others have items.
    """

    name: str
    each: str
    reads: tuple[str, ...]
    files: tuple[str, ...]
    sections: tuple[str, ...] = ()  # that it looks at itself
    tasks: tuple[str, ...] = TASKS
    figures: tuple[str, ...] = ()  # without their endings, in the folder `figures`
    only: Mapping[str, str] = field(default_factory=dict)  # of all these names, those that are of one task alone
    job: str = ""  # the name of its log and benchmark files, if it is not its own

    def tasks_of(self, file: str) -> tuple[str, ...]:
        """The tasks for which it reads or makes a file."""
        return (self.only[file],) if file in self.only else self.tasks

    def made(self, patterns: Iterable[str] | None = None) -> Iterator[tuple[str, str]]:
        """Every file, or those of some of the names, whatever may stand in their braces, and the job that makes it."""
        for pattern in self.files if patterns is None else patterns:
            names = [name for name in WILDCARDS if f"{{{name}}}" in pattern]
            for values in product(*(WILDCARDS[name] for name in names)):
                file, job = pattern, self.job or self.name
                for name, value in zip(names, values, strict=True):
                    file, job = (text.replace(f"{{{name}}}", value) for text in (file, job))
                yield file, job


_GAME = ("items.parquet", "maps.parquet", "turns.parquet")
_TRACES = (*_GAME, "traces.parquet", "inventory.parquet", "games.parquet", "words.parquet")
_TALK = ("messages.parquet", "contexts.parquet", "robot_speaker.safetensors", "human_speaker.safetensors")
_SYNTHESIS = ("synthesis.parquet", "new_messages.parquet", "bags.parquet")
_PLAY = ("provenance.json", "agent.safetensors", "messages.parquet", "dictionary.parquet", "utterances.parquet")
_EXAMPLES = ("provenance.json", "messages.parquet", "dictionary.parquet")
_SHARDS = ("pooled_{shard}_of_{shards}.parquet", "failed_{shard}_of_{shards}.json")

# in an order in which they can be run
STAGES = (
    Stage("download", TASK, (), ("raw",), ("data",)),
    Stage("parse_colors", TASK, ("raw",), ("colors.parquet", "provenance.json"), tasks=("colors",), job="parse"),
    Stage(
        "prepare_colors",
        TASK,
        ("colors.parquet",),
        ("inventory.parquet", "items.parquet", "traces.parquet"),
        ("colors",),
        tasks=("colors",),
        job="prepare",
    ),
    Stage("parse_birds", TASK, ("raw",), ("images.parquet", "captions.parquet"), tasks=("birds",), job="parse"),
    Stage("export_backbone", TASK, ("raw", "images.parquet"), ("backbone.onnx",), ("birds",), tasks=("birds",)),
    Stage(
        "pool_images",
        TASK,
        ("raw", "images.parquet", "backbone.onnx"),
        _SHARDS,
        ("birds",),
        tasks=("birds",),
        job="pool_images_{shard}_of_{shards}",
    ),
    Stage("gather_pooled", TASK, _SHARDS, ("pooled.parquet", "failed_images.json"), ("birds",), tasks=("birds",)),
    Stage(
        "train_head",
        TASK,
        ("pooled.parquet", "images.parquet"),
        ("features.parquet", "head_accuracy.json"),
        ("birds",),
        tasks=("birds",),
    ),
    Stage(
        "prepare_birds",
        TASK,
        ("raw", "images.parquet", "captions.parquet", "features.parquet", "failed_images.json"),
        ("inventory.parquet", "items.parquet", "traces.parquet", "provenance.json"),
        ("birds",),
        tasks=("birds",),
        job="prepare",
    ),
    Stage(
        "parse_driving",
        TASK,
        ("raw",),
        ("maps.parquet", "games.parquet", "turns.parquet", "provenance.json"),
        ("driving",),
        tasks=("driving",),
        job="parse",
    ),
    Stage(
        "prepare_driving",
        TASK,
        ("games.parquet", "turns.parquet"),
        ("inventory.parquet", "words.parquet", "traces.parquet"),
        ("driving",),
        tasks=("driving",),
        job="prepare",
    ),
    Stage("list_utterances", TASK, _TRACES, ("utterances.parquet",)),
    Stage("train_agent", SEED, _GAME, ("agent.safetensors", "history.parquet"), ("agent", "training", "games")),
    Stage(
        "fit_robot_speaker",
        SEED,
        (*_GAME, "agent.safetensors"),
        ("robot_speaker.safetensors",),
        ("speakers", "messages", "games"),
    ),
    Stage("fit_human_model", SEED, _TRACES, ("human_{model}.safetensors",), ("speakers",), job="fit_human_{model}"),
    Stage(
        "sample_messages",
        SEED,
        (*_GAME, "agent.safetensors"),
        ("messages.parquet", "contexts.parquet"),
        ("messages", "games"),
    ),
    Stage(
        "analyse_protocol",
        SEED,
        (*_TRACES, "colors.parquet", "provenance.json", "robot_speaker.safetensors", "messages.parquet"),
        ("protocol.parquet", "protocol.png"),
    ),
    Stage(
        "ablate",
        SEED,
        (*_TRACES, *_TALK, "provenance.json", "agent.safetensors", "human_listener.safetensors", "utterances.parquet"),
        ("ablation.parquet",),
        ("ablation", "criteria", "evaluation"),
    ),
    Stage("choose_criteria", TASK, ("ablation.parquet",), ("criteria.parquet",), ("criteria",)),
    Stage(
        "score_dictionary",
        SEED,
        (*_GAME, *_TALK, "inventory.parquet", "utterances.parquet", "criteria.parquet"),
        ("dictionary.parquet", "meanings.parquet"),
        ("dictionary",),
    ),
    Stage(
        "synthesise",
        SEED,
        (*_GAME, *_TALK, "inventory.parquet", "utterances.parquet", "criteria.parquet", "agent.safetensors"),
        _SYNTHESIS,
        ("synthesis", "agent", "dictionary"),
    ),
    Stage(
        "evaluate_belief",
        SEED,
        (*_TRACES, *_PLAY, *_SYNTHESIS, "robot_speaker.safetensors", "human_listener.safetensors"),
        ("belief_{split}.parquet",),
        ("messages", "evaluation"),
        job="evaluate_belief_{split}",
    ),
    Stage(
        "evaluate_behavior",
        SEED,
        (*_TRACES, *_PLAY),
        ("behavior_{split}.parquet",),
        ("messages", "games", "evaluation"),
        tasks=("driving",),
        job="evaluate_behavior_{split}",
    ),
    Stage(
        "measure_bound",
        SEED,
        (*_GAME, *_TALK, "inventory.parquet", "provenance.json", "dictionary.parquet", "belief_test.parquet"),
        ("bound.parquet",),
        ("ablation", "examples"),
    ),
    Stage(
        "draw_color_examples",
        SEED,
        (*_EXAMPLES, "colors.parquet"),
        ("examples.parquet",),
        ("examples",),
        tasks=("colors",),
        figures=("figure_6_colors_seed{seed}",),
        job="draw_examples",
    ),
    Stage(
        "draw_bird_examples",
        SEED,
        (*_EXAMPLES, "raw", "images.parquet", "items.parquet"),
        ("examples.parquet",),
        ("examples",),
        tasks=("birds",),
        figures=("figure_2_birds_seed{seed}",),
        job="draw_examples",
    ),
    Stage(
        "draw_driving_examples",
        SEED,
        (*_EXAMPLES, "maps.parquet"),
        ("examples.parquet",),
        ("examples",),
        tasks=("driving",),
        figures=("figure_7_driving_seed{seed}",),
        job="draw_examples",
    ),
    Stage(
        "watch_driving",
        SEED,
        (*_TRACES, *_PLAY, "contexts.parquet", "robot_speaker.safetensors", "human_speaker.safetensors"),
        ("watched.parquet", "game_robots.png", "game_mixed.png", "game_robots.gif"),
        ("examples", "games"),
        tasks=("driving",),
        job="watch",
    ),
    Stage(
        "gather_report",
        SEED,
        (
            *_TRACES,
            *_PLAY,
            *_SYNTHESIS,
            "colors.parquet",
            "raw",
            "images.parquet",
            "watched.parquet",
            "history.parquet",
            "robot_speaker.safetensors",
            "human_speaker.safetensors",
            "human_listener.safetensors",
            "protocol.parquet",
        ),
        ("report.json",),
        ("examples",),
        only={"raw": "birds"},
    ),
    Stage(
        "tabulate",
        RUN,
        ("belief_test.parquet", "behavior_test.parquet"),
        (
            "tables/belief.parquet",
            "tables/behavior.parquet",
            "tables/comparison.csv",
            "tables/comparison.tex",
            "tables/comparison.html",
            "tables/comparison.md",
        ),
        only={"tables/behavior.parquet": "driving"},
        job="tables/tabulate",
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
        figures=("table_1a", "table_1b", "table_2", "table_3"),
        only={"table_1a": "colors", "table_1b": "birds", "table_2": "driving", "table_3": "driving"},
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
