import numpy as np
import pytest
import torch

from agents.learning.gae import LAST, OPEN, advantages
from agents.learning.rollout import Collector
from rummikub_env.envs.vector import Batch, Finished


def gae(rewards, values, successors, gamma=1.0, gae_lambda=0.5):
    return advantages(
        np.array(rewards, np.float32),
        np.array(values, np.float32),
        np.array(successors),
        gamma=gamma,
        gae_lambda=gae_lambda,
    ).tolist()


def test_one_finished_trajectory_by_hand():
    # deltas: 0 + 0.4 - 0.2 = 0.2;  0.1 + 0.6 - 0.4 = 0.3;  1 - 0.6 = 0.4;  then from the end with lambda 0.5
    assert gae([0, 0.1, 1], [0.2, 0.4, 0.6], [1, 2, LAST]) == pytest.approx([0.45, 0.5, 0.4])


def test_discount_applies_between_decisions():
    # deltas: 0.9 * 0.5 - 0.2 = 0.25;  1 - 0.5 = 0.5;  0.25 + 0.9 * 0.5 * 0.5 = 0.475
    assert gae([0, 1], [0.2, 0.5], [1, LAST], gamma=0.9) == pytest.approx([0.475, 0.5])


def test_trajectories_interleave():
    # 0 -> 2 and 1 -> 3: as if each stood alone
    together = gae([0, 0, 1, -1], [0.1, 0.2, 0.3, 0.4], [2, 3, LAST, LAST])
    assert together[0::2] == gae([0, 1], [0.1, 0.3], [1, LAST])
    assert together[1::2] == gae([0, -1], [0.2, 0.4], [1, LAST])


def test_an_unfinished_trajectory_is_bootstrapped_with_the_value_of_its_open_decision():
    assert gae([0, 5], [0.2, 0.7], [1, OPEN]) == pytest.approx([0.5, 0.0])


def test_lambda_1_and_gamma_1_give_the_whole_return():
    assert gae([0.5, 0, 1], [0.2, 0.4, 0.6], [1, 2, LAST], gae_lambda=1.0) == pytest.approx([1.3, 0.6, 0.4])


# Terminal credit, on a scripted game of two seats with two decisions each


class Constant(torch.nn.Module):
    """A network without weights: uniform over the legal actions, value 0.5."""

    def forward(self, observations, masks):
        log_probs = torch.where(masks, 0.0, -1e9).log_softmax(-1)
        return log_probs, torch.full(observations.shape[:-1], 0.5)


class Scripted:
    """One table that plays a script of (seat, legal actions, rewards after the step, game over) in a loop."""

    num_envs, num_players, num_actions, observation_size = 1, 2, 3, 1

    def __init__(self, script):
        self.script, self.at, self.seen = script, 0, []

    def observe(self):
        return self._batch([0, 0], False)

    def step(self, actions):
        _, legal, rewards, over = self.script[self.at % len(self.script)]
        assert actions[0] in legal
        self.at += 1
        return self._batch(rewards, over)

    def _batch(self, rewards, over):
        seat, legal, _, _ = self.script[self.at % len(self.script)]
        mask = np.isin(np.arange(3), legal)[None]
        info = (Finished(0, (0,), (1, -1), 4, 4),) if over else ()
        return Batch(
            np.full((1, 1), self.at, np.float32),
            mask,
            np.array([seat]),
            np.array([rewards], np.float32),
            np.array([over]),
            info,
        )


FREE, FORCED = (0, 2), (1,)
GAME = [
    (0, FREE, [0, 0], False),
    (1, FREE, [0, 0], False),
    (1, FORCED, [0, 0.25], False),  # the seat still acts: a turn of two actions, the second one forced
    (0, FREE, [1, -1], True),  # seat 0 goes out; the loser's reward comes on the winner's move
]


def collect(script, decisions):
    return Collector(Scripted(script), seed=0).collect(Constant(), decisions)


def test_every_seat_gets_its_final_reward_on_its_own_last_decision():
    decisions = collect(GAME, 6).decisions
    assert decisions.observations[:, 0].tolist() == [0, 1, 3, 4, 5, 7]  # steps 2 and 6 are forced
    assert decisions.rewards.tolist() == [0, -0.75, 1, 0, -0.75, 1]
    assert decisions.successors.tolist() == [2, LAST, LAST, 5, LAST, LAST]


def test_forced_decisions_are_played_but_not_kept():
    rollout = collect(GAME, 6)
    assert rollout.steps == 8
    assert len(rollout.games) == 2
    assert (rollout.decisions.masks.sum(1) == 2).all()
    assert np.exp(rollout.decisions.log_probs) == pytest.approx(0.5)


def test_open_decisions_begin_the_next_rollout_with_what_they_earn_later():
    collector = Collector(Scripted(GAME), seed=0)
    first = collector.collect(Constant(), 2).decisions
    assert first.successors.tolist() == [OPEN, OPEN]
    second = collector.collect(Constant(), 3).decisions
    assert second.observations[:, 0].tolist() == [0, 1, 3]
    assert second.rewards.tolist() == [0, -0.75, 1]
    assert second.successors.tolist() == [2, LAST, LAST]
    assert second.actions[:2].tolist() == first.actions.tolist()


def test_short_rollouts_lose_no_decision_and_no_reward():
    collector = Collector(Scripted(GAME), seed=0)
    parts = [collector.collect(Constant(), 3).decisions for _ in range(20)]
    steps = [int(step) for p in parts for step in p.observations[p.successors != OPEN, 0]]
    rewards = [reward for p in parts for reward in p.rewards[p.successors != OPEN].tolist()]
    assert sorted(steps) == [step for step in range(max(steps) + 1) if step % 4 != 2]
    assert rewards == [{0: 0, 1: -0.75, 3: 1}[step % 4] for step in steps]


def test_a_reward_before_a_seats_first_free_decision_belongs_to_nobody():
    script = [(0, FREE, [0, 9], False), (1, FREE, [1, -1], True)]
    assert collect(script, 2).decisions.rewards.tolist() == [1, -1]
