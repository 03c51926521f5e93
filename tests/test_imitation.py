"""A teacher at the tables, what is learned from it, the tie to what was learned; and a value that sees all racks."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
import torch

import train
from agents import make
from agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from agents.learned import LearnedPlayer
from agents.learning import imitation
from agents.learning.config import Config, GameConfig, NetworkConfig, PPOConfig, TeacherConfig
from agents.learning.learner import begin, load_config, resume, save
from agents.learning.log import read_log
from agents.learning.ppo import Anchor, Samples, anchor_coef, loss, samples
from agents.learning.rollout import Collector
from agents.learning.teacher import Teacher
from agents.network import ActorCritic, divergence, masked_log_softmax
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.game import apply
from rummikub_env.rules import rules_of
from rummikub_env.state import State, deal, view

MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"
SIZE, HIDDEN, ACTIONS = 3, 2, 4


@pytest.fixture
def network():
    """One whose value sees two numbers more than its policy."""
    torch.manual_seed(0)
    return ActorCritic(SIZE, ACTIONS, hidden=(8,), state_size=SIZE + HIDDEN)


@pytest.fixture
def batch():
    torch.manual_seed(1)
    masks = torch.tensor([[True, True, False, True], [False, True, True, True]] * 3)
    zeros = torch.zeros(6)
    actions = torch.tensor([0, 1, 3, 3, 1, 2])
    return Samples(torch.randn(6, SIZE + HIDDEN), masks, actions, zeros - 1, zeros, torch.randn(6), torch.ones(6))


def mini(n, players=2, seed=1):
    return VectorEnv(n, num_players=players, rules=MINI, seed=seed)


# The value that sees all racks


def test_only_the_value_sees_what_is_hidden(network, batch):
    other = batch.observations.clone()
    other[:, SIZE:] += 1
    before, after = network(batch.observations, batch.masks), network(other, batch.masks)
    assert torch.equal(before[0], after[0])
    assert not torch.isclose(before[1], after[1]).any()
    assert torch.equal(network.policy.log_probs(other[:, :SIZE], batch.masks), after[0])


def test_policy_and_value_are_bodies_of_their_own(network, batch):
    network(batch.observations, batch.masks)[1].sum().backward()
    assert all(weights.grad is None for weights in network.policy.parameters())
    assert any(weights.grad.any() for weights in network.value.parameters())


def test_the_collector_keeps_what_the_seat_sees_and_the_racks_of_the_others():
    tables = mini(4)
    network = ActorCritic(tables.observation_size, tables.num_actions, (8,), state_size=tables.state_size)
    kept = Collector(tables, 0, perfect=True).collect(network, 40).decisions.observations
    assert kept.shape[1] == network.state_size == tables.state().shape[1]
    assert kept[:, tables.state_layout["racks"].where].sum(1).min() > 0
    plain = ActorCritic(tables.observation_size, tables.num_actions, (8,))
    plain.policy = network.policy
    seen = Collector(mini(4), 0).collect(plain, 40).decisions.observations
    np.testing.assert_array_equal(kept[:, : tables.observation_size], seen)  # the same games


# The teacher


@pytest.mark.parametrize("name", ["greedy_tiles", "tempo"])
def test_the_teacher_plays_the_turns_of_the_player(name):
    tables, rng = mini(3), np.random.default_rng(0)
    teacher, player = Teacher(tables, name), make(name, rules_of(MINI))
    batch, checked = tables.observe(), 0
    expected = [None] * 3
    for _ in range(60):
        for table in range(3):
            if not teacher.plans[table]:  # at the beginning of a turn
                state = State.from_text(tables.get_state()[table]["state"])
                if expected[table] is not None and state.turn:
                    assert state == expected[table]
                    checked += 1
                expected[table] = apply(state, player.move(view(state, state.to_move), rng))
        batch = tables.step(teacher.actions(batch, rng))
    assert checked > 40


def test_a_partner_sits_at_all_seats_but_one_which_goes_round():
    teacher = Teacher(mini(6), "greedy_tiles", ["random"])
    taught = np.array([teacher.teaches(np.full(6, seat)) for seat in range(2)]).T
    assert taught.tolist() == [[True, True], [True, False], [True, True], [False, True], [True, True], [True, False]]


def test_only_what_the_teacher_decides_is_kept_with_what_the_network_thinks_of_it():
    tables = mini(2)  # the teacher alone, and the teacher at seat 0
    teacher = Teacher(tables, "greedy_tiles", ["random"])
    collector = Collector(tables, 0, teacher=teacher)
    seats = []
    decide = teacher.actions

    def watched(batch, rng):
        free = (batch.action_masks.sum(1) > 1) & teacher.teaches(batch.seats)
        actions = decide(batch, rng)
        seats.extend(zip(batch.seats[free].tolist(), actions[free].tolist(), strict=True))
        return actions

    teacher.actions = watched
    torch.manual_seed(0)
    network = ActorCritic(tables.observation_size, tables.num_actions, (8,))
    rows = collector.collect(network, 50, taught=True).decisions
    assert rows.actions.tolist() == [action for _, action in seats]
    assert {seat for seat, _ in seats} == {0, 1}
    with torch.no_grad():
        log_probs, values = network(torch.from_numpy(rows.observations), torch.from_numpy(rows.masks))
    wanted = log_probs.gather(1, torch.from_numpy(rows.actions)[:, None])[:, 0]
    np.testing.assert_allclose(rows.log_probs, wanted.numpy(), atol=1e-5)
    np.testing.assert_allclose(rows.values, values.numpy(), atol=1e-5)


def test_ppo_does_not_learn_from_what_the_teacher_left_open():
    tables = mini(3)
    torch.manual_seed(0)
    network = ActorCritic(tables.observation_size, tables.num_actions, (8,))
    collector = Collector(tables, 0, teacher=Teacher(tables, "greedy_tiles"))
    while not any(collector.teacher.plans):
        collector.collect(network, len(collector.open) + 1, taught=True)
    assert len(collector.open) > 0
    state = collector.get_state()
    resumed = Collector(mini(3), 0)  # imitation is over: it needs no teacher
    resumed.set_state(state)
    free = collector.batch.action_masks.sum(1) > 1
    for learner in (collector, resumed):
        rows = learner.collect(network, 30).decisions
        # what the policy met first comes first, and its seats' rewards begin there
        np.testing.assert_array_equal(rows.observations[: free.sum()], tables_of(state).observe().observations[free])
        assert "plans" not in learner.get_state()
    assert equal(collector.get_state(), resumed.get_state())


def tables_of(state):
    """The tables of a collector's state."""
    tables = mini(3)
    tables.set_state(state["tables"])
    return tables


