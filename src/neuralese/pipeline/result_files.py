"""What the files are that every task has, and those of a run as a whole; those of one task are described with it."""

from neuralese.storage.described import Described, table

# of a task and of each of its seeds
OF_TASKS = {
    "raw": Described("The raw data, as it was fetched, with `source.json`: from where, and a digest of each file."),
    "provenance.json": Described("Where the data came from: which set, source, digest, rows, licence, time."),
    "inventory.parquet": table("inventory", "The phrases there are."),
    "items.parquet": table("items", "What can be spoken of."),
    "traces.parquet": table("traces", "What humans said of it, a row for each time that one spoke."),
    "utterances.parquet": table("utterances", "The sets of phrases that humans said at once."),
    "criteria.parquet": table("criteria", "Which member of each family dev chose, and why."),
    "history.parquet": table("history", "Learning curves."),
    "agent.safetensors": Described("The agent."),
    "robot_speaker.safetensors": Described("p(z|x) of the robot."),
    "human_speaker.safetensors": Described("p(z|x) of humans."),
    "human_listener.safetensors": Described("The model human, H*."),
    "messages.parquet": table("messages", "What the agent says, and in which states: a column for each part of those."),
    "contexts.parquet": table("contexts", "The contexts in which messages are compared, with the columns of a state."),
    "meanings.parquet": table("meanings", "What both languages say in each candidate of each context."),
    "dictionary.parquet": table(
        "dictionary",
        "The best translations, both directions, every criterion. Its metadata hold the criteria's settings.",
    ),
    "synthesis.parquet": table(
        "dictionary", "Translations nobody said: bags of phrases for messages, and new messages for what humans say."
    ),
    "bags.parquet": table("bags", "These bags of phrases."),
    "new_messages.parquet": table("messages", "These new messages, made by gradient descent."),
    "ablation.parquet": table("ablation", "Every member of every criterion, on dev and test."),
    "belief_test.parquet": table("belief", "How often listeners guess the speaker's state, on test."),
    "relay.parquet": table("relay", "Two robots, with every message put into English and back."),
    "bound.parquet": table("bound", "What Proposition 1 says of this task, beside what was lost."),
    "protocol.parquet": table("protocol", "How much the messages say, and about what: see docs/measures.md."),
    "protocol.png": Described("The same as a picture."),
    "examples.parquet": table("examples", "States with the robot's message in English, as in `figures/examples_*`."),
    "report.json": Described("What the report shows of this task and seed."),
}

# of a run
OF_RUNS = {
    "tables/belief.parquet": table("belief", "`belief_test.parquet` of all tasks and seeds."),
    "tables/behavior.parquet": table(
        "behavior", "How robots play with humans whose messages are translated, all seeds."
    ),
    "tables/relay.parquet": table("relay", "`relay.parquet` of all tasks and seeds."),
    "tables/listening.parquet": table(
        "listening", "A robot with a model human who listens, through a translator, all seeds."
    ),
    "tables/ablation.parquet": table("ablation", "`ablation.parquet` of all tasks and seeds."),
    "tables/criteria.parquet": table("criteria", "`criteria.parquet` of all tasks."),
    "tables/bound.parquet": table("bound", "`bound.parquet` of all tasks and seeds."),
    "tables/comparison.csv": Described("Every figure beside the paper's."),
    "tables/comparison.md": Described("The same in Markdown."),
    "tables/comparison.tex": Described("The same for LaTeX."),
    "tables/comparison.html": Described("The same as a page."),
    "theory/proposition_1.parquet": table("proposition_1", "Proposition 1 on random games, a row for each message."),
    "theory/proposition_2.parquet": table("proposition_2", "Proposition 2 on random games."),
    "report/index.html": Described("The report: one file that opens from disk."),
    "sweep/{table}.parquet": Described(
        "`belief`, `behavior`, `protocol` and `ablation` of all points of a sweep, with a column for each swept value."
    ),
    "sweep/sweep.png": Described("A figure of the sweep."),
}

# of a run, as SVG and PNG below `figures`; a star stands for the number of a table of the paper, or for a task
FIGURES = {
    "examples_{task}_seed{seed}": Described("Example translations, drawn."),
    "ablation": Described("Every criterion on every task."),
    "theory": Described("The propositions on random games."),
    "table_*": Described("The paper's tables beside ours, drawn."),
}

# what else is there
FOLDERS = {
    "config.json": "The config of the run, with all defaults.",
    "logs/": "What each job said.",
    "benchmarks/": "What each job cost.",
    "play/": "Games that were played with `neuralese play`.",
    "sweep/<key>=<value>/": "The files of one point of a sweep, laid out as here.",
    ".checkpoints/": "Where trainings go on that were cut off.",
}
