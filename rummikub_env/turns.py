"""The rules of turns as the kernels see them, beside `terms`."""

from rummikub_env.beginnings import begins_in_ways
from rummikub_env.game import may_decline
from rummikub_env.kernels.turns import Turns
from rummikub_env.rules import RuleSet


def turns_of(rules: RuleSet) -> Turns:
    """What the rules say of turns; what a kernel does not know of them it leaves to `game`."""
    fined = rules.must_play_if_able and rules.missed_play_penalty_tiles > 0
    return Turns(
        opening=int(rules.initial_meld_required),
        told=int(begins_in_ways(rules)),
        draw_freely=int(may_decline(rules, 1)),
        pass_freely=int(may_decline(rules, 0)),
        draw_one=int(rules.draw_rule == "one" and not fined and rules.unmelded_scoring != "flat_100_200"),
        one_tile=int(rules.min_tiles_per_turn == 1),
        copies=rules.copies_per_tile,
        direction=1 if rules.direction == "clockwise" else -1,
    )
