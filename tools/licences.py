"""Write docs/licences.md: the licence of every package in requirements.lock, as declared by the package itself.

python tools/licences.py
"""

import re
from importlib.metadata import PackageMetadata, PackageNotFoundError, distribution, metadata
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCK, PAGE = ROOT / "requirements.lock", ROOT / "docs" / "licences.md"
LONGEST = 60  # characters of a licence's name; anything longer is its text
HEAD = """\
# Licences of the dependencies

neuralese is under the MIT licence. It does not include the packages below; they are installed alongside it. This table
is made by `python tools/licences.py` from the metadata of each package in `requirements.lock`. Licences with
conditions on distributing modified versions of the package (copyleft) are marked with ▲.

| package | version | licence |
| --- | --- | --- |
"""
WEAK = ("LGPL", "Lesser General Public", "MPL", "Mozilla Public", "GPL", "General Public")
SPELLED = {  # SPDX names of licences, by patterns of how packages spell them
    r"(the )?mit( licen[cs]e)?": "MIT",
    r"apache(( software)? licen[cs]e)?,?( v(ersion )?)?( ?2(\.0)?)?|apache-2\.0": "Apache-2.0",
    r"(3-clause bsd|bsd 3-clause|new bsd|modified bsd)( licen[cs]e)?": "BSD-3-Clause",
    r"(bsd|bsd licen[cs]e)": "BSD",
}


def licence(of: PackageMetadata) -> str:
    """What a package declares: its SPDX expression, else its classifiers, else the name of its licence."""
    if expression := of.get("License-Expression"):
        return expression
    named = [each.rsplit(" :: ", 1)[-1] for each in of.get_all("Classifier") or [] if each.startswith("License :: ")]
    named = [name for name in named if name != "OSI Approved"]
    written = (of.get("License") or "").strip()
    if not named and written and "\n" not in written and len(written) <= LONGEST:
        named = [written]
    named = [name for name in named if name != "UNKNOWN"] or _titles(of["Name"])
    return ", ".join(dict.fromkeys(map(_spelled, named))) or "unknown"


def _titles(package: str) -> list[str]:
    """The first lines of the licences shipped with a package."""
    files = [file for file in distribution(package).files or [] if re.match(r"(?i)licen[cs]e|copying", file.name)]
    lines = [line.strip() for file in files[:1] for line in file.read_text("utf-8").splitlines() if line.strip()]
    return [line for line in lines[:1] if len(line) <= LONGEST]


def _spelled(name: str) -> str:
    for pattern, known in SPELLED.items():
        if re.fullmatch(pattern, name.strip().lower()):
            return known
    return name


def table() -> str:
    """The page."""
    rows = []
    for name, version in re.findall(r"^([a-z0-9-]+)==(\S+)", LOCK.read_text(), re.M):
        try:
            said = licence(metadata(name))
        except PackageNotFoundError:
            said = "not installed here"
        mark = " ▲" if any(word in said for word in WEAK) else ""
        rows.append(f"| {name} | {version} | {said.replace('|', '/')}{mark} |\n")
    return HEAD + "".join(rows)


if __name__ == "__main__":
    PAGE.write_text(table(), encoding="utf-8")
    print(f"{PAGE.name}: {table().count(chr(10)) - HEAD.count(chr(10))} packages")
