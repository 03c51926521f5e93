"""Functions that make no array call none that does, and compiled code is forgotten when what it calls has changed."""

import ast
import os
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