# Imitation


def test_imitation_makes_what_was_done_likely_and_learns_the_returns(network, batch):
    config = Config(teacher=TeacherConfig(player="tempo", epochs=200, minibatch=6))
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    before = imitation.loss(network, batch, 1.0)[1]
    imitation.imitate(network, optimizer, batch, config, np.random.default_rng(0))
    after = imitation.loss(network, batch, 1.0)[1]
    assert before["agreement"] < after["agreement"] == 1
    assert after["cross_entropy"] < 0.1 * before["cross_entropy"]
    assert after["value_loss"] < 0.1 * before["value_loss"]


def test_the_loss_of_imitation_is_over_legal_actions(network, batch):
    total, stats = imitation.loss(network, batch, 0.5)
    log_probs, _ = network(batch.observations, batch.masks)
    chosen = log_probs[torch.arange(6), batch.actions]
    assert stats["cross_entropy"] == pytest.approx(-chosen.mean().item())
    assert total.item() == pytest.approx(stats["cross_entropy"] + 0.5 * stats["value_loss"])
    assert log_probs.exp().sum(1).tolist() == pytest.approx([1] * 6)


# The tie


def test_the_divergence_is_over_legal_actions_and_has_finite_gradients():
    masks = torch.tensor([[True, True, False]])
    logits = torch.tensor([[0.0, 0.0, 9.0]], requires_grad=True)
    others = masked_log_softmax(torch.tensor([[np.log(3.0), 0.0, -9.0]]), masks)
    far = divergence(masked_log_softmax(logits, masks), others, masks)
    assert far.item() == pytest.approx(0.5 * np.log(0.5 / 0.75) + 0.5 * np.log(0.5 / 0.25))
    far.sum().backward()
    assert logits.grad.isfinite().all()
    assert logits.grad[0, 0] < 0 < logits.grad[0, 1]
    assert divergence(others, others, masks).item() == 0


