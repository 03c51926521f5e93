"""The settings of a training run, and how a command line and YAML files become them.

A config file in `configs/` states only what differs from these defaults, and why.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

import yaml
from jsonargparse import ArgumentError, ArgumentParser, set_parsing_settings
from jsonargparse.typing import NonNegativeFloat, NonNegativeInt, PositiveFloat, PositiveInt

from agents import OPPONENTS
from agents.student.config import StudentConfig, ValueConfig
from rummikub_env.rules import rules_of

set_parsing_settings(docstring_parse_attribute_docstrings=True)


@dataclass(frozen=True, kw_only=True)
class GameConfig:
    """What is played and what the network sees of it."""

    rules: str = "sabra"
    """Rules by name: a preset, if need be with overrides (sabra:max_value=6,rack_size=5)."""

    players: PositiveInt = 2
    """Seats at a table; the one network plays them all."""

    observation: str = "counts"
    """What the network sees, by names joined with + (counts+history)."""

    codec: str = "tiles"
    """Action codec by name, if need be with options (turns:k=128)."""

    reward: str = "win"
    """Reward by name: `win` is +1 for the winner and -1 shared by the others."""

    draws: Literal["shared", "private"] = "shared"
    """Draws from one shuffled pool, or by each seat from a random order of its own (fair as well)."""


@dataclass(frozen=True, kw_only=True)
class NetworkConfig:
    """The actor-critic."""

    hidden: tuple[PositiveInt, ...] = (256, 256)
    """Widths of the hidden layers, in the policy and in the value network."""

    critic: Literal["observation", "perfect"] = "observation"
    """What the value network sees: the observation, or the racks of all others as well. The policy never sees those,
    and who plays needs the policy only."""

    end_logit: float = -2.0
    """Initial logit of END, the action that ends a turn. Below 0 the untrained agent tends to play on."""


@dataclass(frozen=True, kw_only=True)
class PPOConfig:
    """Proximal policy optimisation."""

    learning_rate: PositiveFloat = 1e-3
    """Adam's step size at the first update."""

    final_learning_rate: NonNegativeFloat = 0.0
    """Adam's step size after the last update; linear in between."""

    gamma: PositiveFloat = 1.0
    """Discount from one decision of a seat to its next one."""

    gae_lambda: NonNegativeFloat = 0.95
    """GAE: 1 = whole returns (no bias, much noise), 0 = one step (the reverse)."""

    clip: PositiveFloat = 0.2
    """Probability ratios beyond 1 +- clip earn nothing more."""

    epochs: PositiveInt = 3
    """Passes over the decisions of an update."""

    minibatch: PositiveInt = 2048
    """Decisions in a gradient step."""

    value_coef: NonNegativeFloat = 0.5
    """Weight of the value loss."""

    entropy_coef: NonNegativeFloat = 0.01
    """Weight of the entropy bonus (nats)."""

    max_grad_norm: PositiveFloat = 0.5
    """Longer gradients are scaled down to this length."""

    kl_coef: NonNegativeFloat = 0.0
    """Weight of the KL divergence (nats) of the policy from the one that imitated `teacher`, at the first update."""

    final_kl_coef: NonNegativeFloat = 0.0
    """The same after the last update; linear in between."""


@dataclass(frozen=True, kw_only=True)
class TeacherConfig:
    """Imitation before PPO: the network learns what a player does, and what comes of it."""

    player: str | None = None
    """The player by name, or a checkpoint; none = PPO from scratch."""

    partners: tuple[str, ...] = ()
    """Whom it meets besides itself, each at as many tables; what they do is not imitated."""

    updates: PositiveInt = 40
    """Updates of the run that imitate; the others are of PPO."""

    epochs: PositiveInt = 6
    """Passes over the decisions of an update meanwhile: a teacher thinks longer than a network."""

    minibatch: PositiveInt = 512
    """Decisions in a gradient step meanwhile."""

    learning_rate: PositiveFloat = 1e-3
    """Adam's step size meanwhile."""


