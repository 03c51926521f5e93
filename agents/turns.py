"""What players ask about their turn."""

from rummikub_env.game import Move, may_decline
from rummikub_env.policy import Policy, move_of
from rummikub_env.state import View
from rummikub_env.tiles import Counts


def move_with(view: View, counts: Counts | None) -> Move:
    """The move that lays these tiles, or none; who wants none and must play lays the most tiles that it can."""
    if counts is None and not may_decline(view.rules, view.pool_size):
        counts = Policy().choose(view)
    return move_of(view, counts)
