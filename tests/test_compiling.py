"""Functions that make no array call none that does, and compiled code is forgotten when what it calls has changed."""

import ast
import os
import subprocess
import sys
from pathlib import Path

from rummikub_env import kernels
from rummikub_env.kernels.compiling import caches, stale

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
    return any(ast.unparse(decorator) == "leaf" for decorator in function.decorator_list)


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


def test_code_is_stale_when_what_it_calls_is_newer(tmp_path):
    package, cache = tmp_path / "package", tmp_path / "cache"
    package.mkdir()
    cache.mkdir()
    prefix = "from rummikub_env.kernels."
    for name, text in {"low": "", "middle": f"{prefix}low import a\n", "high": f"{prefix}middle import b\n"}.items():
        (package / f"{name}.py").write_text(text)
        (cache / f"{name}.function-1.py311.nbi").touch()
        os.utime(package / f"{name}.py", (100, 100))
        os.utime(cache / f"{name}.function-1.py311.nbi", (200, 200))
    assert not list(stale(package, [cache]))
    os.utime(package / "middle.py", (300, 300))
    assert sorted(index.name.partition(".")[0] for index in stale(package, [cache])) == ["high", "middle"]
    os.utime(package / "low.py", (300, 300))
    assert len(list(stale(package, [cache]))) == 3


def test_nothing_is_stale_after_the_import():
    assert not list(stale(KERNELS, caches(KERNELS)))


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
