"""What holds for every codec and every observation, under several rules and for several numbers of players."""

import copy
import json
import pickle
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from oracle import Oracle
from pettingzoo.test import api_test, render_test, seed_test

from rummikub_env import rummikub_v0
from rummikub_env.actions import CODECS, CodecPlayer, IllegalAction, TilesCodec, codec_of
from rummikub_env.envs.position import begin
from rummikub_env.envs.positions import Positions
from rummikub_env.envs.tables import Tables
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.game import Draw, Move, Pass, Play, advance, apply, check
from rummikub_env.observations import OBSERVATIONS, observation_of
from rummikub_env.rules import PRESETS, rules_of
from rummikub_env.state import State, deal, remember, view

SMALL = {"colours": "KRB", "max_value": 5, "rack_size": 5, "joker_count": 2}
MINI = SMALL | {"copies_per_tile": 1, "initial_meld_points": 6}
MINIS = dict.fromkeys(PRESETS, MINI) | {
    "rummy_games_50": MINI | {"max_value": 6, "joker_count": 1, "initial_meld_points": 9},
    "six_player_160": MINI | {"rack_size": 3, "copies_per_tile": 2},
    "machiavelli": MINI | {"joker_count": 0, "initial_meld_points": 0},
    "machiavelli_it": MINI | {"initial_meld_points": 0},
}
"""A small game under each preset."""
NAMES = ["tiles", "sets", "turns:k=300"]
SEEN = [*OBSERVATIONS, "counts+history"]

HELD = [(name, preset) for name in NAMES for preset in MINIS if (name, preset) != ("sets", "wikipedia_no")]
"""Codecs and presets; `sets` refuses to know jokers that are retrieved before the first play."""

TABLES = [
    (name, preset, players)
    for name, preset in HELD
    for players in range(PRESETS[preset].players_min, PRESETS[preset].players_max + 1)
]
"""The same with each number of players; tables for all of them have two copies of each tile."""

mini = cache(lambda preset: rules_of(preset, MINIS[preset]))
codec_for = cache(lambda name, preset: codec_of(name, mini(preset)))


def test_every_codec_is_held_to_the_contract():
    assert [name.partition(":")[0] for name in NAMES] == list(CODECS)


# Moves


def random_states(rules, players, seed):
    """The states of a random game in which who can play mostly does."""
    codec, rng = TilesCodec(rules), np.random.default_rng(seed)
    state = deal(rules, players, rng)
    while state.outcome is None:
        yield state
        step = codec.begin(view(state, state.to_move))
        while not isinstance(step, Move):
            allowed = np.flatnonzero(codec.mask(step))
            begun = step.spelled.any() or rng.random() < 0.1
            step = codec.step(step, int(rng.choice(allowed if begun or len(allowed) == 1 else allowed[:-1])))
        state = apply(state, step)


def all_moves(codec, state):
    """Every move that the masks lead to, each with its actions; none may be illegal, and no way may lead nowhere."""
    moves, known, drafts = {}, set(), [(codec.begin(view(state, state.to_move)), ())]
    while drafts:
        draft, actions = drafts.pop()
        if tuple(sorted(actions)) in known:  # in another order: the same draft
            continue
        known.add(tuple(sorted(actions)))
        mask = codec.mask(draft)
        assert mask.shape == (codec.n,)
        assert mask.any()
        for action in np.flatnonzero(mask).tolist():
            step = codec.step(draft, action)
            if isinstance(step, Move):
                assert apply(state, step) == advance(state, step)  # what was laid lies there, whoever makes the move
                moves[step] = (*actions, action)
            else:
                drafts.append((step, (*actions, action)))
    return moves


