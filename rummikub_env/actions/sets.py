"""The `sets` codec: lay the new table set by set, then end the turn.

=============  =========================================================================
action         meaning
=============  =========================================================================
``0 .. m - 1`` lay this set of the `vocabulary` (7,673 of them in the standard game)
``m``          END: the turn is over; with nothing laid, draw (or pass on an empty pool)
=============  =========================================================================

The player says how the whole new table lies, and what each joker in a run stands for. The sets follow an order that
keeps the mask short, and exact:

1. while a joker of the old table is not laid, or lies where the rules for jokers do not yet let it, a set with a joker;
2. then, while a tile of the old table is not laid, a set with the lowest of those kinds;
3. then any set of what is left of the rack, or END.

A first play that may not touch the table lays its own sets only: the others lie already. Jokers of groups leave their
colour open; a group that names it can only be laid with the colour open again.
"""

from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from rummikub_env.actions.base import Mask, check, refuse_time_out
from rummikub_env.actions.finishing import Turn, check_jokers
from rummikub_env.actions.vocabulary import vocabulary
from rummikub_env.game import Move, Play, TimeOut, idle, may_decline
from rummikub_env.judge import settle
from rummikub_env.rules import RuleSet
from rummikub_env.sets import Set, Table, is_run, readings, set_text
from rummikub_env.state import View, table_counts
from rummikub_env.tiles import Counts


@dataclass(frozen=True, eq=False)
class SetsDraft:
    """The sets laid so far in the turn of ``view.seat``."""

    turn: Turn
    laid: Table = ()

    @property
    def view(self) -> View:
        """What the player sees."""
        return self.turn.view

    @cached_property
    def counts(self) -> Counts:
        """(kinds,) uint8: the tiles laid."""
        return table_counts(self.turn.rules.tiles, self.laid)

    @property
    def spelled(self) -> Counts:
        """The tiles laid beyond those of the old table, (kinds,) uint8: they must be from the rack."""
        return np.maximum(self.counts, self.turn.table) - self.turn.table

    @cached_property
    def mask(self) -> Mask:
        """(m + 1,) bool, read-only; computed once, when first asked for."""
        turn, words = self.turn, vocabulary(self.turn.rules)
        may = turn.within(turn.at_hand - self.counts) & self._in_order()
        numbers = words.alike[may[words.alike]].tolist()
        mask = np.zeros(len(words.sets) + 1, np.bool_)
        mask[[*turn.finishing(self.laid, numbers)]] = True
        if self.laid:
            mask[-1] = turn.is_legal(self.laid)
        else:
            mask[-1] = may_decline(turn.rules, turn.view.pool_size) or not mask.any()
        mask.flags.writeable = False
        return mask

    def _in_order(self) -> Mask:
        """(m,) bool: which sets may come next."""
        turn, counts = self.turn, vocabulary(self.turn.rules).counts
        missing = turn.table > self.counts
        if missing[-1] or not turn.is_settled(self.laid):
            return counts[:, -1] > 0
        if missing.any():
            return counts[:, int(missing.argmax())] > 0
        return np.ones(len(counts), np.bool_)


class SetsCodec:
    """The sets of the game, and END."""

    name = "sets"

    def __init__(self, rules: RuleSet) -> None:
        if rules.joker_retrieval_before_meld:
            raise ValueError(
                f"the action codec 'sets' does not know joker_retrieval_before_meld, which {rules.name} allows; "
                "take tiles or turns, or rules without it"
            )
        check_jokers(rules)
        self.rules = rules
        self.end = len(vocabulary(rules).sets)
        self.n = self.end + 1

    def begin(self, view: View) -> SetsDraft:
        """The empty draft of the turn of ``view.seat``."""
        return SetsDraft(Turn(view))

    def mask(self, draft: SetsDraft) -> Mask:
        """Which actions may follow, (n,) bool, read-only."""
        return draft.mask

    def step(self, draft: SetsDraft, action: int) -> SetsDraft | Move:
        """The draft with one more set, or the move that END makes; raises `IllegalAction`."""
        check(self, draft, action)
        if action < self.end:
            return replace(draft, laid=(*draft.laid, vocabulary(self.rules).sets[action]))
        return self._move(draft)

    def _move(self, draft: SetsDraft) -> Move:
        turn = draft.turn
        if not draft.laid:
            return idle(turn.view.pool_size)
        return Play(self._placed(turn.view.table, turn.fixed + draft.laid), self.rules.tiles.listed(draft.spelled))

    def _placed(self, before: Table, after: Table) -> Table:
        """The same sets: those that lay there keep their places, the others follow in the order of the vocabulary."""
        new = Counter(after)
        stay = tuple(pieces for pieces in before if _take(new, pieces))
        return stay + tuple(sorted(new.elements(), key=self.number))

    def time_out(self, draft: SetsDraft) -> TimeOut:
        """With the table that END would leave; where END is not allowed all goes back."""
        move = self._move(draft) if draft.laid and draft.mask[self.end] else None
        return TimeOut(move.table, move.played) if isinstance(move, Play) else TimeOut()

    def spell(self, view: View, move: Move) -> list[int]:
        """The sets of the new table in an order that the mask allows, lower numbers first where it can be, then END."""
        refuse_time_out(move)
        draft, actions = self.begin(view), []
        if isinstance(move, Play):
            table = settle(self.rules, view.table, move.table, move.played, view.opened[view.seat], move.opening).table
            to_lay = sorted(map(self.number, (Counter(table) - Counter(draft.turn.fixed)).elements()))
            while to_lay:
                allowed = draft._in_order()
                action = next(number for number in to_lay if allowed[number])
                to_lay.remove(action)
                actions.append(action)
                draft = replace(draft, laid=(*draft.laid, vocabulary(self.rules).sets[action]))
        return [*actions, self.end]

    def number(self, pieces: Set) -> int:
        """The action that lays this resolved set."""
        tiles = self.rules.tiles
        if not is_run(self.rules, pieces):
            colourless = tuple(tiles.physical(p) if tiles.joker_value(p) is None else p for p in pieces)
            pieces = next(s for s in readings(self.rules, colourless) if not is_run(self.rules, s))
        return vocabulary(self.rules).numbers[tuple(sorted(pieces))]

    def text(self, action: int) -> str:
        """``lay R3 J=R4 R5`` or ``end the turn``."""
        if action == self.end:
            return "end the turn"
        return f"lay {set_text(self.rules.tiles, vocabulary(self.rules).sets[action])}"


def _take(sets: Counter[Set], pieces: Set) -> bool:
    """Is the set among them? It is taken away."""
    there_is = sets[pieces] > 0
    sets[pieces] -= there_is
    return there_is
