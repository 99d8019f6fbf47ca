"""Python in the pages compiles, imports what there is, and runs where it says all that it needs."""

import ast
from importlib import import_module

import pytest
from pages import PAGES, ROOT, Page

from neuralese.translate.criteria import KINDS

WHOLE = ("idea", "tutorial-corpus", "tutorial-game", "tutorial-criterion")  # pages whose blocks run one after another


def blocks(page: Page) -> list[str]:
    """What is Python in a page: what says so, and indented blocks that import something."""
    fenced = [text for language, text in page.fenced if language == "python"]
    return fenced + [text for text in page.indented if text.startswith(("from ", "import "))]


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: page.name)
def test_blocks_compile_and_import_what_there_is(page):
    for block in blocks(page):
        for node in ast.walk(ast.parse(block)):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module)
                for alias in node.names:
                    assert hasattr(module, alias.name), f"{page.name} imports {alias.name} from {node.module}"


@pytest.fixture
def no_new_kinds():
    """Criteria that a page registers are forgotten."""
    known = dict(KINDS)
    yield
    KINDS.clear()
    KINDS.update(known)


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
@pytest.mark.usefixtures("no_new_kinds")
def test_a_page_that_says_all_it_needs_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    for block in blocks(Page(ROOT / f"docs/{name}.md")):
        exec(compile(block, f"docs/{name}.md", "exec"), names)
