"""Write requirements.lock: every package neuralese has in this environment, its version, and digests of its files.

    python tools/lock.py            # asks pip, which asks its configured package index
    pip install --require-hashes --no-deps -r requirements.lock
    pip-audit --require-hashes --disable-pip -r requirements.lock

The versions are those installed and tested here; the digests are those of the files that pip would install on
a machine and a Python like these. Where they come from is not recorded.
"""

import json
import platform
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement

LOCK = Path(__file__).parents[1] / "requirements.lock"
ROOT, EXTRAS = "neuralese", ("test",)
HEAD = """\
# Every dependency of neuralese and of its tests, as tested, for Python {python} on {system} ({machine}).
# A version with +cpu is the build without CUDA, which pip finds where its maker keeps such builds (--extra-index-url).
# Made by tools/lock.py; install with: pip install --require-hashes --no-deps -r requirements.lock
"""


def normal(name: str) -> str:
    """The name of a package as indexes spell it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed() -> dict[str, str]:
    """The version of every package that neuralese needs, directly or not, if installed."""
    found: dict[str, str] = {}
    seen, waiting = set(), [(ROOT, frozenset(EXTRAS))]
    while waiting:
        name, extras = waiting.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            package = distribution(name)
        except PackageNotFoundError:
            continue  # belongs to an extra not installed in this environment
        found[normal(name)] = package.version
        for text in package.requires or []:
            asked = Requirement(text)
            if asked.marker is None or any(asked.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
                waiting.append((normal(asked.name), frozenset(asked.extras)))
    found.pop(ROOT)
    return dict(sorted(found.items()))


def digests(versions: dict[str, str]) -> dict[str, list[str]]:
    """The digests of the files that pip would install."""
    with tempfile.TemporaryDirectory() as folder:
        pins, report = Path(folder) / "pins.txt", Path(folder) / "report.json"
        pins.write_text("".join(f"{name}=={version}\n" for name, version in versions.items()))
        asked = ["install", "--dry-run", "--no-deps", "--ignore-installed", "--quiet", "--report", str(report)]
        done = subprocess.run([sys.executable, "-m", "pip", *asked, "-r", str(pins)], capture_output=True, text=True)
        if done.returncode:
            sys.exit("pip could not find all packages; run it by hand to see why: pip install --dry-run .")
        installed = json.loads(report.read_text())["install"]
    return {
        normal(each["metadata"]["name"]): sorted(each["download_info"]["archive_info"]["hashes"].values())
        for each in installed
    }


def main() -> None:
    """Write the lock file."""
    versions = needed()
    known = digests(versions)
    head = HEAD.format(
        python=platform.python_version_tuple()[0] + "." + platform.python_version_tuple()[1],
        system=platform.system(),
        machine=platform.machine(),
    )
    lines = [
        f"{name}=={version} \\\n" + " \\\n".join(f"    --hash=sha256:{each}" for each in known[name])
        for name, version in versions.items()
    ]
    LOCK.write_text(head + "\n".join(lines) + "\n")
    print(f"{LOCK.name}: {len(lines)} packages")


if __name__ == "__main__":
    main()
