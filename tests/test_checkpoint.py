import pickle
from dataclasses import replace

import numpy as np
import pytest
import torch
from safetensors.numpy import save_file

from agents import make
from agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from agents.evaluation import compare
from agents.learned import LearnedPlayer
from agents.learning.config import Config, GameConfig, NetworkConfig, PPOConfig
from agents.learning.learner import begin, load_config, resume, save
from agents.learning.ppo import learning_rate, samples, set_learning_rate, update
from rummikub_env.actions import codec_of
from rummikub_env.game import check
from rummikub_env.observations import observation_of
from rummikub_env.rules import rules_of
from rummikub_env.solver import playable
from rummikub_env.state import Standing, deal, view

MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
MINI_RULES = rules_of(MINI)
CONFIG = Config(
    seed=5,
    updates=6,
    tables=4,
    workers=1,
    decisions=64,
    game=GameConfig(rules=MINI),
    network=NetworkConfig(hidden=(16,)),
    ppo=PPOConfig(minibatch=32),
)


def train(config, learner, updates):
    for _ in range(updates):
        rollouts = learner.crew.collect(learner.network, config.decisions)
        set_learning_rate(learner.optimizer, learning_rate(config.ppo, learner.count["updates"] / config.updates))
        data = samples([rollout.decisions for rollout in rollouts], config.ppo)
        update(learner.network, learner.optimizer, data, config.ppo, learner.rng)
        learner.count["updates"] += 1


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A checkpoint after two updates."""
    path = tmp_path_factory.mktemp("run") / "checkpoint.safetensors"
    learner = begin(CONFIG)
    train(CONFIG, learner, 2)
    save(path, CONFIG, learner)
    return path


def changed(path, target, change):
    """A copy of a checkpoint with its tree changed."""
    tree = load_checkpoint(path)
    change(tree)
    save_checkpoint(target, tree)
    return target


# The file


def test_a_tree_comes_back_as_it_was(tmp_path):
    scalar, transposed = np.array(7.0, np.float32), np.arange(6).reshape(2, 3).T
    arrays = [np.zeros((0, 3), np.float32), scalar, np.array([True, False]), transposed]
    tree = {"a": {"b": arrays}, "none": None, "text": "ö", "big": 2**100, "list": [1, 2.5, True]}
    save_checkpoint(tmp_path / "x", tree)
    back = load_checkpoint(tmp_path / "x")
    for array, loaded in zip(arrays, back.pop("a")["b"], strict=True):
        assert array.dtype == loaded.dtype
        assert array.shape == loaded.shape
        assert (array == loaded).all()
    assert back == {key: value for key, value in tree.items() if key != "a"}


def test_what_cannot_be_saved_leaves_the_old_file(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"old")
    with pytest.raises(TypeError):
        save_checkpoint(path, {"not": object()})
    assert path.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["x"]


EMPTY = b"\x08" + 7 * b"\0" + b"{}      "  # a safetensors file with nothing in it


@pytest.mark.parametrize("content", [b"", b"hello", b"\0" * 100, EMPTY, pickle.dumps({"a": 1})])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(CheckpointError, match=str(path)):
        load_checkpoint(path)


@pytest.mark.parametrize("keep", [0.0, 0.1, 0.5, 0.999])
def test_a_cut_off_file_is_refused(saved, tmp_path, keep):
    data = saved.read_bytes()
    (tmp_path / "x").write_bytes(data[: int(keep * len(data))])
    with pytest.raises(CheckpointError, match="damaged"):
        load_checkpoint(tmp_path / "x")


def test_a_missing_file_is_refused(tmp_path):
    with pytest.raises(CheckpointError, match="no checkpoint"):
        load_checkpoint(tmp_path / "x")


def test_weights_of_another_program_are_refused(tmp_path):
    save_file({"weight": np.zeros(3)}, tmp_path / "x")
    with pytest.raises(CheckpointError, match="format"):
        load_checkpoint(tmp_path / "x")


def test_loading_a_pickle_never_runs_it(tmp_path):
    class Evil:
        def __reduce__(self):
            return (tmp_path / "ran").touch, ()

    torch.save({"agent": Evil()}, tmp_path / "x")
    with pytest.raises(CheckpointError):
        LearnedPlayer.load(tmp_path / "x", rules_of("sabra"))
    assert not (tmp_path / "ran").exists()


# Exact resume


@pytest.mark.parametrize("workers", [1, 2])
def test_a_resumed_run_is_the_run_that_never_stopped(tmp_path, workers):
    config = replace(CONFIG, workers=workers)
    path, straight_path = tmp_path / "x", tmp_path / "straight"
    straight = begin(config)
    train(config, straight, 4)
    save(straight_path, config, straight)
    straight.crew.close()

    first = begin(config)
    train(config, first, 2)
    save(path, config, first)
    train(config, first, 1)  # lost: the run is killed here
    first.crew.close()
    torch.manual_seed(99)
    second = resume(path, load_config(path))
    train(config, second, 2)
    save(path, config, second)
    second.crew.close()
    assert path.read_bytes() == straight_path.read_bytes()  # weights, optimizer, generators, running games


@pytest.mark.parametrize(
    ("codec", "observation"), [("turns:k=8", "tokens"), ("sets", "planes"), ("tiles", "counts+history")]
)
def test_an_agent_of_any_spaces_learns_goes_on_and_plays(tmp_path, codec, observation):
    path = tmp_path / "x"
    config = replace(CONFIG, game=replace(CONFIG.game, codec=codec, observation=observation))
    learner = begin(config)
    train(config, learner, 1)
    save(path, config, learner)
    train(config, learner, 1)
    again = resume(path, load_config(path))
    train(config, again, 1)
    weights, others = learner.network.state_dict(), again.network.state_dict()
    assert all(torch.equal(weights[name], others[name]) for name in weights)

    player = make(str(path), MINI_RULES)
    assert player.codec.n == codec_of(codec, MINI_RULES).n
    assert list(player.observation.layout) == list(observation_of(observation, MINI_RULES, 2).layout)
    assert compare(player, make("random", MINI_RULES), MINI_RULES, deals=2).games == 4
    with pytest.raises(CheckpointError, match=r"the agent has (codec|observation) "):
        resume(path, CONFIG)


def test_who_has_learned_with_a_history_needs_one(tmp_path):
    config = replace(CONFIG, game=replace(CONFIG.game, observation="counts+history"))
    save(tmp_path / "x", config, begin(config))
    player = make(str(tmp_path / "x"), MINI_RULES)
    state = next(s for s in (deal(MINI_RULES, 2, seed) for seed in range(99)) if solver_can_play(s))
    with pytest.raises(ValueError, match="needs a view that remembers"):
        player.move(view(state, state.to_move), np.random.default_rng(0))
    assert not check(state, player.move(view(state, state.to_move, history=()), np.random.default_rng(0)))


def test_saving_changes_nothing(tmp_path):
    learner = begin(CONFIG)
    for name in ("a", "b"):
        save(tmp_path / name, CONFIG, learner)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_the_settings_of_a_run_are_in_its_checkpoint(saved):
    assert load_config(saved) == CONFIG


def test_a_damaged_run_is_refused(saved, tmp_path):
    path = changed(saved, tmp_path / "x", lambda tree: tree["training"].pop("collectors"))
    with pytest.raises(CheckpointError, match="cannot go on"):
        resume(path, CONFIG)
    path = changed(saved, tmp_path / "x", lambda tree: tree.pop("training"))
    with pytest.raises(CheckpointError, match="holds no run"):
        load_config(path)


def first_moment(training):
    return training["optimizer"]["state"]["0"]


@pytest.mark.parametrize(
    "change",
    [
        lambda training: training.update(count={"updates": 2}),
        lambda training: training["count"].pop("updates"),
        lambda training: training["count"].update(updates="three"),
        lambda training: training["count"].update(games=-1),
        lambda training: training.update(count=None),
        lambda training: training["generators"].update(torch=np.zeros(7, np.uint8)),
        lambda training: training["generators"].update(torch=np.zeros(5056, np.float32)),
        lambda training: training["generators"]["numpy"]["state"].update(state=-1),
        lambda training: training.update(generators=None),
        lambda training: training["optimizer"].update(param_groups=[]),
        lambda training: first_moment(training).update(exp_avg=np.zeros((2, 2), np.float32)),
        lambda training: first_moment(training)["exp_avg_sq"].fill(np.nan),
        lambda training: first_moment(training).pop("step"),
        lambda training: training.update(collectors=[]),
        lambda training: training["collectors"][0]["tables"].pop(),
        lambda training: training["collectors"][0]["tables"][0].update(actions=["x"]),
        lambda training: training["collectors"][0]["tables"][0].update(state=None),
        lambda training: training["collectors"][0]["tables"][0].update(generator=None),
        lambda training: training["collectors"][0].update(last=np.zeros((4, 2), np.int64)),
        lambda training: training["collectors"][0]["open"].update(actions=np.zeros(3, np.int64)),
        lambda training: training["collectors"][0]["open"]["values"].fill(np.inf),
    ],
)
def test_a_run_of_wrong_numbers_is_refused(saved, tmp_path, change):
    path = changed(saved, tmp_path / "x", lambda tree: change(tree["training"]))
    with pytest.raises(CheckpointError, match="the run in it cannot go on"):
        resume(path, CONFIG)


def test_a_run_with_the_settings_of_another_game_is_refused(saved):
    with pytest.raises(CheckpointError, match="the agent has players 2, the settings 3"):
        resume(saved, replace(CONFIG, game=replace(CONFIG.game, players=3)))


@pytest.mark.parametrize("config", [None, {"seed": "x"}, [], {"game": None}])
def test_settings_that_are_none_are_refused(saved, tmp_path, config):
    path = changed(saved, tmp_path / "x", lambda tree: tree["training"].update(config=config))
    with pytest.raises(CheckpointError, match="holds no run"):
        load_config(path)


# The player


def test_the_player_makes_legal_moves_and_the_same_ones_again(saved):
    rules = rules_of(MINI)
    player = make(str(saved), rules)
    for seed in range(20):
        state = deal(rules, 2, seed)
        seen = view(state, state.to_move)
        move = player.move(seen, np.random.default_rng(0))
        assert not check(state, move)
        assert move == player.move(seen, np.random.default_rng(1))


def test_a_network_whose_outputs_overflow_is_an_error_and_no_illegal_move(saved, tmp_path):
    rules = rules_of(MINI)

    def overflow(tree):
        for weights in tree["agent"]["weights"].values():
            weights.flat = np.resize([3e38, -3e38], weights.size)

    player = make(str(changed(saved, tmp_path / "x", overflow)), rules)
    state = next(s for s in (deal(rules, 2, seed) for seed in range(99)) if solver_can_play(s))
    with pytest.raises(CheckpointError, match="gives no numbers"):
        player.move(view(state, state.to_move), np.random.default_rng(0))


def solver_can_play(state):
    return playable(state.rules, state.table, state.racks[state.to_move], opened=False).mask.any()


def test_sampled_moves_depend_on_the_generator_alone(saved):
    rules = rules_of(MINI)
    player = LearnedPlayer.load(saved, rules, sample=True)
    state = deal(rules, 2, 1)
    seen = view(state, state.to_move)
    assert player.move(seen, np.random.default_rng(3)) == player.move(seen, np.random.default_rng(3))


def test_a_player_can_be_sent_to_another_process(saved):
    rules = rules_of(MINI)
    player = LearnedPlayer.load(saved, rules)
    copy = pickle.loads(pickle.dumps(player))
    state = deal(rules, 2, 2)
    seen = view(state, state.to_move)
    rng = np.random.default_rng(0)
    assert copy.move(seen, rng) == player.move(seen, rng)
    assert copy.name == player.name


def test_who_has_learned_rounds_plays_them_in_a_match(saved):
    rules = rules_of(MINI, {"match_end": "rounds 2"})
    player = LearnedPlayer.load(saved, rules)
    seen = view(deal(rules, 2, seed=1), 0, Standing((3, -3), 1))
    alone = view(deal(MINI_RULES, 2, seed=1), 0)
    assert player.observation.encode(seen).tolist() == player.observation.encode(alone).tolist()
    with pytest.raises(CheckpointError, match="cannot play"):
        LearnedPlayer.load(saved, rules_of(rules, {"voluntary_draw": False}))


def test_other_rules_are_refused(saved):
    with pytest.raises(CheckpointError, match=f"cannot play sabra: give --rules {MINI}"):
        make(str(saved), rules_of("sabra"))


def test_another_number_of_players_is_refused(saved):
    rules = rules_of(MINI)
    state = deal(rules, 3, 0)
    with pytest.raises(ValueError, match="games of 2 players"):
        make(str(saved), rules).move(view(state, state.to_move), np.random.default_rng(0))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda agent: agent["codec"].update(name="sets"), "sets"),
        (lambda agent: agent["codec"].update(actions=99), "99"),
        (lambda agent: agent["codec"].update(name="turns:k=3"), "another codec"),
        (lambda agent: agent["observation"].update(name="planes"), "planes"),
        (lambda agent: agent["observation"]["layout"].pop("pool"), "observation"),
        (lambda agent: agent.update(rules="sabra:no_such_rule=1"), "no_such_rule"),
        (lambda agent: agent.update(hidden=[17]), "weights"),
        (lambda agent: agent["weights"].pop("policy.0.weight"), "weights"),
        (lambda agent: agent.update(weights=None), "weights"),
        (lambda agent: agent.pop("players"), "players"),
        (lambda agent: agent.update(players="two"), "unknown"),
        (lambda agent: agent.update(players=10**9), "unknown"),
        (lambda agent: agent.update(rules=None), "unknown"),
        (lambda agent: agent.update(codec=None), "unknown"),
        (lambda agent: agent.update(hidden=-1), "unknown"),
        (lambda agent: agent.update(hidden=[-1]), "weights"),
        (lambda agent: next(iter(agent["weights"].values())).fill(np.nan), "no numbers"),
        (lambda agent: next(iter(agent["weights"].values())).fill(-np.inf), "no numbers"),
    ],
)
def test_a_foreign_agent_is_refused_with_the_reason(saved, tmp_path, change, words):
    path = changed(saved, tmp_path / "x", lambda tree: change(tree["agent"]))
    with pytest.raises(CheckpointError, match=words):
        make(str(path), rules_of(MINI))


def test_a_checkpoint_without_an_agent_is_refused(tmp_path):
    save_checkpoint(tmp_path / "x", {"other": 1})
    with pytest.raises(CheckpointError):
        make(str(tmp_path / "x"), rules_of(MINI))
