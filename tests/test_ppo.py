import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from agents.learning.config import PPOConfig
from agents.learning.gae import LAST, OPEN
from agents.learning.ppo import Samples, explained_variance, learning_rate, loss, samples, update
from agents.learning.rollout import Decisions, act
from agents.network import ActorCritic, entropy, masked_log_softmax

SIZE, ACTIONS = 3, 4


@pytest.fixture
def network():
    torch.manual_seed(0)
    return ActorCritic(SIZE, ACTIONS, hidden=(8,))


def batch_of(network, masks, actions, advantages):
    """Samples as `network` itself would have made them."""
    masks = torch.tensor(masks, dtype=torch.bool)
    observations = torch.linspace(-1, 1, len(masks) * SIZE).reshape(len(masks), SIZE)
    actions = torch.tensor(actions)
    with torch.no_grad():
        log_probs, values = network(observations, masks)
    chosen = log_probs.gather(1, actions[:, None]).squeeze(1)
    advantages = torch.tensor(advantages, dtype=torch.float32)
    return Samples(observations, masks, actions, chosen, values, advantages, values + advantages)


# The masked policy


def test_illegal_actions_have_probability_zero_and_get_no_gradient():
    logits = torch.tensor([[5.0, 1.0, 2.0, 1.0]], requires_grad=True)
    log_probs = masked_log_softmax(logits, torch.tensor([[False, True, False, True]]))
    assert log_probs.exp().tolist() == [[0, 0.5, 0, 0.5]]
    log_probs[0, 1].backward()
    assert logits.grad.tolist() == [[0, 0.5, 0, -0.5]]


def test_entropy_counts_legal_actions_only():
    masks = torch.tensor([[True, True, True, False], [False, True, False, False]])
    log_probs = masked_log_softmax(torch.zeros(2, 4), masks)
    assert entropy(log_probs, masks).tolist() == pytest.approx([math.log(3), 0])


def test_entropy_has_finite_gradients_even_when_forced():
    logits = torch.tensor([[1.0, 2.0], [1e4, -1e4]], requires_grad=True)
    masks = torch.tensor([[True, False], [True, True]])
    entropy(masked_log_softmax(logits, masks), masks).sum().backward()
    assert logits.grad.isfinite().all()


def test_the_untrained_policy_is_nearly_uniform_but_for_the_end_logit():
    torch.manual_seed(0)
    network = ActorCritic(SIZE, ACTIONS, hidden=(8,), end_logit=-2.0)
    masks = torch.ones(5, ACTIONS, dtype=torch.bool)
    probabilities = network.policy.log_probs(torch.randn(5, SIZE), masks).exp().detach().numpy()
    assert probabilities[:, -1] / probabilities[:, 0] == pytest.approx(math.exp(-2), rel=0.1)
    assert probabilities[:, 1] / probabilities[:, 0] == pytest.approx(1, rel=0.1)


def test_sampled_actions_are_legal_and_follow_the_policy(network):
    masks = np.tile([True, False, True, True], (6000, 1))
    observations = np.ones((6000, SIZE), np.float32)
    actions, log_probs, values = act(network, observations, masks, np.random.default_rng(0))
    assert values.shape == (6000,)
    shares = np.bincount(actions, minlength=ACTIONS) / 6000
    legal = torch.tensor([True, False, True, True])
    expected = network.policy.log_probs(torch.ones(SIZE), legal).exp().detach().numpy()
    assert shares == pytest.approx(expected, abs=0.03)
    assert shares[1] == 0
    assert np.exp(log_probs[actions == 2]) == pytest.approx(expected[2], rel=1e-4)


# The loss


def test_before_the_first_step_nothing_is_clipped_and_the_loss_is_the_mean_advantage(network):
    batch = batch_of(network, np.ones((2, 4)), [0, 3], [1.0, -3.0])
    _, stats = loss(network, batch, PPOConfig())
    assert stats["policy_loss"] == pytest.approx(1.0)
    assert stats["approx_kl"] == pytest.approx(0, abs=1e-6)
    assert stats["clip_fraction"] == 0
    assert stats["value_loss"] == pytest.approx(0.5 * (1 + 9) / 2)


