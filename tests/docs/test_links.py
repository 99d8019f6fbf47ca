"""Every link leads somewhere, and every path that a page names is there."""

import re

import pytest
from pages import PAGES, ROOT, Page

PLACES = r"(?:docs|config|examples|benchmarks|tests|tools|workflow|profiles|src/neuralese)"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_files_and_headings_that_are_there(page):
    for link in page.links:
        target, _, anchor = link.partition("#")
        path = (page.path.parent / target).resolve() if target else page.path
        assert path.exists(), f"{page.name} links to {target}, which is not there"
        if anchor:
            assert anchor in Page(path).anchors, f"{page.name} links to {link}, and {path.name} has no such heading"


@pytest.mark.parametrize(
    "page", [page for page in PAGES if page.path.name != "CHANGELOG.md"], ids=lambda page: page.name
)
def test_paths_that_are_named_are_there(page):
    for path in re.findall(rf"`({PLACES}/[\w./-]+)`", page.prose):
        assert (ROOT / path).exists(), f"{page.name} names {path}, which is not there"
