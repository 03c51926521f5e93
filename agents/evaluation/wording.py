"""The words for what was played, the same in tables, pictures and pages."""

from collections.abc import Sequence

from agents.evaluation.arena import Comparison
from agents.evaluation.stats import CONFIDENCE
from agents.oracle import Cheat
from rummikub_env.player import Player
from rummikub_env.rules import RuleSet


def unit(rules: RuleSet) -> str:
    """What is won or lost: ``game``, or ``match`` where the rules end one."""
    return "game" if rules.match_limit[0] == "open" else "match"


def played(rules: RuleSet) -> str:
    """What a row is made of: ``games``, ``matches of 4 rounds``, ``matches to 200 points``."""
    kind, number = rules.match_limit
    return {"open": "games", "rounds": f"matches of {number} rounds", "target": f"matches to {number} points"}[kind]


def cheats(comparisons: Sequence[Comparison]) -> list[str]:
    """The names of those that see more than a player may, each once."""
    players = [player for row in comparisons for player in (row.match.challenger, row.match.opponent)]
    return sorted({player.name for player in players if isinstance(player, Cheat)})


def headline(comparisons: Sequence[Comparison]) -> str:
    """What was played, in one line; it is the same for all rows of a table, but those that were decided early.

    And who cheats: it stands above all tables and pictures.
    """
    most = max(comparisons, key=lambda row: len(row.deals))
    match, times = most.match, len(most.match.lineups)
    of = "line-ups" if match.mixed and match.seats > 2 else "seats"
    seats = f" ({match.seats} players)" if of == "line-ups" else ""
    upto = "up to " if any(len(row.deals) < len(most.deals) for row in comparisons) else ""
    return (
        f"{match.rules.name}{seats}: {upto}{len(most.deals):,} deals x {times} {of} = {most.games:,} "
        f"{played(match.rules)} a row, {match.draws} draws, seed {match.seed}"
        + "".join(f"; {name} CHEATS: it sees all racks" for name in cheats(comparisons))
    )


def intervals_of(comparisons: Sequence[Comparison]) -> str:
    """What the intervals of the win rates are."""
    error = comparisons[0].error
    return f"{1 - error:.0%} intervals that hold at any stop" if error else f"{CONFIDENCE:.0%} intervals over deals"


def decided(comparison: Comparison) -> str:
    """``stronger (83)``, after so many deals, or ``undecided``."""
    found = comparison.decision
    return "undecided" if found is None else f"{found[1]} ({found[0]})"


def rule_of(player: Player) -> str:
    """What the player does, in the first sentences of its class."""
    return " ".join((type(player).__doc__ or "").replace("`", "").split("\n\n")[0].split())


def elo(points: float) -> str:
    """``+12``, ``-7``, ``+0``."""
    return f"{round(points):+d}"
