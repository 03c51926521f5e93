"""The programs on a machine that lacks a package, and Ctrl-C before they have begun."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PROGRAMS = {
    "train.py": "sys.argv = ['train.py', '--help']; runpy.run_path('train.py', run_name='__main__')",
    "evaluate.py": "sys.argv = ['evaluate.py', '--help']; runpy.run_path('evaluate.py', run_name='__main__')",
    "rummikub": "sys.argv = ['rummikub', 'rules']; runpy.run_module('rummikub_env', run_name='__main__')",
}
FINDER = """
import runpy, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {package!r}:
            raise {error}

sys.meta_path.insert(0, Finder())
sys.path.insert(0, "")
{program}
"""


def started(program, package, error):
    """A program whose import of a package is an error."""
    code = FINDER.format(package=package, error=error, program=PROGRAMS[program])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT)


@pytest.mark.parametrize(
    ("program", "package"),
    [
        *(("train.py", package) for package in ("numpy", "numba", "torch", "tensorboard", "yaml", "tqdm")),
        *(("train.py", package) for package in ("matplotlib.axes", "jsonargparse", "safetensors", "scipy")),
        *(("evaluate.py", package) for package in ("numpy", "matplotlib.axes", "rich", "scipy")),
        *(("rummikub", package) for package in ("numpy", "numba")),
    ],
)
def test_a_missing_package_is_told_in_a_sentence(program, package):
    ended = started(program, package, f"ModuleNotFoundError('missing', name={package!r})")
    assert ended.returncode == 1
    assert ended.stderr.startswith(f"{program} needs {package.partition('.')[0]}, which is not installed")
    assert "pip install -e '.[train]'" in ended.stderr
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("program", "package"), [("train.py", "torch"), ("evaluate.py", "rich"), ("rummikub", "numba")]
)
def test_ctrl_c_during_the_imports_is_no_traceback(program, package):
    ended = started(program, package, "KeyboardInterrupt")
    assert (ended.returncode, ended.stderr) == (130, f"{program}: stopped\n")