@pytest.mark.parametrize(("name", "preset"), HELD)
def test_masks_lead_to_all_legal_plays_and_to_no_other_move(name, preset):
    """Exhaustively, along random games, against exhaustive search."""
    codec, rules = codec_for(name, preset), mini(preset)
    oracle, checked = Oracle(rules), 0
    for seed in range(20):
        for state in random_states(rules, rules.players_min, seed):
            rack, opened = rules.tiles.listed(state.racks[state.to_move]), state.opened[state.to_move]
            if len(rack) > 8 or sum(map(len, state.table)) > 12:
                continue
            moves, legal = all_moves(codec, state), oracle.plays(state.table, rack, opened)
            played = [tuple(sorted(move.played)) for move in moves if isinstance(move, Play)]
            assert set(played) == legal, repr(state)
            if name != "sets":  # which lays the same tiles in several ways
                assert len(played) == len(legal), repr(state)
            declines = [move for move in (Draw(), Pass()) if check(state, move) == ()]
            assert [move for move in moves if not isinstance(move, Play)] == declines
            checked += bool(legal)
            if checked == 15:
                return
    raise AssertionError(f"only {checked} positions had a play")


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("changes", [{}, {"initial_meld_type": "run"}])
def test_jokers_that_were_used_in_the_opening_lie_as_they_are_laid(name, changes):
    """After one opening the group K2 J J is legal, after another one only the run."""
    rules = rules_of("sabra", {"initial_meld_table_play": "after_meld", "initial_meld_points": 7} | changes)
    told = "; racks B13 K2 J J / K2 K3; table B10 B11 B12; opened -+; pool O13 O12; move 0"
    plays = [move for move in all_moves(codec_of(name, rules), State.from_text(rules.name + told)) if move != Draw()]
    assert max(len(move.played) for move in plays) == 4


@pytest.mark.parametrize(("name", "preset"), HELD)
def test_spell_is_the_inverse(name, preset):
    codec, rng, checked = codec_for(name, preset), np.random.default_rng(1), 0
    for state in random_states(mini(preset), mini(preset).players_min, seed=3):
        seen = view(state, state.to_move)
        step = codec.begin(seen)
        while not isinstance(step, Move):
            step = codec.step(step, int(rng.choice(np.flatnonzero(codec.mask(step)))))
        again = codec.begin(seen)
        for action in codec.spell(seen, step):
            assert codec.mask(again)[action]
            again = codec.step(again, action)
        assert type(again) is type(step)
        if isinstance(step, Play):
            assert again.played == step.played
            assert sorted(again.table) == sorted(step.table)
            checked += 1
    assert checked


@pytest.mark.parametrize("name", NAMES)
def test_one_codec_spells_what_another_plays(name):
    """A table that was arranged by hand is as good a beginning as one of the solver's."""
    rules = mini("sabra")
    codecs, rng, state = [codec_for("sets", "sabra"), codec_for(name, "sabra")], np.random.default_rng(5), None
    for seed in range(3):
        state = deal(rules, 2, seed)
        while state.outcome is None:
            codec = codecs[state.to_move]
            step = codec.begin(view(state, state.to_move))
            while not isinstance(step, Move):
                step = codec.step(step, int(rng.choice(np.flatnonzero(codec.mask(step)))))
            state = apply(state, step)


@pytest.mark.parametrize("name", NAMES)
def test_a_mask_is_read_only_and_an_illegal_action_names_the_allowed_ones(name):
    codec = codec_for(name, "sabra")
    state = deal(codec.rules, 2, 0)
    draft = codec.begin(view(state, state.to_move))
    mask = codec.mask(draft)
    with pytest.raises(ValueError, match="read-only"):
        mask[0] = True
    with pytest.raises(IllegalAction, match="end the turn"):
        codec.step(draft, int(np.flatnonzero(~mask)[0]))


# Envs


def env_of(name, seen, preset="sabra", players=2, **options):
    overrides = MINIS[preset] | {"copies_per_tile": 2}
    return rummikub_v0.env(players, rules=preset, overrides=overrides, actions=name, observation=seen, **options)


def walk(env, steps, seed):
    """Some random steps; what was seen and done in each."""
    rng, told = np.random.default_rng(seed), []
    for agent in env.agent_iter(steps):
        observed, reward, terminated, truncated, info = env.last()
        action = None
        if not (terminated or truncated):
            action = int(rng.choice(np.flatnonzero(observed["action_mask"])))
        told.append((agent, observed["observation"].tobytes(), reward, terminated, int(info["turn"]), action))
        env.step(action)
    return told


