"""Every preset in the environment: with the fewest and the most players random games come to their end."""

import numpy as np
import pytest

from rummikub_env import PRESETS, rummikub_v0
from rummikub_env.pool import count_ids
from rummikub_env.state import table_counts


def games():
    """(preset, players)."""
    for name, rules in PRESETS.items():
        for players in sorted({rules.players_min, rules.players_max}):
            yield pytest.param(name, players, id=f"{name}-{players}")


def tiles_of(state):
    """(kinds,) all tiles on racks, table and pool."""
    tiles = state.rules.tiles
    racks = state.racks.sum(axis=0, dtype=int)
    return racks + table_counts(tiles, state.table) + count_ids(tiles, state.orders[0])


@pytest.mark.parametrize(("preset", "players"), [*games()])
def test_random_games_end_by_a_rule_and_no_tile_is_lost(preset, players):
    env, rng = rummikub_v0.env(num_players=players, rules=preset), np.random.default_rng(players)
    for seed in range(4):
        env.reset(seed=seed)
        play_to_the_end(env, rng)


def play_to_the_end(env, rng):
    while not env.terminations[env.agent_selection]:
        before, mask = env.game_state, env.infos[env.agent_selection]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        if env.game_state != before:
            assert (tiles_of(env.game_state) == env.rules.tiles.full).all()
    end = env.game_state
    if end.outcome.reason == "out":
        assert [not rack.any() for rack in end.racks].index(True) == end.outcome.winners[0]
    else:
        assert (end.pool_size, end.passes) == (0, end.players)
    assert not any(env.truncations.values())
    assert env.observation_space("player_0").contains(env.observe("player_0"))
