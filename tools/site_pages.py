"""What `mkdocs.yml` cannot say: pages of the site that live where their readers look for them, outside docs/.

Links between pages are written as they are in the repository, so that they work there; here they become links of the
site, and those to files that have no page there become the names of these files.
"""

import json
import posixpath
import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
DOCS = "docs"
PAGES = {  # in the repository: in the site
    "config/README.md": "config.md",
    "results/README.md": "files.md",
    "benchmarks/results.md": "speed.md",
    "benchmarks/equivalence.md": "equivalence.md",
    "examples/shapes/README.md": "examples-shapes.md",
    "examples/mpe/README.md": "examples-mpe.md",
    "examples/autoencoder/README.md": "examples-autoencoder.md",
    "examples/colors_as_corpus/README.md": "examples-colors.md",
    "examples/tour.ipynb": "tour.md",
    "CHANGELOG.md": "changes.md",
}
CODE = re.compile(r"(^```.*?^```|^ {4}[^\n]*$|`[^`\n]+`)", re.M | re.S)
STAR = re.compile(r"(?<![\w*\\])([RH])\*(?![\w*])")  # models of R and H, whose stars are no emphasis
PAIR = re.compile(r"\b([RH](?:\\\*)?) → (?=[RH]\b)")  # who speaks to whom, not to be broken over two lines
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages from elsewhere."""
    for source, uri in PAGES.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, uri, content=notebook(text) if source.endswith(".ipynb") else text))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Turn the repository's links into the site's."""
    uri = page.file.src_uri
    source = next((path for path, there in PAGES.items() if there == uri), f"{DOCS}/{uri}")

    def rewritten(found: re.Match) -> str:
        text, target, anchor = found.group(1), found.group(2), found.group(3) or ""
        if re.match(r"[a-z]+:", target):
            return found.group(0)
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), target))
        there = PAGES.get(path) or (path.removeprefix(f"{DOCS}/") if path.startswith(f"{DOCS}/") else None)
        if there:
            return f"[{text}]({there}{anchor})"
        return text if text.startswith("`") else f"`{path}`" if (ROOT / path).exists() else found.group(0)

    return spelled(LINK.sub(rewritten, markdown))


def spelled(markdown: str) -> str:
    """R* and H* with stars, and pairs on one line, except in code."""
    parts = CODE.split(markdown)
    for place in range(0, len(parts), 2):
        parts[place] = PAIR.sub("\\1\u00a0→\u00a0", STAR.sub(r"\1\*", parts[place]))
    return "".join(parts)


def notebook(text: str) -> str:
    """A notebook as Markdown: what it says, and its code."""
    parts = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        parts.append(f"```python\n{source}\n```" if cell["cell_type"] == "code" else source)
    return "\n\n".join(parts) + "\n"
