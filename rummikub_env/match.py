"""A match: rounds in a row, their scores added up, until the rules say that it is over (`RuleSet.match_end`).

::

    match = Match(rules_of("sabra:match_end=rounds 4"), players=3)
    while not match.is_over:
        state = match.deal(seed=7)        # the same match and seed, the same round
        ...                               # play it to its end
        match = match.add(state.outcome)
    match.totals, match.winners

No source says who begins the next round. Where a tile is drawn for the start, or a lot, this is done anew for each
round; where the seat after the dealer begins, the deal passes on with the turn (so do the card games). The highest
total wins: the sentence of 004 that the fewest points win means points left on the rack (rules that give no scores
count rounds won).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from rummikub_env.dealing import Asks, Draws, always
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.state import Outcome, Standing, State, deal, outcome_text, parse_outcome


def match_end(match: Mapping[str, int]) -> str:
    """The rule `match_end` for ``{"rounds": 4}`` or ``{"target": 200}``; ValueError for anything else."""
    told = dict(match) if isinstance(match, Mapping) else match
    if isinstance(told, dict) and len(told) == 1:
        ((kind, number),) = told.items()
        if kind in ("rounds", "target") and isinstance(number, int) and not isinstance(number, bool) and number > 0:
            return f"{kind} {number}"
    raise ValueError(f"match={told!r} is not allowed; allowed are {{'rounds': N}} and {{'target': N}}, N from 1 on")


@dataclass(frozen=True)
class Match:
    """The rounds played so far. ValueError when so many players cannot play, or an outcome is not theirs."""

    rules: RuleSet
    players: int
    rounds: tuple[Outcome, ...] = ()
    """How each round ended, the first one first."""
    dealer: int = 0
    """The seat that deals the first round; it matters where the next one begins (``left_of_dealer``)."""

    def __post_init__(self) -> None:
        self.rules.check_players(self.players)
        if not 0 <= self.dealer < self.players:
            raise ValueError(f"dealer={self.dealer} is not allowed; the seats are 0 to {self.players - 1}")
        for outcome in self.rounds:
            if len(outcome.scores) != self.players or not all(0 <= seat < self.players for seat in outcome.winners):
                raise ValueError(f"{outcome} is not the outcome of a round of {self.players} players")

    @property
    def totals(self) -> tuple[int, ...]:
        """The score of each seat so far."""
        return tuple(sum(outcome.scores[seat] for outcome in self.rounds) for seat in range(self.players))

    @property
    def rounds_won(self) -> tuple[int, ...]:
        """How many rounds each seat has won; a shared one counts for each winner."""
        return tuple(sum(seat in outcome.winners for outcome in self.rounds) for seat in range(self.players))

    @property
    def is_over(self) -> bool:
        """Does no other round follow? A match that is ``open`` is over when its players say so."""
        kind, number = self.rules.match_limit
        if kind == "rounds":
            return len(self.rounds) >= number
        return kind == "target" and max(self.totals) >= number

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that lead, or have won when the match is over; several tie. () before the first round."""
        points = self.standing.points
        return tuple(seat for seat, own in enumerate(points) if own == max(points)) if self.rounds else ()

    @property
    def standing(self) -> Standing:
        """What the players are told: the totals, or the rounds won where the rules give no scores."""
        points = self.rounds_won if self.rules.win_scoring == "none" else self.totals
        return Standing(points, len(self.rounds))

    def add(self, outcome: Outcome | None) -> "Match":
        """The match with one more round; ValueError when it is over, or the round is not."""
        if outcome is None:
            raise ValueError("the round is not over: it has no outcome yet")
        if self.is_over:
            raise ValueError(f"the match is over ({self.rules.match_end}): no round can be added")
        return Match(self.rules, self.players, (*self.rounds, outcome), self.dealer)

    def deal(self, seed: int | np.random.Generator, draws: Draws = "shared", asks: Asks = always) -> State:
        """The start of the next round; a number is the seed of the whole match, each round has its own deal.

        A generator is used up further. Arguments as those of `state.deal`. ValueError when the match is over.
        """
        if self.is_over:
            raise ValueError(f"the match is over ({self.rules.match_end}): no round follows")
        step = 1 if self.rules.direction == "clockwise" else -1
        dealer = (self.dealer + step * len(self.rounds)) % self.players
        rng = seed if isinstance(seed, np.random.Generator) else np.random.default_rng([seed, len(self.rounds)])
        return deal(self.rules, self.players, rng, draws, dealer, asks)

    def text(self) -> str:
        """The match in one line; `from_text` is its inverse."""
        parts = [self.rules.name, f"players {self.players}", f"dealer {self.dealer}"]
        return "; ".join([*parts, *(f"round {outcome_text(outcome)}" for outcome in self.rounds)])

    @staticmethod
    def from_text(line: str) -> "Match":
        """The match of a line of `text`; ValueError says which part cannot be read, and why."""
        name, *parts = (part.strip() for part in line.strip().split(";"))
        told: dict[str, str] = {"dealer": "0"}
        rounds = []
        for part in parts:
            word, _, rest = part.partition(" ")
            if word not in ("players", "dealer", "round"):
                raise ValueError(f"unknown part {word!r} of a match; there are: players, dealer, round")
            if word == "round":
                rounds.append(parse_outcome(rest))
            elif rest.isdecimal():
                told[word] = rest
            else:
                raise ValueError(f"{word} {rest!r}: write a whole number, 0 or more")
        if "players" not in told:
            raise ValueError("the number of players is missing: write players 3")
        return Match(rules_of(name), int(told["players"]), tuple(rounds), int(told["dealer"]))

    def to_dict(self) -> dict[str, Any]:
        """The match as plain values for JSON, with its totals; `from_dict` is the inverse."""
        return {
            "rules": self.rules.name,
            "players": self.players,
            "dealer": self.dealer,
            "rounds": [{"winners": [*o.winners], "scores": [*o.scores], "reason": o.reason} for o in self.rounds],
            "totals": [*self.totals],
            "over": self.is_over,
        }

    @staticmethod
    def from_dict(told: Mapping[str, Any]) -> "Match":
        """The match of a `to_dict`; what follows from the rounds is not read."""
        rounds = [Outcome(tuple(o["winners"]), tuple(o["scores"]), o["reason"]) for o in told["rounds"]]
        return Match(rules_of(told["rules"]), told["players"], tuple(rounds), told["dealer"])
