"""What an agent learns in the same number of decisions, for each observation and each action space.

``python -m tests.space_learning [SEEDS [UPDATES [DEALS]]]`` prints the rows of the table of ``docs/spaces.md``: PPO by
self-play on a small game, as many decisions for all and the same seeds, then games on the same deals. The intervals are
of 95%, over seeds: over what training gives another time, not over deals alone. All times are of the processor.
"""

import sys
import time

from agents import make
from agents.evaluation import compare, mean_interval
from agents.learned import LearnedPlayer
from agents.learning.config import Config, GameConfig, NetworkConfig, PPOConfig
from agents.learning.learner import begin
from agents.learning.ppo import learning_rate, samples, set_learning_rate, update
from rummikub_env.actions import codec_of
from rummikub_env.observations import observation_of
from rummikub_env.rules import rules_of

RULES = "sabra:colours=KRB,max_value=6,rack_size=7,initial_meld_points=10"
SPACES = (
    ("tiles", "counts"),
    ("turns", "counts"),
    ("tiles", "counts+history"),
    ("tiles", "planes"),
    ("tiles", "tokens"),
)
OPPONENTS = ("random", "greedy_tiles")


def main(arguments):
    seeds, updates, deals = [*map(int, arguments), *(5, 20, 200)[len(arguments) :]]
    for codec, observation in SPACES:
        trained, rates = [], []
        for seed in range(seeds):
            config = config_of(codec, observation, seed, updates)
            began = time.process_time()
            network = train(config)
            trained.append(time.process_time() - began)
            rates.append(win_rates(config, network, deals))
        told = " | ".join(interval(rate) for rate in zip(*rates, strict=True))
        print(f"| `{codec}` | `{observation}` | {told} | {sum(trained) / seeds:.0f} |", flush=True)


def config_of(codec, observation, seed, updates):
    """A run of so many updates from 1,024 decisions each."""
    return Config(
        seed=seed,
        updates=updates,
        tables=32,
        workers=1,
        decisions=1024,
        game=GameConfig(rules=RULES, codec=codec, observation=observation),
        network=NetworkConfig(hidden=(64,), end_logit=0.0),  # begin as `random`: a player that rather plays on is good
        ppo=PPOConfig(minibatch=256),
    )


def train(config):
    """The network after the run."""
    learner = begin(config)
    for done in range(config.updates):
        rollouts = learner.crew.collect(learner.network, config.decisions)
        set_learning_rate(learner.optimizer, learning_rate(config.ppo, done / config.updates))
        data = samples([rollout.decisions for rollout in rollouts], config.ppo)
        update(learner.network, learner.optimizer, data, config.ppo, learner.rng)
    return learner.network.eval()


def win_rates(config, network, deals):
    """The share of games won against each of `OPPONENTS`, on the same deals for all."""
    rules, game = rules_of(RULES), config.game
    spaces = codec_of(game.codec, rules), observation_of(game.observation, rules, game.players)
    player = LearnedPlayer("learned", network.policy, *spaces)
    return [compare(player, make(name, rules), rules, deals=deals, seed=1_000_000).win_rate.mean for name in OPPONENTS]


def interval(rates):
    """``62.1% (58.0-66.2)``."""
    found = mean_interval(rates)
    return f"{found.mean:.1%} ({100 * found.low:.1f}-{100 * found.high:.1f})"


if __name__ == "__main__":
    main(sys.argv[1:])