@pytest.mark.parametrize(("name", "preset", "players"), TABLES)
@pytest.mark.parametrize("seen", SEEN)
def test_what_an_env_shows(name, seen, preset, players):
    """In its space, fresh arrays, what encoder and codec say, nothing hidden in it, nothing allowed out of turn."""
    env, rng = env_of(name, seen, preset, players), np.random.default_rng(2)
    codec = codec_of(name, env.rules)
    env.reset(seed=4)
    history = ()
    for _ in range(30):
        before = env.game_state
        for seat, agent in enumerate(env.possible_agents):
            observed = env.observe(agent)
            assert env.observation_space(agent).contains(observed)
            assert not any(np.shares_memory(observed[key], env.observe(agent)[key]) for key in observed)
            own, on_turn = env.draft, agent == env.agent_selection
            np.testing.assert_array_equal(observed["action_mask"], codec.mask(own) if on_turn else 0)
            known = view(before, seat, history=history)
            expected = env.encoder.encode(known, own if on_turn else None)
            np.testing.assert_array_equal(observed["observation"], expected)
            other = view(known.sample(rng), seat, history=history)
            np.testing.assert_array_equal(env.encoder.encode(other, own if on_turn else None), expected)
            assert env.state_space.contains(env.state(agent))
        mask = env.observe(env.agent_selection)["action_mask"]
        action = int(rng.choice(np.flatnonzero(mask)))
        step = codec.step(env.draft, action)
        env.step(action)
        if isinstance(step, Move):
            assert apply(before, step) == env.game_state
        if env.agents and env.terminations[env.agents[0]]:
            return
        if env.game_state.turn != before.turn:
            history = remember(history, before, env.game_state)


@pytest.mark.parametrize(("preset", "players"), [("sabra", 2), ("sabra_timed", 3)])
@pytest.mark.parametrize("seen", ["tokens", "counts+history"])
@pytest.mark.parametrize("name", [*NAMES, {"player_0": "tiles", "player_1": "sets"}], ids=str)
def test_a_running_game_is_a_value(name, seen, preset, players):
    if isinstance(name, dict):
        players = 2
    env = env_of(name, seen, preset, players)
    env.reset(seed=6)
    walk(env, 25, seed=7)
    data = json.loads(json.dumps(env.get_state()))
    restored = env_of(name, seen, preset, players)
    restored.set_state(data)
    twins = [copy.deepcopy(env), pickle.loads(pickle.dumps(env)), env.clone(), restored]
    told = walk(env, 40, seed=8)
    for twin in twins:
        assert walk(twin, 40, seed=8) == told


@pytest.mark.parametrize("name", NAMES)
def test_a_game_that_nobody_remembers_is_remembered_from_now_on(name):
    forgetful, env = env_of(name, "counts"), env_of(name, "counts+history")
    forgetful.reset(seed=12)
    for steps in (3, 6, 400):  # the last until the game is over
        walk(forgetful, steps, seed=steps)
        env.set_state(forgetful.get_state())
        agent = env.possible_agents[0]
        pieces = env.encoder.as_dict(env.observe(agent)["observation"])
        assert not pieces["turns"].any()
        seen = forgetful.observe(agent)["observation"]
        np.testing.assert_array_equal(env.observe(agent)["observation"][: len(seen)], seen)


@pytest.mark.parametrize(("name", "preset", "players"), TABLES)
@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_is_content(name, preset, players):
    made = (name, "planes+tokens+history", preset, players)
    api_test(env_of(*made), num_cycles=40)
    seed_test(lambda: env_of(*made), num_cycles=20)
    render_test(lambda **options: env_of(*made, **options))


