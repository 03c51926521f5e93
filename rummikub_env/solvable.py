"""Which rules the solver answers exactly. The judge knows more: better no answer than a wrong one."""

from collections.abc import Iterator

from rummikub_env.rules import RuleSet

MOST_OF_A_KIND = 7
"""The most tiles that may count as one kind, the copies of a tile and all jokers: what 3 bits of a code hold."""
MOST_POINTS = 4095
"""The most points of an opening where runs wrap: what 12 bits of a state hold."""


def check_solvable(rules: RuleSet) -> None:
    """ValueError where the solver does not know these rules; it says what is allowed."""
    for what, allowed in _unsolved(rules):
        raise ValueError(f"the solver does not support {what}; allowed is {allowed}")


def _unsolved(rules: RuleSet) -> Iterator[tuple[str, str]]:
    """What it does not know, and what is allowed instead."""
    copies, jokers, points = rules.copies_per_tile, rules.joker_count, rules.initial_meld_points
    replaced, wrap = jokers > 0 and rules.joker_release == "replace", f"run_wrap={rules.run_wrap}"
    if jokers > 4 or copies + jokers > MOST_OF_A_KIND:
        several = f"at most 4 jokers, and {MOST_OF_A_KIND} copies and jokers together"
        yield f"{copies} copies and {jokers} jokers", several
    if rules.max_run_length < min(5, rules.max_value):  # any longer run can be cut into runs of 3, 4 and 5
        yield f"max_run_length={rules.max_run_length}", f"{min(5, rules.max_value)} or more"
    if rules.max_jokers_per_set is not None and rules.max_jokers_per_set < jokers:
        yield f"max_jokers_per_set={rules.max_jokers_per_set} with {jokers} jokers", f"{jokers} or more, or none"
    if replaced and rules.joker_reuse_min_rack_tiles:
        yield f"joker_reuse_min_rack_tiles={rules.joker_reuse_min_rack_tiles}", "0"
    if rules.run_wrap == "none":
        return
    if rules.run_wrap != "ace_high" and rules.max_value < 5:
        yield f"{wrap} with max_value={rules.max_value}", "max_value=5 or more, run_wrap=ace_high or run_wrap=none"
    if points > MOST_POINTS:
        yield f"initial_meld_points={points} with {wrap}", f"{MOST_POINTS} or less"
    if replaced and rules.joker_reuse == "new_set" and rules.run_wrap != "ace_high":
        yield (
            f"{wrap} where a replaced joker must lie in a new set",
            "joker_reuse=any_set, joker_release=free or run_wrap=ace_high",
        )
