"""A training run at one moment: how it begins, and how it goes to a checkpoint and comes back exactly."""

from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from agents import make
from agents.checkpoint import CheckpointError, load_checkpoint, save_checkpoint
from agents.learned import describe, interface, with_weights
from agents.learning.config import Config, config_of
from agents.learning.rollout import Collector
from agents.learning.teacher import Teacher
from agents.learning.workers import Crew, WorkerError
from agents.network import Actor, ActorCritic, actor
from rummikub_env.actions import codec_of
from rummikub_env.envs.rewards import reward_of
from rummikub_env.envs.vector import VectorEnv
from rummikub_env.observations import Observation, Perfect, observation_of
from rummikub_env.rules import rules_of
from rummikub_env.state import deal, view

COUNTED = ("updates", "decisions", "steps", "games")
"""What a run counts; steps are decisions too, with the forced ones."""


@dataclass
class Learner:
    """All that changes in the course of a run."""

    network: ActorCritic
    optimizer: torch.optim.Adam
    rng: np.random.Generator
    """Shuffles minibatches."""
    crew: Crew
    """Plays; has generators of its own."""
    count: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTED, 0))
    """What has been made so far, by the names of `COUNTED`."""
    imitated: Actor | None = None
    """The policy as it was when PPO began, where that is to be remembered."""


def begin(config: Config) -> Learner:
    """The start of a run; ValueError for a setting that the game does not allow."""
    torch.set_num_threads(config.threads)
    game, rules = config.game, rules_of(config.game.rules)
    rules.check_players(game.players)
    reward_of(game.reward)
    _check_players(config, 0)
    torch.manual_seed(config.seed)
    network = _network(config)
    return Learner(network, _optimizer(network), _generator(config), _crew(config, 0))


def save(path: Path, config: Config, learner: Learner) -> None:
    """Write a checkpoint of the run; it is also the file of a `LearnedPlayer`."""
    game = config.game
    rules = rules_of(game.rules)
    agent = describe(rules, game.players, game.codec, game.observation, config.network.hidden)
    agent["weights"] = {name: weight.numpy() for name, weight in learner.network.state_dict().items()}
    training = {
        "config": asdict(config),
        "count": learner.count,
        "optimizer": _optimizer_state(learner.optimizer),
        "generators": {"torch": torch.get_rng_state().numpy(), "numpy": learner.rng.bit_generator.state},
        "collectors": learner.crew.get_state(),
        "critic": _critic(config),
    }
    if learner.imitated is not None:
        training["imitated"] = {name: weight.numpy() for name, weight in learner.imitated.state_dict().items()}
    save_checkpoint(path, {"agent": agent, "training": training})


def load_config(path: Path) -> Config:
    """The settings of the run that wrote a checkpoint."""
    tree = load_checkpoint(path)
    try:
        return config_of(tree["training"]["config"])
    except Exception as error:  # whatever the file holds
        raise CheckpointError(f"{path} holds no run that this version can resume ({error})") from error


def resume(path: Path, config: Config) -> Learner:
    """The run of a checkpoint, as if it had never stopped.

    `CheckpointError` says why it cannot go on; ValueError which player is missing that it is still to imitate.
    """
    tree = load_checkpoint(path)
    try:
        count = _counted(tree["training"]["count"])
    except Exception as error:  # whatever the file holds
        raise _damage(path, error) from error
    _check_players(config, count["updates"])
    torch.set_num_threads(config.threads)
    try:
        agent, training = tree["agent"], tree["training"]
        codec, observation = interface(agent, path)
        _check_agent(agent, config)
        _check_critic(training, config)
        network = with_weights(partial(_network, config), agent.get("weights"), path)
        imitated = None
        if "imitated" in training:
            untrained = partial(actor, observation.size, codec.n, agent["hidden"])
            imitated = with_weights(untrained, training["imitated"], path)
        optimizer, generator = _optimizer(network), _generator(config)
        _load_optimizer(optimizer, training["optimizer"])
        generator.bit_generator.state = training["generators"]["numpy"]
        torch.set_rng_state(torch.tensor(training["generators"]["torch"]))
        crew = _crew(config, count["updates"], training["collectors"])
        return Learner(network, optimizer, generator, crew, count, imitated)
    except (CheckpointError, WorkerError):
        raise
    except Exception as error:  # whatever the file holds
        raise _damage(path, error) from error


def _damage(path: Path, error: Exception) -> CheckpointError:
    return CheckpointError(f"{path} is damaged: the run in it cannot go on ({error!r})")


def _check_agent(agent: dict[str, Any], config: Config) -> None:
    """ValueError unless the agent is of the game that the settings say."""
    game = config.game
    wanted = describe(rules_of(game.rules), game.players, game.codec, game.observation, config.network.hidden)
    for part, meaning in wanted.items():
        if agent[part] != meaning:
            raise ValueError(f"the agent has {part} {agent[part]}, the settings {meaning}")


