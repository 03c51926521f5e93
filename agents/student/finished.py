"""Labels from whole games: who won in the end, whatever else could have been played (Monte Carlo)."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agents.student.features import choice_of
from agents.student.games import Games, met
from agents.student.labels import Label, label_of
from rummikub_env.game import advance
from rummikub_env.policy import move_of
from rummikub_env.state import view


@dataclass(frozen=True, kw_only=True)
class Finished(Games):
    """Labels of turns at random in games that are over: what was played as the only candidate, in the only world."""

    turns: int
    """Turns of a game that are labelled; of a shorter game all. Neighbours share their end, and tell little more."""

    def labels(self, rng: np.random.Generator) -> Iterator[Label]:
        """The labels of a game, in the order of its turns."""
        state, team, made = self.begin(rng), self.team(rng), []
        while (state := met(state, team)).outcome is None:
            seen = view(state, state.to_move)
            counts = self.choices(seen, rng)
            made.append((seen, counts[self.row(seen, counts, rng)]))
            state = advance(state, move_of(seen, made[-1][1]))
        winners = state.outcome.winners
        for i in sorted(rng.permutation(len(made))[: self.turns].tolist()):
            seen, play = made[i]
            won = (seen.seat in winners) / len(winners)
            yield label_of(choice_of(seen, play[None]), np.full((1, 1), won))
