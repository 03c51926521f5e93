"""Rule sets as text a person reads: a line for each preset, a page for one, the differences of two.

The page is `RuleSet` itself: the chapters and the sentences are those written at its fields.
"""

import ast
import inspect
from collections.abc import Iterator
from textwrap import fill
from typing import Literal, NamedTuple, get_args, get_origin, get_type_hints

from rummikub_env.rules import PRESETS, RuleSet, differences, spelled
from rummikub_env.sources import ORIGINS, SOURCES, source_of

_WIDTH = 100


class Clause(NamedTuple):
    """A field of `RuleSet` as its source tells it."""

    chapter: str
    field: str
    sentence: str


def overview() -> str:
    """One line for each preset."""
    longest = max(map(len, PRESETS))
    return "\n".join(f"{name:{longest}}  {ORIGINS[name].about}" for name in PRESETS)


def summary(rules: RuleSet) -> str:
    """The rules in a few words."""
    players = " to ".join(str(n) for n in sorted({rules.players_min, rules.players_max}))
    opening = f"opening worth {rules.initial_meld_points}" if rules.initial_meld_required else "no opening"
    return (
        f"{players} players, {rules.tiles.total} tiles, racks of {rules.rack_size}, {opening}, "
        f"jokers on the table: {rules.joker_release}"
    )


def page(rules: RuleSet) -> str:
    """All rules with their values and sources, chapter by chapter, and the key to the sources."""
    lines = [rules.name, "=" * len(rules.name), summary(rules)]
    chapter = ""
    cited = set()
    for entry in clauses():
        if entry.chapter != chapter:
            chapter = entry.chapter
            lines += ["", chapter, "-" * len(chapter)]
        source = source_of(rules, entry.field)
        cited.update(source.split(", "))
        lines.append(f"{entry.field:<28} {_value(rules, entry.field)}  [{source}]")
        lines.append(fill(entry.sentence, _WIDTH, initial_indent="    ", subsequent_indent="    "))
    keys = [f"{key:<8} {title}" for key, title in SOURCES.items() if key in cited]
    return "\n".join([*lines, "", "Sources", "-------", *keys])


def comparison(first: RuleSet, second: RuleSet) -> str:
    """A line for each rule in which the two differ: its value and source in both."""
    rows = [("", first.name, second.name)]
    rows += [(field, _sourced(first, field), _sourced(second, field)) for field in differences(first, second)]
    if len(rows) == 1:
        return f"{first.name} and {second.name} are the same rules"
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    return "\n".join(f"{a:<{widths[0]}}  {b:<{widths[1]}}  {c}" for a, b, c in rows)


def _sourced(rules: RuleSet, field: str) -> str:
    return f"{spelled(getattr(rules, field))}  [{source_of(rules, field)}]"


def _value(rules: RuleSet, field: str) -> str:
    """The value of a field; where there is a choice, all that it may be."""
    value = getattr(rules, field)
    choices = (False, True) if _TYPES[field] is bool else get_args(_TYPES[field])
    if get_origin(_TYPES[field]) is Literal or _TYPES[field] is bool:
        return f"{spelled(value)}  ({' | '.join(map(spelled, choices))})"
    return spelled(value)


_TYPES = get_type_hints(RuleSet)


def clauses() -> Iterator[Clause]:
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
            yield Clause(chapter, node.target.id, _docstring(below))


def _docstring(node: ast.stmt) -> str:
    """The text of a statement that is nothing but a string, in one line."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return " ".join(str(node.value.value).split())
    return ""
