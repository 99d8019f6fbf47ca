"""The pages that people read, and what is in them: headings, links, blocks of code."""

import importlib.util
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
FENCE = re.compile(r"^( *)```(\w*)[^\n]*\n(.*?)^\1```", re.M | re.S)
LINK = re.compile(r"\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")


@dataclass(frozen=True)
class Page:
    """One page, of Markdown or a notebook."""

    path: Path

    @property
    def name(self) -> str:
        return self.path.relative_to(ROOT).as_posix()

    @cached_property
    def text(self) -> str:
        text = self.path.read_text(encoding="utf-8")
        if self.path.suffix != ".ipynb":
            return text
        cells = json.loads(text)["cells"]
        return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")

    @cached_property
    def fenced(self) -> list[tuple[str, str]]:
        """Fenced blocks: language, and what is in them."""
        return [(language, text) for _, language, text in FENCE.findall(self.text)]

    @cached_property
    def prose(self) -> str:
        """The page without its blocks of code."""
        return re.sub(r"(?m)^(?: {4}|\t).*$", "", FENCE.sub("", self.text))

    @cached_property
    def indented(self) -> list[str]:
        """Indented blocks."""
        found = re.findall(r"(?:^ {4,}.*\n|^\n(?= {4}))+", FENCE.sub("", self.text) + "\n", re.M)
        return [re.sub(r"(?m)^ {4}", "", block).strip("\n") for block in found if block.strip()]

    @cached_property
    def anchors(self) -> set[str]:
        """What a link may point to, as GitHub and MkDocs name it."""
        return {slug(title) for title in re.findall(r"^#{1,6} +(.+?) *$", FENCE.sub("", self.text), re.M)}

    @cached_property
    def links(self) -> list[str]:
        """Where links lead that do not leave the project."""
        return [target for target in LINK.findall(self.prose) if not re.match(r"[a-z]+:", target)]


def slug(title: str) -> str:
    """The anchor of a heading."""
    plain = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", title)
    return re.sub(r"\s", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


PAGES = [
    Page(path)
    for pattern in ("*.md", "docs/*.md", "config/*.md", "results/*.md", "benchmarks/*.md", "examples/*/README.md")
    for path in sorted(ROOT.glob(pattern))
] + [Page(ROOT / "examples/tour.ipynb")]


def load(tool: str) -> ModuleType:
    """A module of the folder tools, which is no package."""
    spec = importlib.util.spec_from_file_location(tool, ROOT / f"tools/{tool}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
