"""A teacher at the tables of self-play: a named player whose moves are spelled action by action, to be imitated."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from agents import make
from rummikub_env.envs.vector import Batch, VectorEnv


class Teacher:
    """Plays all seats of the tables: its own moves, and at some tables those of a partner at all seats but one.

    Table 0 has the teacher alone, table 1 the first partner, and so on, over and over; its own seat goes round.
    """

    def __init__(self, tables: VectorEnv, player: str, partners: Sequence[str] = ()) -> None:
        self._tables = tables
        self._players = [make(name, tables.rules) for name in (player, *partners)]
        rounds, self._partner = np.divmod(np.arange(tables.num_envs), len(self._players))
        self._seat = rounds % tables.num_players
        self.plans: list[list[int]] = [[] for _ in range(tables.num_envs)]
        """At each table the actions that are left of the turn; none at its beginning."""

    def teaches(self, seats: NDArray[np.intp]) -> NDArray[np.bool_]:
        """(B,): is it the teacher who plays on these seats, one a table?"""
        own: NDArray[np.bool_] = (self._partner == 0) | (seats == self._seat)
        return own

    def actions(self, batch: Batch, rng: np.random.Generator) -> NDArray[np.int64]:
        """(B,): what is played at each table, of which `batch` is what they show."""
        forced = batch.action_masks.sum(1) == 1
        teaches = self.teaches(batch.seats)
        actions: NDArray[np.int64] = batch.action_masks.argmax(1)
        for table, plan in enumerate(self.plans):
            if not plan and forced[table] and batch.action_masks[table, -1]:
                continue  # nothing can be played, and most players would take long to say so
            if not plan:
                player = self._players[0 if teaches[table] else self._partner[table]]
                seen = self._tables.view(table)
                plan += self._tables.codec.spell(seen, player.move(seen, rng))
            actions[table] = plan.pop(0)
        return actions