@pytest.mark.parametrize("seen", SEEN)
def test_values_and_arrays_play_the_same_games(seen):
    """The codec that the kernels know, on positions and on tables."""
    rules = rules_of("sabra", MINIS["sabra"] | {"copies_per_tile": 2, "match_end": "rounds 2"})
    codec, encoder, rng = TilesCodec(rules), observation_of(seen, rules, 3), np.random.default_rng(9)
    both = Tables(codec, encoder, 4, "tiles", 6), Positions(codec, encoder, 4, "tiles", 6)
    for games in both:
        for b in range(4):
            games.put(b, begin(codec, deal(rules, 3, b)))
    for _ in range(120):
        one, other = both
        np.testing.assert_array_equal(one.masks, other.masks)
        np.testing.assert_array_equal(one.observations, other.observations)
        np.testing.assert_array_equal(one.racks, other.racks)
        actions = (one.masks * rng.random(one.masks.shape)).argmax(axis=1)
        results = [games.step(actions) for games in both]
        np.testing.assert_array_equal(results[0][0], results[1][0])
        assert results[0][1] == results[1][1]
        for b in results[0][1]:
            for games in both:
                games.put(b, begin(codec, deal(rules, 3, b)))


# More than one codec, more than one table


def test_agents_with_different_codecs_meet_at_one_table():
    env = env_of({"player_0": "tiles", "player_1": "turns:k=5", "player_2": "sets"}, "counts", players=3)
    sizes = [env.action_space(agent).n for agent in env.possible_agents]
    assert sizes == [codec_of(name, env.rules).n for name in ("tiles", "turns:k=5", "sets")]
    env.reset(seed=1)
    assert len({agent for agent, *_ in walk(env, 200, seed=2)}) == 3
    env.reset(seed=1)
    n = env.action_space(env.agent_selection).n
    with pytest.raises(ValueError, match="not in the action space"):
        env.step(n)


def test_each_agent_must_have_a_codec():
    with pytest.raises(ValueError, match="must name a codec for each of player_0, player_1"):
        env_of({"player_0": "tiles"}, "counts")
    with pytest.raises(ValueError, match="there is: k=NUMBER"):
        env_of("turns:n=3", "counts")
    with pytest.raises(ValueError, match="there is: none"):
        env_of("tiles:k=3", "counts")
    with pytest.raises(ValueError, match="must be 1 to 1000"):
        env_of("turns:k=0", "counts")
    with pytest.raises(TypeError, match="actions=3 must be the name of a codec"):
        env_of({"player_0": "tiles", "player_1": 3}, "counts")


@pytest.mark.parametrize("name", NAMES)
def test_many_tables_step_with_any_codec(name):
    made = {"num_players": 2, "overrides": MINIS["sabra"], "actions": name, "observation": "planes", "seed": 3}
    env, rng = VectorEnv(3, **made), np.random.default_rng(4)
    batch, finished = env.observe(), 0
    for _ in range(60):
        actions = (batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1)
        batch = env.step(actions)
        assert batch.action_masks.any(axis=1).all()
        assert env.state().shape == (3, env.state_layout["racks"].where.stop)
        finished += len(batch.info)
    assert finished
    twin = VectorEnv(3, **made)
    twin.set_state(json.loads(json.dumps(env.get_state())))
    np.testing.assert_array_equal(twin.observe().observations, batch.observations)
    np.testing.assert_array_equal(twin.state(), env.state())


# Turns


def test_turns_come_in_the_stated_order_with_what_they_do():
    codec = codec_for("turns:k=300", "rummy_games_50")
    tiles, several = codec.rules.tiles, 0
    for seed in range(6):
        for state in random_states(codec.rules, 2, seed):
            draft = codec.begin(view(state, state.to_move))
            told = codec.features(draft)
            n = len(draft.plays)
            keys = [(-told.tiles[i], -told.points[i], tuple(told.played[i].tolist())) for i in range(n)]
            assert keys == sorted(keys)
            assert told.complete or n == 300
            assert (told.tiles[:n] + told.left[:n] == draft.view.rack.sum()).all()
            np.testing.assert_array_equal(told.played[:n, -1], told.jokers[:n])
            for i in range(n):
                np.testing.assert_array_equal(told.played[i], tiles.count(codec.step(draft, i).played))
            assert told.left[codec.end] == (draft.view.rack.sum() if draft.mask[codec.end] else 0)
            several += n > 1
    assert several > 10


