"""Labels from search: what each candidate of a decision won in the same random worlds."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agents.search import Round, is_late, is_open, trials
from agents.student.features import choice_of
from agents.student.games import Games, met
from agents.student.labels import Label, label_of
from rummikub_env.game import advance
from rummikub_env.policy import move_of
from rummikub_env.state import view


@dataclass(frozen=True, kw_only=True)
class Searched(Games):
    """Labels of open decisions, searched where they are met: the student plays on as `base`, partners as they are."""

    taken: float
    taken_late: float
    """Share of the student's decisions that are labelled: before the pool is nearly empty, and after."""
    worlds: int

    def labels(self, rng: np.random.Generator) -> Iterator[Label]:
        """The labels of a game, each when it is met."""
        state, team = self.begin(rng), self.team(rng)
        while (state := met(state, team)).outcome is None:
            seen = view(state, state.to_move)
            counts = self.choices(seen, rng)
            if is_open(seen, counts) and rng.random() < (self.taken_late if is_late(seen) else self.taken):
                wins = trials(seen, counts, iter([Round(self.worlds, self.most)]), team.policies, rng)
                yield label_of(choice_of(seen, counts), np.stack(wins))
            state = advance(state, move_of(seen, counts[self.row(seen, counts, rng)]))
