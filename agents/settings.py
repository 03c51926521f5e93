"""What command lines and YAML files may say, checked before jsonargparse reads them.

Its own messages name neither the file that cannot be read nor the settings that there are.
"""

from argparse import ArgumentParser
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, get_type_hints

import yaml

Names = dict[str, Any]
"""The settings by name; a group is a `Names` of its own, any other setting None."""


def names_of(settings: Any) -> Names:
    """The names of a dataclass of settings, whose groups are dataclasses too."""
    hints = get_type_hints(settings)
    kinds = {field.name: hints[field.name] for field in fields(settings)}
    return {name: names_of(kind) if is_dataclass(kind) else None for name, kind in kinds.items()}


def check_settings(settings: type, arguments: Sequence[str], options: Sequence[str] = ()) -> None:
    """ValueError for an unknown name on a command line or in a file that it names with --config.

    `options`: what the command line takes besides --config, --help and the settings.
    """
    names = names_of(settings)
    for word in arguments:
        if word.startswith("--"):
            _check_option(word.partition("=")[0], names, ("config", "help", *options))
    for path in _files(arguments):
        _check_names(f"{path}: ", _read(path), names)


def _files(arguments: Sequence[str]) -> list[str]:
    """What stands behind each --config."""
    parser = ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument("--config", action="append", nargs="?", default=[])
    return [path for path in parser.parse_known_args(arguments)[0].config if path is not None]


def _check_option(option: str, names: Names, others: Sequence[str]) -> None:
    """ValueError unless ``--group.name`` is known; what follows a setting that is no group is its own affair."""
    group, level = "", names
    for part in option[2:].split("."):
        if part not in level and (group or part not in others):
            raise ValueError(_unknown(option, group, level))
        if not isinstance(level.get(part), Mapping):
            return
        group, level = f"{group}{part}.", level[part]


def _check_names(where: str, values: Any, names: Names, group: str = "") -> None:
    """ValueError unless `values` are a mapping of known settings, and its groups too."""
    if not isinstance(values, Mapping):
        example = next(name for name, inner in names.items() if inner is None)
        found = "nothing" if values is None else repr(values)
        raise ValueError(
            f"{where}{group.rstrip('.') or 'the file'} must hold settings such as {example}: ..., not {found}"
        )
    for name, value in values.items():
        if name not in names:
            raise ValueError(where + _unknown(f"{group}{name}", group, names))
        if names[name] is not None:
            _check_names(where, value, names[name], f"{group}{name}.")


def _unknown(name: str, group: str, level: Names) -> str:
    return f"unknown setting {name}; there are: {', '.join(f'{group}{known}' for known in level)}"


def _read(path: str) -> Any:
    """The content of a YAML file; ValueError names the file that is none."""
    try:
        return yaml.safe_load(Path(path).read_text(encoding="utf-8"))
    except UnicodeDecodeError:
        raise ValueError(f"{path} is not a text file") from None
    except yaml.MarkedYAMLError as error:
        line = "" if error.problem_mark is None else f"line {error.problem_mark.line + 1}: "
        raise ValueError(f"{path} is not a YAML file: {line}{error.problem}") from None
    except yaml.YAMLError as error:
        raise ValueError(f"{path} is not a YAML file: {error}") from None