def test_the_anchor_adds_its_weighted_divergence_and_learns_nothing(network, batch):
    torch.manual_seed(5)
    far = ActorCritic(SIZE, ACTIONS, hidden=(8,), end_logit=3.0).policy
    plain, _ = loss(network, batch, PPOConfig())
    tied, stats = loss(network, batch, PPOConfig(), Anchor(far, 0.5))
    assert stats["anchor_kl"] > 0.01
    assert (tied - plain).item() == pytest.approx(0.5 * stats["anchor_kl"], rel=1e-4)
    tied.backward()
    assert all(weights.grad is None for weights in far.parameters())
    same, stats = loss(network, batch, PPOConfig(), Anchor(network.policy, 0.5))
    assert stats["anchor_kl"] == pytest.approx(0, abs=1e-6)
    assert same.item() == pytest.approx(plain.item())


def test_its_weight_falls_linearly_after_the_imitation():
    config = Config(
        updates=10, teacher=TeacherConfig(player="tempo", updates=2), ppo=PPOConfig(kl_coef=0.4, final_kl_coef=0.2)
    )
    assert [config.done(updates) for updates in (2, 6, 10)] == [0, 0.5, 1]
    assert [anchor_coef(config.ppo, done) for done in (0, 0.5, 1)] == pytest.approx([0.4, 0.3, 0.2])
    assert Config(updates=10).done(5) == 0.5  # without a teacher all updates are of PPO


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ({"teacher": TeacherConfig(partners=("random",))}, "name a teacher.player"),
        ({"teacher": TeacherConfig(epochs=1)}, "name a teacher.player"),
        ({"teacher": TeacherConfig(player="tempo"), "method": "student"}, "teacher: the method student makes nothing"),
        ({"teacher": TeacherConfig(player="tempo", partners=("random",) * 4), "tables": 4}, "tables=4 are too few"),
    ],
)
def test_settings_of_a_teacher_that_would_be_ignored_are_refused(settings, told):
    with pytest.raises(ValueError, match=told):
        Config(**settings)


# A whole run

RUN = (
    *("--config=configs/smoke.yaml", "--evaluation.opponents=[]", "--updates=4", "--decisions=128", "--tables=4"),
    *("--teacher.player=greedy_tiles", "--teacher.partners=[random]", "--teacher.updates=2", "--ppo.kl_coef=0.1"),
    "--network.critic=perfect",
)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("cut", [1, 2, 3])
def test_a_run_that_was_cut_goes_on_as_if_it_had_not_been(tmp_path, monkeypatch, cut, workers):
    run = tmp_path / "run"
    wanted = [*RUN, f"--run={run}", f"--workers={workers}"]
    assert train.main(wanted) == 0
    straight, log = load_checkpoint(run / train.CHECKPOINT), read_log(run)
    shutil.rmtree(run)

    left = iter([True] * cut)
    monkeypatch.setattr(train, "in_time", lambda *_: next(left, False))
    assert train.main(wanted) == 0
    assert len(read_log(run)) == cut
    monkeypatch.undo()
    assert train.main(["--resume", str(run)]) == 0
    assert equal(load_checkpoint(run / train.CHECKPOINT), straight)
    assert [line | {"steps_per_second": 0} for line in read_log(run)] == [
        line | {"steps_per_second": 0} for line in log
    ]
    assert ["agreement" in line for line in log] == [True, True, False, False]
    assert ["anchor_kl" in line for line in log] == [False, False, True, True]


def equal(tree, other):
    """Are two trees of a checkpoint equal, arrays too?"""
    if isinstance(tree, dict):
        return tree.keys() == other.keys() and all(equal(tree[key], other[key]) for key in tree)
    if isinstance(tree, list):
        return len(tree) == len(other) and all(map(equal, tree, other))
    return bool(np.array_equal(tree, other))


# Files

