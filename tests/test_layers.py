"""The layer law: a module imports only from lower layers or from its own sub-package, never in a circle."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

LAYERS = {
    "rummikub_env.startup": 0,
    "rummikub_env.tiles": 0,
    "rummikub_env.kernels": 0,
    "rummikub_env.rules": 1,
    "rummikub_env.reasons": 1,
    "rummikub_env.sources": 2,
    "rummikub_env.rulesheet": 3,
    "rummikub_env.sets": 2,
    "rummikub_env.solvable": 2,
    "rummikub_env.pool": 2,
    "rummikub_env.wrapping": 2,
    "rummikub_env.dealing": 3,
    "rummikub_env.opening": 3,
    "rummikub_env.beginnings": 4,
    "rummikub_env.frozen": 3,
    "rummikub_env.judge": 4,
    "rummikub_env.laying": 4,
    "rummikub_env.terms": 3,
    "rummikub_env.boards": 4,
    "rummikub_env.fates": 5,
    "rummikub_env.questions": 6,
    "rummikub_env.arranging": 7,
    "rummikub_env.solver": 8,
    "rummikub_env.state": 4,
    "rummikub_env.game": 9,
    "rummikub_env.match": 9,
    "rummikub_env.objectives": 10,
    "rummikub_env.player": 10,
    "rummikub_env.record": 10,
    "rummikub_env.actions": 10,
    "rummikub_env.observations": 10,
    "rummikub_env.render": 10,
    "rummikub_env.envs": 11,
    "rummikub_env.registration": 0,
    "rummikub_env.rummikub_v0": 12,
    "rummikub_env.policy": 11,
    "rummikub_env.turns": 10,
    "rummikub_env.rollouts": 12,
    "rummikub_env": 13,
    "rummikub_env.casetext": 10,
    "rummikub_env.cases": 13,
    "rummikub_env.bench": 14,
    "rummikub_env.__main__": 15,
    "agents": 15,
    "agents.learning": 16,
    "agents.evaluation": 16,
    "train": 18,
    "evaluate": 17,
}
ONLY_IN = {
    "torch": ("agents.network", "agents.learned", "agents.learning"),
    "numba": ("rummikub_env.kernels",),
    "pettingzoo": ("rummikub_env.envs", "rummikub_env.registration"),
    "gymnasium": ("rummikub_env.envs", "rummikub_env.registration"),
}


def module_files():
    packages = [*ROOT.glob("rummikub_env/**/*.py"), *ROOT.glob("agents/**/*.py")]
    return sorted([*packages, *ROOT.glob("*.py")])


def module_name(path):
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in module_files()}


def layer_of(name):
    """The layer of the longest listed beginning of a module's name; the bare package is listed for itself."""
    while name not in LAYERS:
        name = name.rpartition(".")[0]
        if name in ("", "rummikub_env"):
            raise KeyError("say in which layer a new module lies")
    return LAYERS[name]


def imported(path):
    """The modules that a file imports, each as the longest name that is a module."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: import by full name"
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield full if full in MODULES else node.module


def sub_package(name):
    """``rummikub_env.actions`` for all that lies in it, ``agents`` for its players, else the module."""
    parts = name.split(".")
    return ".".join(parts[:2]) if len(parts) > 2 or (name in MODULES and is_package(name)) else name


def is_package(name):
    return MODULES[name].name == "__init__.py"


@pytest.mark.parametrize("name", MODULES)
def test_imports_point_down(name):
    own = layer_of(name)
    for target in imported(MODULES[name]):
        if target in MODULES and sub_package(target) != sub_package(name):
            same_level = (
                target.split(".")[0] == name.split(".")[0] == "agents" and layer_of(target) == own == LAYERS["agents"]
            )
            assert layer_of(target) < own or same_level, f"{name} (layer {own}) imports {target}"


@pytest.mark.parametrize("name", [n for n in MODULES if n.split(".")[0] == "agents"])
def test_players_never_import_envs(name):
    if layer_of(name) == LAYERS["agents"]:
        assert not [target for target in imported(MODULES[name]) if target.startswith("rummikub_env.envs")]


@pytest.mark.parametrize("library", ONLY_IN)
def test_heavy_libraries_stay_where_they_belong(library):
    users = {name for name, path in MODULES.items() if library in {t.split(".")[0] for t in imported(path)}}
    assert {name for name in users if not name.startswith(ONLY_IN[library])} == set()


def test_importing_the_package_loads_nothing_heavy():
    heavy = "{'torch', 'numba', 'pettingzoo', 'gymnasium', 'matplotlib'}"
    code = f"import sys; from rummikub_env import *; assert not {heavy} & set(sys.modules), sys.modules.keys()"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_importing_the_environment_does_not_load_numba():
    code = "import sys; from rummikub_env import rummikub_v0; assert not {'torch', 'numba'} & set(sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


def test_imports_have_no_circle():
    below = {name: {t for t in imported(path) if t in MODULES and t != name} for name, path in MODULES.items()}
    while below:
        ready = {name for name, targets in below.items() if not targets & below.keys()}
        assert ready, f"a circle among {sorted(below)}"
        below = {name: targets for name, targets in below.items() if name not in ready}