def _check_critic(training: dict[str, Any], config: Config) -> None:
    """ValueError unless the value network sees what the settings say; in older files it sees the observation."""
    seen, wanted = training.get("critic", {"name": "observation"}), _critic(config)
    if seen != wanted:
        raise ValueError(f"its critic sees {seen}, that of the settings {wanted}")


def _counted(count: dict[str, int]) -> dict[str, int]:
    """`count`, which must have a number for each of `COUNTED`."""
    if set(count) != set(COUNTED) or not all(type(number) is int and number >= 0 for number in count.values()):
        raise ValueError(f"it has counted {count}")
    return count


def _network(config: Config) -> ActorCritic:
    """The untrained network."""
    game, observation = config.game, _observation(config)
    size = Perfect(observation).size if config.network.critic == "perfect" else observation.size
    actions = codec_of(game.codec, rules_of(game.rules)).n
    return ActorCritic(observation.size, actions, config.network.hidden, config.network.end_logit, size)


def _observation(config: Config) -> Observation:
    return observation_of(config.game.observation, rules_of(config.game.rules), config.game.players)


def _critic(config: Config) -> dict[str, Any]:
    """What the value network sees, as JSON values."""
    if config.network.critic == "observation":
        return {"name": "observation"}
    where = Perfect(_observation(config)).layout["racks"].where
    return {"name": "perfect", "racks": [where.start, where.stop]}


def _players(config: Config, updates: int) -> list[str]:
    """The names of the teacher and its partners; none when after so many updates imitation is over."""
    if config.teacher.player is None or updates >= config.imitations:
        return []
    return [config.teacher.player, *config.teacher.partners]


def _check_players(config: Config, updates: int) -> None:
    """ValueError for a player that is not there, or cannot play this game: better here than in a worker."""
    rules = rules_of(config.game.rules)
    for name in _players(config, updates):
        first = deal(rules, config.game.players, seed=0)
        make(name, rules).move(view(first, first.to_move), np.random.default_rng(0))


def _optimizer(network: ActorCritic) -> torch.optim.Adam:
    return torch.optim.Adam(network.parameters(), eps=1e-5)


def _generator(config: Config) -> np.random.Generator:
    return np.random.default_rng(_seeds(config, 0)[0])


def _crew(config: Config, updates: int, states: "list[dict[str, Any]] | None" = None) -> Crew:
    """The workers after so many updates, at their start or in the states given."""
    crew = Crew(config.workers, partial(_collector, config, _players(config, updates)))
    try:
        if states is not None:
            crew.set_state(states)
    except BaseException:
        crew.close()
        raise
    return crew


def _collector(config: Config, players: list[str], worker: int) -> Collector:
    """The collector of one worker, with deals and samples of its own, and the teacher and partners that are named."""
    deals, samples = _seeds(config, 1 + worker)
    tables = VectorEnv(
        config.tables,
        num_players=config.game.players,
        rules=config.game.rules,
        actions=config.game.codec,
        observation=config.game.observation,
        reward=config.game.reward,
        draws=config.game.draws,
        seed=deals,
    )
    teacher = Teacher(tables, players[0], players[1:]) if players else None
    return Collector(tables, samples, perfect=config.network.critic == "perfect", teacher=teacher)


def _seeds(config: Config, use: int) -> list[int]:
    """Two independent seeds for each use: 0 = the learner, 1 + i = worker i."""
    return [int(seed) for seed in np.random.SeedSequence(config.seed, spawn_key=(use,)).generate_state(2)]


def _optimizer_state(optimizer: torch.optim.Adam) -> dict[str, Any]:
    """The optimizer's `state_dict` with text keys and NumPy arrays."""
    state = optimizer.state_dict()
    moments = {
        str(index): {name: value.numpy() for name, value in parameter.items()}
        for index, parameter in state["state"].items()
    }
    return {"state": moments, "param_groups": state["param_groups"]}


def _load_optimizer(optimizer: torch.optim.Adam, saved: dict[str, Any]) -> None:
    """The inverse of `_optimizer_state`; ValueError for moments of another shape, or that are no numbers.

    Only moments and learning rate are read: all else is said by `_optimizer`.
    """
    groups = optimizer.state_dict()["param_groups"]
    groups[0]["lr"] = float(saved["param_groups"][0]["lr"])
    moments = {
        int(index): {name: torch.tensor(value) for name, value in parameter.items()}
        for index, parameter in saved["state"].items()
    }
    shapes = dict(enumerate(parameter.shape for parameter in optimizer.param_groups[0]["params"]))
    for index, parameter in moments.items():
        for name in ("step", "exp_avg", "exp_avg_sq"):
            wanted = torch.Size() if name == "step" else shapes[index]
            if parameter[name].shape != wanted or not parameter[name].isfinite().all():
                raise ValueError(f"{name} {index} of the optimizer")
    optimizer.load_state_dict({"state": moments, "param_groups": groups})
