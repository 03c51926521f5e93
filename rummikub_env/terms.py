"""A rule set as the kernels see it, and the rules that they cannot answer for."""

from collections.abc import Iterator
from functools import lru_cache

from rummikub_env.kernels import plain
from rummikub_env.kernels.tables import MAX_COPIES, WRAPS, tables
from rummikub_env.kernels.terms import Terms
from rummikub_env.rules import RuleSet


@lru_cache(maxsize=256)
def terms_of(rules: RuleSet) -> Terms:
    """What the kernels need to know of the rules; ValueError where the solver cannot answer for them."""
    _refuse_unsupported(rules)
    jokers = rules.initial_meld_joker
    distinct = rules.group_colours_distinct
    return Terms(
        colours=len(rules.colours),
        values=rules.max_value,
        joker=rules.tiles.joker,
        distinct=int(distinct),
        largest_group=min(rules.max_group_size, len(rules.colours)) if distinct else rules.max_group_size,
        longest_run=min(rules.max_run_length, rules.max_value),
        told=2 if rules.joker_declaration == "required" else 1,
        stay=int(rules.joker_release == "replace"),
        new_sets=int(rules.joker_release == "replace" and rules.joker_reuse == "new_set"),
        from_table=int(rules.joker_replacement_source == "rack_or_table"),
        both_missing=int(rules.joker_group3_release == "both_missing"),
        points=max(1, rules.initial_meld_points),
        frozen=int(rules.joker_set_edits == "add_only"),
        joker_points=int(jokers == "face"),
        no_jokers=int(jokers == "forbidden"),
        tables=tables(len(rules.colours), rules.copies_per_tile, rules.joker_count, WRAPS[rules.run_wrap]),
    )


_NEW_SETS = ("replace", "new_set")


def _refuse_unsupported(rules: RuleSet) -> None:
    """The judge knows these variations, the solver does not: better no answer than a wrong one."""
    if rules.joker_count > 4 or rules.copies_per_tile + rules.joker_count > MAX_COPIES:
        raise ValueError(
            f"the solver does not support {rules.copies_per_tile} copies and {rules.joker_count} jokers; allowed are "
            f"at most 4 jokers, and {MAX_COPIES} copies and jokers together"
        )
    if rules.joker_reuse_min_rack_tiles and rules.joker_release == "replace":
        raise ValueError("the solver does not support joker_reuse_min_rack_tiles; allowed is 0")
    if rules.run_wrap in ("ace_both", "circular") and rules.max_value < 5:
        raise ValueError(f"the solver does not support run_wrap={rules.run_wrap} with a max_value below 5")
    if rules.run_wrap != "none" and rules.initial_meld_points >= 1 << plain.GUESS - plain.FIELD:
        raise ValueError(f"the solver does not support initial_meld_points=4096 or more with run_wrap={rules.run_wrap}")
    if rules.run_wrap != "none" and rules.joker_count and (rules.joker_release, rules.joker_reuse) == _NEW_SETS:
        raise ValueError(
            f"the solver does not support run_wrap={rules.run_wrap} where a replaced joker must lie in a new set; "
            "allowed is joker_reuse=any_set, joker_release=free or joker_count=0"
        )
    for field, value in _unsupported(rules):
        raise ValueError(f"the solver does not support {field}={value} yet")


def _unsupported(rules: RuleSet) -> Iterator[tuple[str, object]]:
    """The rules whose questions the sweep cannot answer exactly, with their values."""
    told = rules.to_dict()
    odd = {
        "max_group_size": rules.max_group_size < min(4, len(rules.colours)),
        "group_colours_distinct": not rules.group_colours_distinct,
        "max_run_length": rules.max_run_length < rules.max_value,
        "max_jokers_per_set": (rules.max_jokers_per_set or rules.joker_count) < rules.joker_count,
        "min_tiles_per_turn": rules.min_tiles_per_turn > 1,
        "joker_set_edits": rules.joker_set_edits == "add_only" and rules.run_wrap != "none" and rules.joker_count > 0,
    }
    return ((field, told[field]) for field, is_odd in odd.items() if is_odd)
