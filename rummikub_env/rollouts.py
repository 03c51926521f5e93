"""Whole games in compiled code, many at once: what search lives on.

::

    worlds = determinise(view, 100, seed=7)                 # what the others may hold, and what is in the pool
    ends = rollout(view, counts, [Policy()] * 2, seed=7)    # these tiles first, then all look for their best play
    ends.wins[:, view.seat].mean()

Players that look no further than their turn are told by a `Policy`. Every seat draws from an order of its own, so that
two first turns can be compared in the same worlds.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rummikub_env.actions import TilesCodec
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.kernels import rollouts as kernel
from rummikub_env.objectives import weights
from rummikub_env.observations import observation_of
from rummikub_env.policy import Policy, move_of
from rummikub_env.state import View
from rummikub_env.tiles import Counts


class Ends(NamedTuple):
    """How n rounds of P players ended."""

    wins: NDArray[np.float64]
    """(n, P): 1 for the winner, several share it."""
    scores: NDArray[np.int64]
    """(n, P): points."""
    turns: NDArray[np.int64]
    """(n,): all turns of the round."""


def rollout(
    view: View,
    first: Counts | None,
    policies: Sequence[Policy],
    seed: int,
    worlds: int = 100,
    racks: NDArray[np.uint8] | None = None,
) -> Ends:
    """Play rounds from `view` to their end: the seat on turn lays `first`, (kinds,) uint8, then all follow `policies`.

    first: None or no tiles for a turn without a play. A policy a seat. The same seed gives the same worlds, whatever
    comes first. racks: as in `determinise`. ValueError where the seat of the view is not on turn, or `first` is no
    legal play.
    """
    move_of(view, first)  # refuses what is no play
    tables = determinise(view, worlds, seed, racks)
    if first is not None:
        tables.games.spelled[:] = first
    tables.masks[:, -1] = True  # where the rules force a play, too, the turn may end so: the caller says it does
    tables.step(np.full(worlds, tables.codec.end))
    return play_out(tables, policies)


def play_out(tables: Tables, policies: Sequence[Policy]) -> Ends:
    """Play the rounds at all tables to their end, a policy a seat; each is at the beginning of a turn."""
    if len(policies) != tables.players:
        raise ValueError(f"{len(policies)} policies for {tables.players} seats")
    rules = tables.rules
    seats = kernel.Seats(
        np.array([weights(rules, policy.aim(rules, opened=True)) for policy in policies]),
        np.array([weights(rules, policy.aim(rules, opened=False)) for policy in policies]),
        np.array([-1 if policy.price is None else policy.price for policy in policies]),
        np.array([policy.danger for policy in policies]),
        np.array([policy.patience for policy in policies]),
        np.array([policy.tempo for policy in policies]),
    )
    tables.play_on(seats, lambda view: move_of(view, policies[view.seat].choose(view)))
    outcomes = [outcome for outcome in tables.outcomes if outcome is not None]
    wins = np.zeros((len(outcomes), tables.players))
    for row, outcome in zip(wins, outcomes, strict=True):
        row[list(outcome.winners)] = 1 / len(outcome.winners)
    return Ends(wins, np.array([outcome.scores for outcome in outcomes]), tables.turns.astype(np.int64))


def determinise(view: View, worlds: int, seed: int, racks: NDArray[np.uint8] | None = None) -> Tables:
    """Tables at which `view` is what its seat sees: the unseen tiles lie on the other racks and in the pool at random.

    racks: all racks, (players, kinds) uint8, or those of each world, (worlds, players, kinds), where they are to be
    these; then only the pool is at random. ValueError where they do not go with the view.

    Each seat draws in an order of its own. World i is the same for any number of worlds.
    """
    if view.to_move != view.seat or view.outcome is not None:
        raise ValueError("the seat of the view is not on turn")
    rules, tiles = view.rules, view.rules.tiles
    tables = Tables(TilesCodec(rules), observation_of("counts", rules, view.players), worlds)
    one = view.sample(np.random.default_rng(seed))
    tables.put(0, begin(tables.codec, replace(one, orders=one.orders.repeat(view.players, axis=0))))
    tables.repeat(0)
    dealing, *drawing = map(np.random.default_rng, np.random.SeedSequence(seed).spawn(1 + view.players))
    ids = np.concatenate([kind * tiles.copies + np.arange(n) for kind, n in enumerate(view.unseen.tolist())])
    hidden = np.tile(ids.astype(np.int16), (worlds, 1))
    hidden = dealing.permuted(hidden, axis=1) if racks is None else _dealt(view, hidden, racks)
    dealt, begin_at = tables.games.racks, 0
    for seat, size in enumerate(view.rack_sizes):
        if seat != view.seat:
            kinds = np.minimum(hidden[:, begin_at : begin_at + size] // tiles.copies, tiles.joker)
            dealt[:, seat] = (kinds[:, :, None] == np.arange(tiles.kinds)).sum(axis=1)
            begin_at += size
    for seat, rng in enumerate(drawing):
        tables.games.orders[:, seat, : view.pool_size] = rng.permuted(hidden[:, begin_at:], axis=1)
    return tables


def _dealt(view: View, hidden: NDArray[np.int16], racks: NDArray[np.uint8]) -> NDArray[np.int16]:
    """Each row of `hidden`, (worlds, n), all unseen tiles, in order: first those of the other racks, seat by seat."""
    others = np.delete(np.broadcast_to(racks, (len(hidden), *racks.shape[-2:])), view.seat, axis=1).astype(np.intp)
    pools = view.unseen - others.sum(axis=1)
    sizes = np.delete(view.rack_sizes, view.seat)
    if pools.min() < 0 or (others.sum(axis=2) != sizes).any():
        raise ValueError("the racks do not go with what the seat sees")
    places = np.arange(view.players)  # of the other racks, then of the pool
    held = np.concatenate([others, pools[:, None]], axis=1).transpose(0, 2, 1)
    owners = np.stack([np.repeat(np.tile(places, len(view.rack)), world.ravel()) for world in held])
    return np.take_along_axis(hidden, owners.argsort(axis=1, kind="stable"), axis=1)
