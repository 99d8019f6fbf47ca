"""The site builds without a warning, and loads nothing from elsewhere."""

import os
import re
import subprocess
import sys

import pytest
import yaml
from pages import ROOT

pytest.importorskip("mkdocs", reason="mkdocs is not installed; it comes with the extra `docs`")
pytest.importorskip("mkdocstrings", reason="mkdocstrings is not installed; it comes with the extra `docs`")
pytest.importorskip("material", reason="mkdocs-material is not installed; it comes with the extra `docs`")

pytestmark = pytest.mark.slow  # builds the site
LOADED = re.compile(r"""<(?:script|img|iframe|source)[^>]*\ssrc=["']?(?:https?:)?//""")
STYLED = re.compile(r"""<link[^>]*rel=["']?(?:stylesheet|preconnect|icon)[^>]*href=["']?(?:https?:)?//""")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_of_the_navigation_is_there(site):
    wanted = re.findall(r"([\w-]+)\.md", yaml.safe_dump(yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]))
    assert len(wanted) > 25
    for name in wanted:
        assert (site / f"{name}.html").is_file(), name


def test_nothing_is_loaded_from_elsewhere(site):
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not LOADED.search(text), path.name
        assert not STYLED.search(text), path.name
    for path in (site / "assets/stylesheets").rglob("*.css"):
        assert "url(http" not in path.read_text(encoding="utf-8"), path.name


def test_pages_from_elsewhere_and_from_the_code_are_in_it(site):
    assert "speaker_sees" in (site / "config.html").read_text(encoding="utf-8")
    assert "over_control_error" in (site / "files.html").read_text(encoding="utf-8")
    assert "same-guess" in (site / "tour.html").read_text(encoding="utf-8")
    api = (site / "api.html").read_text(encoding="utf-8")
    for name in ("Translator", "Recording", "Run", "to_neuralese", "contexts"):
        assert name in api