CONFIG = Config(
    tables=4,
    workers=1,
    decisions=64,
    game=GameConfig(rules=MINI),
    network=NetworkConfig(hidden=(16,), critic="perfect"),
    teacher=TeacherConfig(player="greedy_tiles", updates=1),
)


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A checkpoint after an update of imitation."""
    path = tmp_path_factory.mktemp("run") / "checkpoint.safetensors"
    learner = begin(CONFIG)
    rollouts = learner.crew.collect(learner.network, CONFIG.decisions, True)
    data = samples([rollout.decisions for rollout in rollouts], CONFIG.ppo)
    imitation.imitate(learner.network, learner.optimizer, data, CONFIG, learner.rng)
    save(path, CONFIG, learner)
    return path


def test_who_plays_needs_the_policy_only(saved, tmp_path):
    tree = load_checkpoint(saved)
    tree.pop("training")
    for name in [name for name in tree["agent"]["weights"] if not name.startswith("policy.")]:
        del tree["agent"]["weights"][name]
    save_checkpoint(tmp_path / "x", tree)
    rules = rules_of(MINI)
    whole, part = (LearnedPlayer.load(path, rules) for path in (saved, tmp_path / "x"))
    assert sum(weights.numel() for weights in whole.policy.parameters()) < 5000
    for seed in range(10):
        seen = view(deal(rules, 2, seed), 0)
        if seen.to_move == 0:
            assert whole.move(seen, np.random.default_rng(0)) == part.move(seen, np.random.default_rng(0))
    with pytest.raises(CheckpointError, match="holds no run"):
        load_config(tmp_path / "x")


def test_a_run_with_another_critic_is_refused(saved, tmp_path):
    other = replace(CONFIG, network=replace(CONFIG.network, critic="observation"))
    with pytest.raises(CheckpointError, match=r"its critic sees .*'perfect'.* that of the settings .*'observation'"):
        resume(saved, other)
    tree = load_checkpoint(saved)
    tree["training"]["critic"]["racks"] = [0, 3]
    save_checkpoint(tmp_path / "x", tree)
    with pytest.raises(CheckpointError, match="its critic sees"):
        resume(tmp_path / "x", CONFIG)


def test_a_checkpoint_from_before_there_were_critics_and_teachers_goes_on(tmp_path):
    config = replace(CONFIG, network=NetworkConfig(hidden=(16,)), teacher=TeacherConfig())
    path = tmp_path / "x"
    save(path, config, begin(config))
    tree = load_checkpoint(path)
    training = tree["training"]
    assert training.pop("critic") == {"name": "observation"}
    for group, names in {"network": ["critic"], "ppo": ["kl_coef", "final_kl_coef"]}.items():
        for name in names:
            del training["config"][group][name]
    del training["config"]["teacher"]
    save_checkpoint(path, tree)
    assert load_config(path) == config
    assert resume(path, config).count["updates"] == 0
    assert make(str(path), rules_of(MINI)).move(view(deal(rules_of(MINI), 2, 1), 0), np.random.default_rng(0))


def test_a_checkpoint_can_be_the_teacher_of_the_game_that_it_knows(saved):
    config = replace(CONFIG, teacher=TeacherConfig(player=str(saved)))
    learner = begin(config)
    assert len(learner.crew.collect(learner.network, config.decisions, True)[0].decisions) >= 64
    with pytest.raises(ValueError, match="games of 2 players only, not of 3"):
        begin(replace(config, game=replace(config.game, players=3)))


def test_a_teacher_that_is_gone_is_missed_while_it_is_needed(saved, tmp_path):
    teacher, path = tmp_path / "teacher", tmp_path / "x"
    shutil.copy(saved, teacher)
    config = replace(CONFIG, teacher=TeacherConfig(player=str(teacher), updates=2))
    learner = begin(config)
    learner.crew.collect(learner.network, config.decisions, True)
    for updates in (1, 2):
        learner.count["updates"] = updates
        save(path.with_suffix(f".{updates}"), config, learner)
    teacher.unlink()
    with pytest.raises(ValueError, match=r"is neither a player .* nor a checkpoint file") as told:
        resume(path.with_suffix(".1"), config)
    assert not isinstance(told.value, CheckpointError)
    goes_on = resume(path.with_suffix(".2"), config)
    assert len(goes_on.crew.collect(goes_on.network, config.decisions)[0].decisions) >= config.decisions


@pytest.mark.parametrize("plans", [None, [[]], [[99], [], [], []], [[-1], [], [], []], 3])
def test_plans_that_are_none_are_refused(saved, tmp_path, plans):
    tree = load_checkpoint(saved)
    tree["training"]["collectors"][0]["plans"] = plans
    save_checkpoint(tmp_path / "x", tree)
    with pytest.raises(CheckpointError, match="the run in it cannot go on"):
        resume(tmp_path / "x", CONFIG)


def test_a_damaged_anchor_is_refused(saved, tmp_path):
    tree = load_checkpoint(saved)
    tree["training"]["imitated"] = {"0.weight": np.zeros((2, 2), np.float32)}
    save_checkpoint(tmp_path / "x", tree)
    with pytest.raises(CheckpointError, match="weights do not fit"):
        resume(tmp_path / "x", CONFIG)
