"""Functions that make no array call none that does, and compiled code is forgotten when what it calls has changed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from rummikub_env import kernels
from rummikub_env.kernels.boards import bits_set
from rummikub_env.kernels.compiling import cache_folder, forget_other_code

KERNELS = Path(kernels.__file__).parent
HARMLESS = {"int64", "float32"}
"""Names of NumPy that make no array."""


def functions(path):
    """The functions of a module, and those that it imports by name from other modules of the package."""
    tree = ast.parse(path.read_text("utf-8"))
    own = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    imported = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("rummikub_env.kernels."):
            other = functions(KERNELS / f"{node.module.rpartition('.')[2]}.py")
            imported |= {alias.name: other[alias.name] for alias in node.names if alias.name in other}
    return imported | own


def is_leaf(function):
    return any(ast.unparse(decorator) in ("leaf", "inlined") for decorator in function.decorator_list)


def called(function):
    return [node.func for node in ast.walk(function) if isinstance(node, ast.Call)]


def test_a_leaf_calls_only_leaves():
    seen = 0
    for path in KERNELS.glob("*.py"):
        known = functions(path)
        for function in filter(is_leaf, known.values()):
            seen += 1
            for name in called(function):
                if isinstance(name, ast.Attribute):
                    assert name.attr in HARMLESS, f"{path.name}: {function.name} calls {ast.unparse(name)}"
                elif name.id in known:
                    assert is_leaf(known[name.id]), f"{path.name}: {function.name} calls {name.id}"
    assert seen > 50


def test_a_leaf_returns_no_array_that_it_is_given():
    for path in KERNELS.glob("*.py"):
        for function in filter(is_leaf, functions(path).values()):
            arrays = {
                node.value.id
                for node in ast.walk(function)
                if isinstance(node, ast.Subscript | ast.Attribute) and isinstance(node.value, ast.Name)
            }
            returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
            parts = [part for value in returned for part in getattr(value, "elts", [value])]
            names = {part.id for part in parts if isinstance(part, ast.Name)}
            assert not names & arrays, f"{path.name}: {function.name} returns {names & arrays}"


@pytest.fixture
def compiled(tmp_path):
    """Two modules, and the index of code that was compiled of them."""
    sources, cache = tmp_path / "sources", tmp_path / "cache"
    sources.mkdir()
    for name in ("low", "high"):
        (sources / f"{name}.py").write_text(f"name = {name!r}\n")
    forget_other_code(sources, cache)
    (cache / "high.function-1.py311.nbi").touch()
    return sources, cache


def test_code_is_kept_while_no_source_changes(compiled):
    sources, cache = compiled
    (sources / "low.py").touch()
    forget_other_code(sources, cache)
    assert list(cache.glob("*.nbi"))


@pytest.mark.parametrize("changed", ["low.py", "new.py"])
def test_all_code_is_forgotten_when_a_source_changes(compiled, changed):
    sources, cache = compiled
    (sources / changed).write_text("changed = True\n")
    forget_other_code(sources, cache)
    assert not list(cache.glob("*.nbi"))
    (cache / "high.function-1.py311.nbi").touch()
    forget_other_code(sources, cache)
    assert list(cache.glob("*.nbi"))


@pytest.mark.parametrize("error", [PermissionError, FileNotFoundError])
def test_what_cannot_be_removed_is_left(compiled, monkeypatch, error):
    def refuse(path, *_):
        raise error(str(path))

    sources, cache = compiled
    (sources / "low.py").write_text("changed = True\n")
    monkeypatch.setattr(Path, "unlink", refuse)
    forget_other_code(sources, cache)
    assert list(cache.glob("*.nbi"))


def test_the_folder_is_that_of_numba():
    folder = cache_folder()
    assert folder is None or folder == Path(bits_set.stats.cache_path)
    assert folder is not None or os.environ.get("NUMBA_DISABLE_JIT") == "1"


PLAY = """
import numpy as np
from numba.core.runtime import rtsys
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.policy import TEMPO, Policy
from rummikub_env.rollouts import rollout
from rummikub_env.rules import rules_of
from rummikub_env.state import deal, view

env, rng = VectorEnv(8, num_players=2, seed=0), np.random.default_rng(0)
batch, state, kept = env.reset(), deal(rules_of("sabra"), 2, 0), []
for step in range(200):
    batch = env.step((rng.random(batch.action_masks.shape) * batch.action_masks).argmax(axis=1))
    if step % 50 == 49:
        rollout(view(state, state.to_move), None, [TEMPO, Policy()], step, 2)
        stats = rtsys.get_allocation_stats()
        kept.append(stats.alloc - stats.free)
print(*kept)
"""


def test_what_is_allocated_is_freed():
    done = subprocess.run(
        [sys.executable, "-c", PLAY],
        env={**os.environ, "NUMBA_NRT_STATS": "1"},
        cwd=KERNELS.parent.parent,
        capture_output=True,
        text=True,
        check=True,
    )
    kept = done.stdout.split()
    assert len(kept) == 4
    assert kept[0] == kept[-1], f"arrays that are kept after 50, 100, 150 and 200 steps: {kept}"
