"""A rule set as the kernels see it."""

from functools import lru_cache

from rummikub_env.kernels.tables import WRAPS, tables
from rummikub_env.kernels.terms import Terms
from rummikub_env.rules import RuleSet
from rummikub_env.solvable import check_solvable


@lru_cache(maxsize=256)
def terms_of(rules: RuleSet) -> Terms:
    """What the kernels need to know of the rules; ValueError where the solver cannot answer for them."""
    check_solvable(rules)
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
        tables=tables(
            len(rules.colours),
            rules.copies_per_tile,
            rules.joker_count,
            WRAPS[rules.run_wrap],
            rules.max_group_size,
            not distinct,
        ),
    )
