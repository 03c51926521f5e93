"""What the masks of each codec and what each observation cost, in games of random players.

``python -m tests.space_costs [GAMES [PRESET [PLAYERS]]]`` prints the rows of the tables of ``docs/spaces.md``. For the
masks each codec spells the same moves, and the time of every mask on the way is taken; then each plays games of its
own, whose moves it draws action by action. For observations 64 tables are stepped side by side. All times are of the
processor.
"""

import sys
import time

import numpy as np

from rummikub_env.actions import CODECS, codec_of
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.game import Move, advance
from rummikub_env.observations import OBSERVATIONS
from rummikub_env.rules import PRESETS
from rummikub_env.state import deal, view


def main(arguments):
    games, preset = int(arguments[0]) if arguments else 10, arguments[1] if arguments[1:] else "sabra"
    rules = PRESETS[preset]
    players = int(arguments[2]) if arguments[2:] else rules.players_min
    codecs = {name: codec_of(name, rules) for name in CODECS}
    warm_up(codecs.values(), players)
    took, steps, turns, missing = {name: [] for name in codecs}, dict.fromkeys(codecs, 0), 0, 0
    for state, move in moves(codecs["tiles"], players, games, []):
        seen, turns = view(state, state.to_move), turns + 1
        for name, codec in codecs.items():
            step = codec.begin(seen)
            try:
                actions = codec.spell(seen, move)
            except ValueError:  # not among the best turns
                missing, actions = missing + 1, [codec.end]
            for action in actions:
                began = time.process_time()
                mask = codec.mask(step)
                took[name].append(1000 * (time.process_time() - began))
                if mask[action]:
                    step = codec.step(step, action)
            steps[name] += len(actions)
    print(f"{preset}, {players} players: {games} games, {turns} turns, {missing} of them not among the best")
    for name, times in took.items():
        print(f"| `{name}` | {steps[name] / turns:.1f} | {told(times)} |", flush=True)
    for name, codec in codecs.items():
        own = []
        turns = sum(1 for _ in moves(codec, players, games, own))
        print(f"| `{name}`, its own games | {len(own) / turns:.1f} | {told(own)} |", flush=True)
    for spaces in [{"observation": name} for name in OBSERVATIONS]:
        print(f"| {spaces} | {decisions_a_second(rules, players, spaces):,.0f} |", flush=True)


def warm_up(codecs, players):
    """A game of each: what is loaded and compiled for first masks is no mask's time."""
    for codec in codecs:
        list(moves(codec, players, 1, []))


def told(times):
    """Mean, median, 99% and longest, as cells of a table."""
    median, most = np.quantile(times, [0.5, 0.99])
    return f"{np.mean(times):.2f} | {median:.2f} | {most:.1f} | {max(times):.0f}"


def decisions_a_second(rules, players, spaces, tables=64, steps=100):
    """Of many tables in the middle of their games."""
    env, rng = VectorEnv(tables, num_players=players, rules=rules, seed=1, **spaces), np.random.default_rng(0)
    batch, took = env.observe(), 0.0
    for step in range(steps):
        actions = (batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1)
        began = time.process_time()
        batch = env.step(actions)
        took += (time.process_time() - began) * (step >= steps // 2)
    return tables * (steps - steps // 2) / took


def moves(codec, players, games, took):
    """The states of random games in which who can play does, each with the move; `took` gets the time of each mask."""
    rng = np.random.default_rng(0)
    for game in range(games):
        state = deal(codec.rules, players, game)
        while state.outcome is None:
            step = codec.begin(view(state, state.to_move))
            while not isinstance(step, Move):
                began = time.process_time()
                mask = codec.mask(step)
                took.append(1000 * (time.process_time() - began))
                allowed = np.flatnonzero(mask)
                step = codec.step(
                    step, int(rng.choice(allowed if len(allowed) == 1 or step.spelled.any() else allowed[:-1]))
                )
            yield state, step
            state = advance(state, step)


if __name__ == "__main__":
    main(sys.argv[1:])
