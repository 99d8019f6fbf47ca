"""The one step of the build that pyproject.toml cannot say: the workflow goes into the wheel with the library.

In the repository the workflow is at the top, where Snakemake and its users look for it; an editable install finds it
there. In a wheel it is in `neuralese/packaged`. Both places are known to src/neuralese/cli/packaged.py.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

PARTS = ("Snakefile", "workflow", "config", "profiles")


class BuildWithWorkflow(build_py):
    """Builds the library, and copies the workflow beside it unless the install is editable."""

    def run(self) -> None:
        """Build."""
        super().run()
        if self.editable_mode:
            return
        packaged = Path(self.build_lib) / "neuralese" / "packaged"
        shutil.rmtree(packaged, ignore_errors=True)
        packaged.mkdir(parents=True)
        for part in map(Path, PARTS):
            if part.is_dir():
                shutil.copytree(part, packaged / part, ignore=shutil.ignore_patterns("__pycache__", ".*"))
            else:
                shutil.copy2(part, packaged)


setup(cmdclass={"build_py": BuildWithWorkflow})
