"""A player that a training run made: the policy in a checkpoint."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import torch
from torch import nn

from agents.checkpoint import CheckpointError, load_checkpoint
from agents.network import Actor, actor
from rummikub_env.actions import ActionCodec, Draft, Mask, codec_of
from rummikub_env.game import Move
from rummikub_env.observations import Observation, observation_of
from rummikub_env.rules import RuleSet, rules_of
from rummikub_env.state import View

N = TypeVar("N", bound=nn.Module)


@dataclass(frozen=True, eq=False)
class LearnedPlayer:
    """Plays the policy of a network, action by action."""

    name: str
    policy: Actor
    codec: ActionCodec[Any]
    observation: Observation
    sample: bool = False
    """Draw each action from the policy, as in training, rather than take the likeliest."""

    @classmethod
    def load(cls, path: Path, rules: RuleSet, *, sample: bool = False) -> "LearnedPlayer":
        """The player of a checkpoint for games under `rules`; `CheckpointError` says why there is none.

        Only the policy is read: what the value network saw in training is no matter. Who has learned single rounds
        plays them in a match as well.
        """
        agent: Any = load_checkpoint(path).get("agent")
        codec, observation = interface(agent, path)
        if codec.rules not in (rules, rules_of(rules, {"match_end": "open"})):
            raise CheckpointError(
                f"{path} has learned {codec.rules.name} and cannot play {rules.name}: give --rules {codec.rules.name}"
            )
        make = partial(actor, observation.size, codec.n, agent["hidden"])
        policy = with_weights(make, agent.get("weights"), path, "policy.")
        known_by = path.parent.name if path.stem == "checkpoint" else path.stem
        return cls(f"trained ({known_by})", policy.eval(), codec, observation, sample)

    def move(self, view: View, rng: np.random.Generator) -> Move:
        """Spell a move; `rng` is used only to sample."""
        players, seats = self.observation.players, len(view.rack_sizes)
        if players != seats:
            raise ValueError(f"{self.name} knows games of {players} players only, not of {seats}")
        step: Draft | Move = self.codec.begin(view)
        while not isinstance(step, Move):
            mask = self.codec.mask(step)
            forced = np.count_nonzero(mask) == 1
            action = mask.argmax() if forced else self._choose(step, mask, rng)
            step = self.codec.step(step, int(action))
        return step

    @torch.inference_mode()
    def _choose(self, draft: Draft, mask: Mask, rng: np.random.Generator) -> np.intp:
        observation = torch.from_numpy(self.observation.encode(draft.view, draft))
        scores = self.policy.log_probs(observation, torch.tensor(mask)).numpy()
        if np.isnan(scores).any():
            raise CheckpointError(f"{self.name} cannot play: its network gives no numbers")
        if self.sample:
            scores = scores + rng.gumbel(size=scores.shape)  # its maximum is a sample: the Gumbel-max trick
        choice: np.intp = scores.argmax()
        return choice


def describe(rules: RuleSet, players: int, codec: str, observation: str, hidden: Sequence[int]) -> dict[str, Any]:
    """What an agent's inputs and outputs mean, as JSON values; with its weights all that playing takes."""
    return {
        "rules": rules.name,
        "players": players,
        "codec": {"name": codec, "actions": codec_of(codec, rules).n},
        "observation": {"name": observation, "layout": _layout(observation_of(observation, rules, players))},
        "hidden": list(hidden),
    }


def interface(agent: Any, path: Path) -> tuple[ActionCodec[Any], Observation]:
    """The codec and the observation of an agent; `CheckpointError` unless they still mean the same."""
    try:
        rules, players = rules_of(agent["rules"]), agent["players"]
        rules.check_players(players)
        codec = codec_of(agent["codec"]["name"], rules)
        observation = observation_of(agent["observation"]["name"], rules, players)
        saved = describe(rules, players, agent["codec"]["name"], agent["observation"]["name"], agent["hidden"])
    except Exception as error:  # whatever the file holds
        raise CheckpointError(f"{path} was made for a game unknown to this version ({error})") from error
    for part, meaning in saved.items():
        if agent[part] != meaning:
            raise CheckpointError(f"{path} was made with another {part}: {agent[part]}; here it is {meaning}")
    return codec, observation


def with_weights(make: Callable[[], N], weights: Any, path: Path, prefix: str = "") -> N:
    """The network that `make` makes with those weights of the file `path` whose names begin with `prefix`.

    `CheckpointError` when they do not fit, or are no numbers.
    """
    try:
        network = make()
        named = {name: torch.tensor(array) for name, array in weights.items() if name.startswith(prefix)}
        network.load_state_dict({name.removeprefix(prefix): weight for name, weight in named.items()})
    except Exception as error:  # whatever the file holds
        raise CheckpointError(f"{path} is damaged: its weights do not fit its network ({error})") from error
    if not all(numbers.isfinite().all() for numbers in network.parameters()):
        raise CheckpointError(f"{path} is damaged: some of its weights are no numbers")
    return network


def _layout(observation: Observation) -> dict[str, list[int]]:
    """Where each piece lies: name -> [start, stop]."""
    return {name: [field.where.start, field.where.stop] for name, field in observation.layout.items()}
