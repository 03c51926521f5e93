"""Rule sets as text a person reads: a line for each preset, a page for one.

The page is `RuleSet` itself: the chapters and the sentences are those written at its fields.
"""

import ast
import inspect
from collections.abc import Iterator, Mapping
from textwrap import fill
from typing import Literal, NamedTuple, get_args, get_origin, get_type_hints

from rummikub_env.rules import RuleSet

_WIDTH = 100


class _Entry(NamedTuple):
    """A field of `RuleSet` as its source tells it."""

    chapter: str
    field: str
    sentence: str


def overview(presets: Mapping[str, RuleSet]) -> str:
    """One line for each preset."""
    longest = max(map(len, presets))
    return "\n".join(f"{name:{longest}}  {summary(rules)}" for name, rules in presets.items())


def summary(rules: RuleSet) -> str:
    """The rules in a few words."""
    return (
        f"{rules.players_min} to {rules.players_max} players, {rules.tiles.total} tiles, "
        f"racks of {rules.rack_size}, opening worth {rules.initial_meld_points}, "
        f"jokers on the table: {rules.joker_release}"
    )


def page(rules: RuleSet) -> str:
    """All rules with their values, chapter by chapter."""
    lines = [rules.name, "=" * len(rules.name), summary(rules)]
    chapter = ""
    for entry in _entries():
        if entry.chapter != chapter:
            chapter = entry.chapter
            lines += ["", chapter, "-" * len(chapter)]
        lines.append(f"{entry.field:<28} {_value(rules, entry.field)}")
        if entry.sentence:
            lines.append(fill(entry.sentence, _WIDTH, initial_indent="    ", subsequent_indent="    "))
    return "\n".join(lines)


def _value(rules: RuleSet, field: str) -> str:
    """The value of a field; where there is a choice, all that it may be."""
    value = getattr(rules, field)
    text = "none" if value is None else str(value)
    choice = _TYPES[field]
    return f"{text}  ({' | '.join(get_args(choice))})" if get_origin(choice) is Literal else text


_TYPES = get_type_hints(RuleSet)


def _entries() -> Iterator[_Entry]:
    """The fields in order, each with the comment line above its chapter and the docstring below it."""
    source = inspect.getsource(RuleSet)
    definition = ast.parse(source).body[0]
    assert isinstance(definition, ast.ClassDef)
    chapters = {
        number: line.strip("# ") for number, line in enumerate(source.splitlines(), 1) if line.startswith("    # ")
    }
    for node, below in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            chapter = chapters[max(number for number in chapters if number < node.lineno)]
            yield _Entry(chapter, node.target.id, _docstring(below))


def _docstring(node: ast.stmt) -> str:
    """The text of a statement that is nothing but a string, in one line."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return " ".join(str(node.value.value).split())
    return ""
