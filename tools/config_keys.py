"""Write the table of every key into config/README.md, from the models in src/neuralese/config.

python tools/config_keys.py
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from neuralese import tasks
from neuralese.config.models import EACH, TASKS, Config, Family, config_model
from neuralese.config.section import Section
from neuralese.translate.criteria import KINDS

PAGE = Path(__file__).parents[1] / "config" / "README.md"
BEGIN = "<!-- keys: made by `python tools/config_keys.py` from src/neuralese/config/models.py; edit that instead -->\n"
END = "<!-- end of keys -->\n"
HEAD = ["key", "meaning", "default", "how to choose it"]

MATCHED = {
    "belief": "beliefs (`belief`)",
    "direct": "co-occurrence (`direct`)",
    "pmi": "co-occurrence, divided by the frequency of the translation (`pmi`)",
    "random": "nothing (`random`)",
}


def model() -> type[Config]:
    """The model of a config of our own tasks and criteria."""
    return config_model({name: tasks.sections()[name] for name in TASKS}, KINDS)


def rows(sections: Mapping[str, Any], of: str = "") -> Iterator[list[str]]:
    """The rows of one section, or of the same section of several tasks: its own keys, then its subsections."""
    first = next(iter(sections.values()))
    fields = {name: field for each in sections.values() for name, field in type(each).model_fields.items()}
    inner = {name: getattr(first, name, None) for name in sorted(fields, key=lambda name: name not in ("data", *TASKS))}
    for name, field in fields.items():
        if not isinstance(inner[name], Section) and name != "criteria":
            having = {task: getattr(each, name) for task, each in sections.items() if hasattr(each, name)}
            yield row(f"`{name}`", field, having)
    for name, value in inner.items():
        if isinstance(value, Section):
            each = name in EACH and not of
            title = f"**{name}**{f' of {of}' if of else ''}{', for each task' if each else ''}"
            yield [title, (type(value).__doc__ or "").replace("|", "\\|"), "", ""]
            yield from rows(dict(value) if each else {"": value}, name)
        elif name == "criteria":
            yield row("**criteria**, by a name of your choice", fields[name], {"": value})
            yield ["`kind`", f"What is matched: {', '.join(MATCHED[kind] for kind in KINDS)}.", "", ""]
            yield row("`role`", Family.model_fields["role"], {})
            options = {name: field for kind in KINDS.values() for name, field in kind.__pydantic_fields__.items()}
            for option, field in options.items():
                yield row(f"`{option}`", field, {"": field.default})


def row(key: str, field: FieldInfo, defaults: Mapping[str, Any]) -> list[str]:
    """The row of a key, whose default may differ from task to task."""
    having: dict[str, list[str]] = {}
    for task, value in defaults.items():
        having.setdefault(shown(value), []).append(task)
    several = "; ".join(f"{', '.join(names)} {text}" for text, names in having.items())
    extra: Any = field.json_schema_extra
    cells = (field.description or "", "".join(having) if len(having) < 2 else several, extra["advice"])
    return [key, *(cell.replace("|", "\\|") for cell in cells)]


def shown(value: Any) -> str:
    """A default, in a cell."""
    if value is None or value == {}:
        return ""
    if isinstance(value, dict):
        return "those of `config.yaml`"
    return f"`{value if isinstance(value, str) else json.dumps(value).replace(chr(34), '')}`"


def page() -> str:
    """The page with its table renewed."""
    before, _, rest = PAGE.read_text(encoding="utf-8").partition("<!-- keys: ")
    cells = [HEAD, ["---"] * len(HEAD), *rows({"": model()()})]
    table = "".join(f"| {' | '.join(each)} |\n".replace("|  |", "| |").replace("|  |", "| |") for each in cells)
    return f"{before}{BEGIN}\n{table}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    print(f"{PAGE.name}: {page().count(chr(10))} lines")
