"""The `history` observation: the last turns of the round, and what each seat let go by. To be read beside another one.

It needs views that remember (`View.history`); the envs keep that only where an observation asks for it.
"""

from typing import get_args

import numpy as np
from numpy.typing import NDArray

from rummikub_env.observations.base import Piece, Spelling
from rummikub_env.observations.counts import turn_order
from rummikub_env.observations.facts import table_counts
from rummikub_env.rules import RuleSet
from rummikub_env.state import History, MoveKind, View

TURNS = 8
"""How many turns `turns` tells of."""

_KINDS = get_args(MoveKind)


def turns(rules: RuleSet, players: int) -> Piece:
    """The last turns."""
    tiles, width = rules.tiles, players + len(_KINDS) + 1 + rules.tiles.kinds
    most, unit = np.ones(width), np.ones(width)
    number = players + len(_KINDS)
    most[number], unit[number] = tiles.total, rules.rack_size
    most[number + 1 :] = unit[number + 1 :] = np.maximum(tiles.full, 1)

    def read(view: View, _: Spelling | None) -> NDArray[np.float32]:
        rows = np.zeros((TURNS, width), np.float32)
        place = {seat: i for i, seat in enumerate(turn_order(view))}
        for row, turn in zip(rows, reversed(_history(view)[-TURNS:]), strict=False):
            row[place[turn.seat]] = row[players + _KINDS.index(turn.move.kind)] = 1
            row[number] = turn.move.tiles
            if turn.played:
                row[number + 1 :] = tiles.count(turn.played)
        return rows.ravel()

    return Piece(
        name="turns",
        meaning=f"the last {TURNS} turns of the round, the latest first (all 0 where there was none): the seat"
        " (one-hot, own first); drew, passed, played, ran out of time; how many tiles it drew or played / tiles on a"
        " rack at the start; for each kind the tiles that it played / copies in the game",
        shape=(TURNS, width),
        most=most,
        unit=unit,
        read=read,
        needs_history=True,
    )


def let_by(rules: RuleSet, players: int) -> Piece:
    """What each seat did not play on."""
    tiles = rules.tiles
    unit = np.append(1, np.maximum(tiles.full, 1))

    def read(view: View, _: Spelling | None) -> NDArray[np.float32]:
        rows = np.zeros((players, 1 + tiles.kinds), np.float32)
        place = {seat: i for i, seat in enumerate(turn_order(view))}
        table = table_counts(rules, view.table)[0].astype(np.float32)
        for turn in reversed(_history(view)):
            seat = place.get(turn.seat)
            if turn.played:
                table -= tiles.count(turn.played)  # what lies on the table stays there, so this was the table before
            elif seat is not None and turn.move.kind != "timeout":
                rows[seat, 0], rows[seat, 1:] = 1, table
                del place[turn.seat]
                if not place:
                    break
        return rows.ravel()

    return Piece(
        name="let_by",
        meaning="for each seat, own first: 1 when it drew or passed in a turn of this round that is remembered; for"
        " each kind the tiles that lay on the table when it last did / copies in the game",
        shape=(players, 1 + tiles.kinds),
        most=unit,
        unit=unit,
        read=read,
        needs_history=True,
    )


def _history(view: View) -> History:
    if view.history is None:
        raise ValueError("this observation needs a view that remembers: view(state, seat, history=...)")
    return view.history


HISTORY = (turns, let_by)
"""The pieces of the `history` observation, in order."""
