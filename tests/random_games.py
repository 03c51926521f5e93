"""Random games under every preset and for every number of players: do they all end by a rule, with all tiles there?

``python -m tests.random_games GAMES [PRESET ...]`` plays so many of each and prints a line for each number of players.
"""

import sys
import time
from collections import Counter

import numpy as np

from rummikub_env.actions import TilesCodec
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.observations import observation_of
from rummikub_env.rules import PRESETS
from rummikub_env.state import deal

SIDE_BY_SIDE = 64
MOST_TURNS = 2000


def main(arguments):
    games, names = int(arguments[0]), arguments[1:] or [*PRESETS]
    for name in names:
        rules = PRESETS[name]
        for players in range(rules.players_min, rules.players_max + 1):
            began = time.process_time()
            endings, turns, decisions = play(rules, players, games)
            seconds = time.process_time() - began
            told = ", ".join(f"{reason} {number}" for reason, number in sorted(endings.items()))
            print(
                f"{name}, {players} players: {told}; {np.mean(turns):.0f} turns, {max(turns)} at most; "
                f"{decisions / seconds:,.0f} decisions/s",
                flush=True,
            )


def play(rules, players, games):
    """Play so many games; how they ended, their turns, and all decisions. AssertionError if a tile is lost."""
    n = min(games, SIDE_BY_SIDE)
    tables = Tables(TilesCodec(rules), observation_of("counts", rules, players), n)
    rng, dealt = np.random.default_rng(7), n
    for b in range(n):
        tables.put(b, begin(tables.codec, deal(rules, players, b)))
    endings, turns, decisions, running = Counter(), [], 0, np.ones(n, bool)
    while running.any():
        masks = tables.masks
        assert masks[running].any(axis=1).all(), "a seat on turn can do nothing"
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        decisions += int(running.sum())
        _, over = tables.step(actions)
        assert (all_tiles(tables) == rules.tiles.full)[running].all(), "a tile is lost or found"
        assert (tables.turns[running] < MOST_TURNS).all(), "a game does not end"
        for b in over:
            if running[b]:
                endings[tables.outcomes[b].reason] += 1
                turns.append(int(tables.turns[b]))
                running[b] = dealt < games
                if running[b]:
                    tables.put(b, begin(tables.codec, deal(rules, players, dealt)))
                    dealt += 1
    return endings, turns, decisions


def all_tiles(tables):
    """The tiles on the racks, on the table and in the pool, (n, kinds)."""
    games, tiles = tables.games, tables.rules.tiles
    order = games.orders[:, 0]
    left = (order >= 0) & ~np.take_along_axis(games.gone, np.maximum(order, 0).astype(np.intp), axis=1)
    kinds = np.where(left, np.minimum(order // tiles.copies, tiles.joker), tiles.kinds)
    pool = (kinds[:, :, None] == np.arange(tiles.kinds)).sum(axis=1)
    return games.racks.sum(axis=1, dtype=int) + games.table + pool


if __name__ == "__main__":
    main(sys.argv[1:])
