"""Checkpoint files: a tree of arrays and plain values, as data.

A checkpoint is one safetensors file: named arrays, and a JSON text for all else. Nothing in it is
ever executed, and it is written whole or not at all.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from agents.files import write_whole

FORMAT = "rummikub-env checkpoint 1"
"""The key of the JSON text in the file; changes whenever what a checkpoint holds changes."""


class CheckpointError(ValueError):
    """A file that is no checkpoint, is damaged, or belongs to another game."""


def save_checkpoint(path: Path, tree: Mapping[str, Any]) -> None:
    """Write a tree of dicts with text keys, lists, JSON values and NumPy arrays; replaces `path` at once."""
    arrays: dict[str, NDArray[Any]] = {}
    text = json.dumps(_without_arrays(tree, "", arrays))
    write_whole(path, save(arrays, {FORMAT: text}))


def load_checkpoint(path: Path) -> dict[str, Any]:
    """The tree that `save_checkpoint` wrote; CheckpointError says what is wrong with the file."""
    if not path.is_file():
        raise CheckpointError(f"there is no checkpoint {path}")
    try:
        with safe_open(path, "numpy") as file:
            about = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - it is no mapping
    except (SafetensorError, OSError, TypeError) as error:
        raise CheckpointError(f"{path} is not a checkpoint, or it is damaged ({error})") from None
    if FORMAT not in about:
        raise CheckpointError(f"{path} is not of the format {FORMAT!r}")
    try:
        tree = _with_arrays(json.loads(about[FORMAT]), arrays)
    except (KeyError, ValueError, RecursionError) as error:
        raise CheckpointError(f"{path} is damaged ({error!r})") from None
    if not isinstance(tree, dict):
        raise CheckpointError(f"{path} is damaged (it holds no settings)")
    return tree


def _without_arrays(tree: Any, name: str, arrays: dict[str, NDArray[Any]]) -> Any:
    """The tree as JSON values; its arrays go to `arrays`, and {"array": name} takes their place."""
    match tree:
        case np.ndarray():
            arrays[name] = np.asarray(tree, order="C")  # safetensors writes the buffer as it lies
            return {"array": name}
        case Mapping():
            return {key: _without_arrays(value, f"{name}/{key}", arrays) for key, value in tree.items()}
        case list() | tuple():
            return [_without_arrays(value, f"{name}/{i}", arrays) for i, value in enumerate(tree)]
        case _:
            return tree


def _with_arrays(tree: Any, arrays: Mapping[str, NDArray[Any]]) -> Any:
    """The inverse of `_without_arrays`; KeyError when an array is missing."""
    match tree:
        case {"array": str(name)} if len(tree) == 1:
            return arrays[name]
        case dict():
            return {key: _with_arrays(value, arrays) for key, value in tree.items()}
        case list():
            return [_with_arrays(value, arrays) for value in tree]
        case _:
            return tree