def test_a_short_list_holds_the_best_turns():
    long, short = (codec_for(name, "rummy_games_50") for name in ("turns:k=300", "turns:k=2"))
    states, cut = [state for seed in range(4) for state in random_states(long.rules, 2, seed)], 0
    for state in states:
        seen = view(state, state.to_move)
        whole, part = long.begin(seen), short.begin(seen)
        np.testing.assert_array_equal(part.plays, whole.plays[:2])
        if len(whole.plays) > 2:
            assert not part.complete
            with pytest.raises(ValueError, match="take a larger k"):
                short.spell(seen, long.step(whole, 2))
            cut += 1
    assert cut


def test_a_list_that_broke_off_asks_for_no_larger_k(monkeypatch):
    state = State.from_text("sabra; racks K1 K2 K3 R4 R5 R6 B9 / K9; table O1 O2 O3; opened ++; pool O13 O12; move 0")
    codec, seen = codec_of("turns", state.rules), view(state, 0)
    move = codec.step(codec.begin(seen), 1)
    monkeypatch.setattr("rummikub_env.questions.MOST_EDGES", 0)
    monkeypatch.setattr("rummikub_env.solver.MOST_EFFORT", 0)
    assert len(codec.begin(seen).plays) == 1
    with pytest.raises(ValueError, match="not among the 1 plays that are listed: there was too much to look at"):
        codec.spell(seen, move)


def test_where_turns_are_too_many_the_best_is_found_all_the_same(monkeypatch):
    from rummikub_env.actions import turns

    codec = codec_for("turns:k=3", "rummy_games_50")
    states = [state for seed in range(4) for state in random_states(codec.rules, 2, seed)]
    best = [codec.begin(view(state, state.to_move)).plays[:1].tolist() for state in states]
    monkeypatch.setattr(turns, "LISTED", 1)
    for state, play in zip(states, best, strict=True):
        draft = codec.begin(view(state, state.to_move))
        assert draft.plays[:1].tolist() == play


# Players, and the page


def test_a_policy_of_any_codec_is_a_player():
    rules, rng = mini("sabra"), np.random.default_rng(11)

    def first_allowed(draft, mask, rng):
        assert draft.view.rack.sum()
        return mask.argmax()

    players = [CodecPlayer(name, codec_for(name, "sabra"), first_allowed) for name in NAMES]
    state = deal(rules, 3, 0)
    for _ in range(60):
        if state.outcome is not None:
            break
        state = apply(state, players[state.to_move].move(view(state, state.to_move), rng))
    careless = CodecPlayer("careless", codec_for("tiles", "sabra"), lambda draft, mask, rng: mask.argmin())
    with pytest.raises(IllegalAction, match="allowed"):
        careless.move(view(deal(rules, 2, 0), 0), rng)


def rows_of_page(header):
    page = (Path(__file__).parent.parent / "docs" / "spaces.md").read_text(encoding="utf-8")
    table = page.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip(" `") for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def test_the_page_tells_the_sizes():
    sabra = rules_of("sabra")
    codecs = {name: int(size.replace(",", "")) for name, size, *_ in rows_of_page("codec | actions | a turn takes")}
    assert codecs == {name: codec_of(name, sabra).n for name in CODECS}
    sizes = {name: int(size) for name, size, *_ in rows_of_page("observation | numbers | for")}
    assert sizes == {name: observation_of(name, sabra, 2).size for name in OBSERVATIONS}
    shapes = {name: shape for name, shape, _ in rows_of_page("piece | shape | it is")}
    layout = observation_of("planes+tokens+history", sabra, 2).layout
    assert shapes == {name: str(layout[name].shape) for name in shapes}
    assert len(shapes) == 5
