"""The tasks: colours, birds and driving, corpora, and those of other packages (see `neuralese.tasks.task`)."""

from neuralese.tasks.task import (
    BUILT_IN,
    GROUP,
    RESERVED,
    ReferenceTask,
    Task,
    corpora,
    every,
    forget,
    get,
    homes,
    names,
    sections,
    use_corpora,
)

__all__ = [
    "BUILT_IN",
    "GROUP",
    "RESERVED",
    "ReferenceTask",
    "Task",
    "corpora",
    "every",
    "forget",
    "get",
    "homes",
    "names",
    "sections",
    "use_corpora",
]