@dataclass(frozen=True, kw_only=True)
class EvaluationConfig:
    """The table at the end of a run."""

    opponents: tuple[str, ...] = OPPONENTS
    """The players that the trained one meets, by name; none = no evaluation."""

    games: PositiveInt = 2000
    """Games against each opponent: the same deals with every seating."""

    seed: NonNegativeInt = 1_000_000
    """Seed of the deals; the same for every run, and never used in training."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """A training run."""

    method: Literal["ppo", "student", "value"] = "ppo"
    """ppo: by self-play; student: from search, value: from who wins whole games, each as the settings of its name say,
    with workers, threads and game."""

    run: str | None = None
    """Folder of the run, which must not hold one yet; default runs/<date>-<time>."""

    seed: NonNegativeInt = 0
    """Seed of the weights, the deals and the sampled actions."""

    updates: PositiveInt = 400
    """Updates in the run, of `ppo` and of what goes before it."""

    minutes: NonNegativeFloat = 0.0
    """Train no longer than this, then evaluate; 0 = no limit. The learning rate follows `updates` anyway."""

    tables: PositiveInt = 128
    """Tables played side by side by each worker."""

    workers: PositiveInt = 2
    """Processes that play; 1 = no process besides the learner."""

    threads: PositiveInt = 1
    """Threads of the learner. More help only while the cores are idle, and slow it down many times if not."""

    decisions: PositiveInt = 8192
    """Decisions with a choice that an update learns from, all tables together."""

    checkpoint_every: PositiveInt = 20
    """Updates between checkpoints; there is always one at the end."""

    game: GameConfig = GameConfig()
    network: NetworkConfig = NetworkConfig()
    teacher: TeacherConfig = TeacherConfig()
    ppo: PPOConfig = PPOConfig()
    student: StudentConfig = field(default_factory=StudentConfig)
    value: ValueConfig = field(default_factory=ValueConfig)
    evaluation: EvaluationConfig = EvaluationConfig()

    def __post_init__(self) -> None:
        for name, method in METHOD_OF.items():
            if self.method != method and getattr(self, name) != type(getattr(self, name))():
                raise ValueError(f"{name}: the method {self.method} makes nothing of its settings; leave them out")
        if self.method != "ppo":
            for players in self.labelling.players:
                rules_of(self.game.rules).check_players(players)
            return
        # A rollout ends with an open decision a seat, which the next one must have room for
        seats = self.workers * self.tables * self.game.players
        if self.decisions < 2 * seats:
            raise ValueError(
                f"decisions={self.decisions} are too few for an update: {self.workers} workers x "
                f"{self.tables} tables x {self.game.players} players need {2 * seats} or more"
            )
        self._check_teacher()
        if self.teacher.player is None and (self.ppo.kl_coef or self.ppo.final_kl_coef):
            raise ValueError("ppo.kl_coef keeps the policy near what has imitated a player: name a teacher.player")

    def _check_teacher(self) -> None:
        """ValueError for settings of the teacher that would be ignored, or that cannot be followed."""
        if self.teacher.player is None and self.teacher != TeacherConfig():
            raise ValueError("teacher: its settings say how to imitate a player: name a teacher.player")
        if len(self.teacher.partners) >= self.tables:
            raise ValueError(
                f"tables={self.tables} are too few for teacher.partners: the teacher alone and each of the "
                f"{len(self.teacher.partners)} partners need one"
            )
        if self.teacher.player is not None and self.game.codec.startswith("turns"):
            raise ValueError("teacher.player: not all moves of a player are among the actions of the codec turns")

    @property
    def labelling(self) -> StudentConfig | ValueConfig:
        """What labels are made and how they are learned, in the methods that learn from labels."""
        return self.value if self.method == "value" else self.student

    @property
    def imitations(self) -> int:
        """Updates that imitate the teacher; they come first."""
        return 0 if self.teacher.player is None else min(self.teacher.updates, self.updates)

    def done(self, updates: int) -> float:
        """The share of the PPO updates that is behind after so many updates, `imitations` or more: 0 to 1."""
        done: float = (updates - self.imitations) / (self.updates - self.imitations)
        return done


METHOD_OF = {"network": "ppo", "teacher": "ppo", "ppo": "ppo", "student": "student", "value": "value"}
"""Which method a group of settings is for."""


def config_parser(program: str) -> ArgumentParser:
    """The command line of a script that takes a `Config`: --config FILE, --key=value, --group.key=value."""
    parser = ArgumentParser(
        prog=program,
        description=Config.__doc__,
        usage="%(prog)s [--config FILE] [--key=value ...]",
        exit_on_error=False,
    )
    parser.add_argument("--config", action="config", help="YAML file with settings; later options override it.")
    parser.add_class_arguments(Config, as_group=False)
    return parser


def read_config(parser: ArgumentParser, arguments: Sequence[str]) -> Config:
    """The settings of a command line; ValueError for wrong ones, or those that do not go together."""
    try:
        values = vars(parser.instantiate(parser.parse_args(arguments)))
    except ArgumentError as error:
        raise ValueError(str(error)) from None
    return Config(**{field.name: values[field.name] for field in fields(Config)})


def config_text(config: Config) -> str:
    """The settings as a YAML file."""
    plain = json.loads(json.dumps(asdict(config)))  # YAML does not know the number types of jsonargparse
    return yaml.safe_dump(plain, sort_keys=False)


def config_of(settings: dict[str, Any]) -> Config:
    """The inverse of `asdict(config)`; ValueError for an unknown key or a wrong value."""
    parser = config_parser("config")
    try:
        return Config(**vars(parser.instantiate(parser.parse_object(settings, defaults=False))))
    except Exception as error:
        raise ValueError(str(error)) from None


def flat(settings: dict[str, Any], prefix: str = "") -> dict[str, Any]:
    """The settings by dotted name, as on a command line: {"ppo": {"clip": 0.1}} -> {"ppo.clip": 0.1}."""
    named: dict[str, Any] = {}
    for key, value in settings.items():
        named |= flat(value, f"{prefix}{key}.") if isinstance(value, dict) else {f"{prefix}{key}": value}
    return named
