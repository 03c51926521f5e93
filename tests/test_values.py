"""A running game is a value: after 100 random steps every copy of every env goes on alike, in a new process too."""

import hashlib
import json
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from copies import copies

from rummikub_env import Move, State, rummikub_v0
from rummikub_env.envs.single import SingleSeatEnv
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.record import Record, read, replay, write
from rummikub_env.state import view

ROOT = Path(__file__).parent.parent
STEPS = 100


def table():
    env = rummikub_v0.env(num_players=3, match={"rounds": 40}, reward="tiles")
    env.reset(seed=1)
    return env


def single():
    env = SingleSeatEnv(["greedy_tiles", ["random", "keep_joker"]], match={"rounds": 40}, reward="tiles")
    env.reset(seed=1)
    return env


def vector():
    return VectorEnv(3, num_players=3, match={"rounds": 40}, reward="tiles", seed=1)


ENVS = {env.__name__: env for env in (table, single, vector)}


def one_step(env, rng):
    """One random legal step; what it showed."""

    def chosen(masks):
        return np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])

    if isinstance(env, VectorEnv):
        return env.step(chosen(env.observe().action_masks))
    if isinstance(env, SingleSeatEnv):
        return env.step(chosen([env.action_masks()]).item())
    env.step(chosen([env.infos[env.agent_selection]["action_mask"]]).item())
    return env.last(), env.rewards, env.agent_selection


def go_on(env, seed, steps=STEPS):
    """So many random steps of a running game; the sum of all that they showed, and of where they led."""
    rng, seen = np.random.default_rng(seed), hashlib.sha256()
    for _ in range(steps):
        for part in flat(one_step(env, rng)):
            seen.update(part)
    seen.update(json.dumps(env.get_state(), sort_keys=True).encode())
    return seen.hexdigest()


def flat(shown):
    """The arrays and numbers in what a step shows, as bytes."""
    if isinstance(shown, np.ndarray):
        yield shown.tobytes()
    elif isinstance(shown, dict | tuple | list):
        for part in shown.values() if isinstance(shown, dict) else shown:
            yield from flat(part)
    elif hasattr(shown, "__dataclass_fields__"):
        yield from flat(vars(shown))
    else:
        yield repr(shown).encode()


def running(name):
    env = ENVS[name]()
    go_on(env, 0)
    return env


def from_data(env):
    name = {"RummikubEnv": "table", "SingleSeatEnv": "single", "VectorEnv": "vector"}[type(env).__name__]
    return restored(name, json.dumps(env.get_state()))


def restored(name, data):
    twin = ENVS[name]()
    twin.set_state(json.loads(data))
    return twin


COPIES = copies(from_data)
PAIRS = [(name, copied) for name in ENVS for copied in COPIES]


@pytest.mark.parametrize(("name", "copied"), PAIRS)
def test_a_copy_goes_on_alike_and_apart(name, copied):
    env = running(name)
    before = env.get_state()
    twin = COPIES[copied](env)
    shown = go_on(twin, 2)
    assert env.get_state() == before
    assert go_on(env, 2) == shown
    assert go_on(env, 3) == go_on(twin, 3) != shown


@pytest.mark.parametrize("name", ENVS)
def test_a_new_process_goes_on_alike(name):
    """From the pickle and from the JSON data; the hashes of strings differ there."""
    env = running(name)
    told = pickle.dumps((name, pickle.dumps(env), json.dumps(env.get_state())))
    code = "import sys; sys.path.insert(1, 'tests'); import test_values; test_values.answer()"
    answer = subprocess.run([sys.executable, "-c", code], input=told, capture_output=True, check=True, cwd=ROOT)
    expected = go_on(env, 2)
    assert answer.stdout.decode().split() == [expected, expected]


def answer():
    """What the new process does."""
    name, pickled, data = pickle.load(sys.stdin.buffer)
    print(go_on(pickle.loads(pickled), 2), go_on(restored(name, data), 2))


def test_a_line_of_text_is_the_position():
    state = running("table").game_state
    assert State.from_text(state.text()) == state
    twin, alone = table(), SingleSeatEnv(["random", "random"], seat=state.to_move, match={"rounds": 40})
    twin.reset(options={"state": state.text()})
    alone.reset(options={"state": state.text()})
    assert twin.game_state == alone.table.game_state == state


def test_a_record_file_leads_to_the_same_position(tmp_path):
    """The turns that 100 actions have spelled, as a file, read back and replayed."""
    env = rummikub_v0.env(num_players=3)
    env.reset(seed=1)
    start, moves, actions, rng = env.game_state, [], [], np.random.default_rng(0)
    while len(actions) < STEPS:
        state = env.game_state
        draft = env.codec.begin(view(state, state.to_move))
        while not isinstance(draft, Move):
            actions.append(int(rng.choice(np.flatnonzero(env.codec.mask(draft)))))
            draft = env.codec.step(draft, actions[-1])
            env.step(actions[-1])
        moves.append(draft)
    path = tmp_path / "game.txt"
    write(path, Record(tuple(env.possible_agents), start, tuple(moves)))
    assert [*replay(read(path))][-1] == env.game_state