@pytest.mark.parametrize(("advantage", "moves"), [(1.0, False), (-1.0, True)])
def test_a_probability_that_rose_beyond_the_clip_is_pushed_back_but_not_further(network, advantage, moves):
    batch = batch_of(network, np.ones((1, 4)), [0], [advantage])
    batch = replace(batch, log_probs=batch.log_probs - 1)  # the ratio is e
    total, stats = loss(network, batch, PPOConfig(clip=0.2, value_coef=0.0, entropy_coef=0.0))
    assert stats["clip_fraction"] == 1
    total.backward()
    assert any(bool(p.grad.any()) for p in network.policy.parameters()) == moves


def test_the_entropy_bonus_and_the_value_loss_have_their_weights(network):
    batch = batch_of(network, np.ones((3, 4)), [0, 1, 2], [1.0, 0.0, 2.0])
    plain, stats = loss(network, batch, PPOConfig(value_coef=0.0, entropy_coef=0.0))
    both, _ = loss(network, batch, PPOConfig(value_coef=0.5, entropy_coef=0.1))
    assert (both - plain).item() == pytest.approx(0.5 * stats["value_loss"] - 0.1 * stats["entropy"], rel=1e-4)


# An update


def test_an_update_learns_which_action_pays(network):
    masks = np.tile([True, True, False, False], (64, 1))
    actions = [0, 1] * 32
    config = PPOConfig(minibatch=16, epochs=3, entropy_coef=0.0)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
    data = batch_of(network, masks, actions, [1.0, 0.0] * 32)
    before = data.log_probs[::2].exp().mean()
    stats = update(network, optimizer, data, config, np.random.default_rng(0))
    after = network.policy.log_probs(data.observations, data.masks).exp()
    assert after[:, 0].mean() > before + 0.05
    assert (after[:, 2:] == 0).all()
    assert stats["approx_kl"] > 0


def test_an_update_is_the_same_for_the_same_generator():
    def trained():
        torch.manual_seed(0)
        network = ActorCritic(SIZE, ACTIONS, hidden=(8,))
        data = batch_of(network, np.ones((32, 4)), [0, 1, 2, 3] * 8, np.linspace(-1, 1, 32))
        optimizer = torch.optim.Adam(network.parameters(), lr=1e-2)
        update(network, optimizer, data, PPOConfig(minibatch=8), np.random.default_rng(7))
        return network.state_dict()

    first, second = trained(), trained()
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_samples_are_the_closed_decisions_of_all_collectors():
    rows = Decisions.empty(3, SIZE, ACTIONS)
    rows.rewards[:], rows.values[:], rows.actions[:] = [0, 1, 0], [0.5, 0.25, 0], [7, 8, 9]
    rows.successors[:] = [1, LAST, OPEN]
    data = samples([rows, rows], PPOConfig(gae_lambda=1.0))
    assert data.actions.tolist() == [7, 8, 7, 8]
    assert data.advantages.tolist() == pytest.approx([0.5, 0.75] * 2)
    assert data.returns.tolist() == pytest.approx([1.0, 1.0] * 2)


# Figures


def test_explained_variance():
    returns = torch.tensor([1.0, -1.0, 1.0, -1.0])
    assert explained_variance(returns, returns) == pytest.approx(1)
    assert explained_variance(torch.zeros(4), returns) == pytest.approx(0)
    assert explained_variance(-returns, returns) < 0


def test_the_learning_rate_falls_linearly():
    config = PPOConfig(learning_rate=1e-3, final_learning_rate=2e-4)
    assert [learning_rate(config, done) for done in (0, 0.5, 1, 1.2)] == pytest.approx([1e-3, 6e-4, 2e-4, 2e-4])
