"""The settings of learning from labels."""

from dataclasses import dataclass
from typing import ClassVar

from jsonargparse.typing import ClosedUnitInterval, NonNegativeFloat, PositiveFloat, PositiveInt

from agents.search import Rollout
from agents.student.player import Kind, Student


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """How a network learns from labels."""

    epochs: PositiveInt = 8
    """Passes over all labels."""

    batch: PositiveInt = 512
    """Decisions in a gradient step."""

    learning_rate: PositiveFloat = 1e-3
    """AdamW's step size at the start; it falls to 0 along a cosine."""

    weight_decay: NonNegativeFloat = 1e-3
    """How fast weights shrink that nothing speaks for."""

    value_coef: NonNegativeFloat = 1.0
    """Weight of the loss of the probability to win."""

    ema: ClosedUnitInterval = 0.99
    """The student is a moving average of the weights: so much of it stays at each step."""

    channels: PositiveInt = 32
    """Numbers that the network keeps of each tile."""

    blocks: PositiveInt = 2
    """Layers in which each tile sees its neighbours and its value in the other colours."""

    hidden: tuple[PositiveInt, ...] = (128, 64)
    """Widths of the layers behind them."""


@dataclass(frozen=True, kw_only=True)
class LabelsConfig:
    """Learning from labels, in rounds: label decisions, learn from all labels so far, play with what was learned."""

    kind: ClassVar[Kind]

    labels: tuple[PositiveInt, ...] = (30_000, 20_000, 20_000)
    """How many decisions are labelled in each round."""

    partners: tuple[Rollout, ...] = ("tempo", "all_out", "greedy_tiles")
    """Whom the student meets in the games whose decisions are labelled, one of them in each game."""

    partner: ClosedUnitInterval = 0.5
    """Share of the seats but one that the partner plays. The student of the round before plays the others; in the
    first round there is none, and `rollout` plays for it."""

    players: tuple[PositiveInt, ...] = (2,)
    """Seats at the tables where decisions are labelled; of several numbers each in its turn."""

    part: PositiveInt = 100
    """Labels in a file; what is lost when a run is killed."""

    held_out: PositiveInt = 10
    """Every so manieth file is not learned from, but measures what was learned."""

    candidates: PositiveInt = 5
    """Candidates of a decision: what `rollout` plays, the most tiles, none, and others."""

    stray: ClosedUnitInterval = 0.1
    """Share of the decisions in which a seat plays any candidate, so that what follows is labelled as well."""

    rollout: Rollout = "tempo"
    """As whom the student plays the rounds to their end, and from whose plays it deviates."""

    guard: NonNegativeFloat = Student.guard
    """Wins a game by which a play must be better than that of `rollout`."""

    fit: FitConfig = FitConfig()

    least: ClassVar[dict[str, int]] = {"candidates": 2, "held_out": 2}

    def __post_init__(self) -> None:
        if not self.labels:
            raise ValueError(f"{self.kind}.labels must name the labels of one round or more")
        for name, least in self.least.items():
            if getattr(self, name) < least:
                raise ValueError(f"{self.kind}.{name} must be {least} or more, not {getattr(self, name)}")
        for name in ("players", "partners"):
            if not getattr(self, name):
                raise ValueError(f"{self.kind}.{name} must name one or more")
        if -(-self.labels[0] // self.part) < self.held_out:
            raise ValueError(
                f"{self.kind}.labels: {self.labels[0]} in files of {self.part} are fewer than {self.held_out} files, "
                "so that none would be held out"
            )


@dataclass(frozen=True, kw_only=True)
class StudentConfig(LabelsConfig):
    """Learning from search, in rounds: label decisions, learn from all labels so far, play with what was learned."""

    kind = "student"
    least = LabelsConfig.least | {"worlds": 2}

    worlds: PositiveInt = 16
    """Random worlds in which the candidates of a decision are played to the end."""

    taken: ClosedUnitInterval = 1.0
    """Share of the decisions that are labelled before the pool is nearly empty: openings, above all."""

    taken_late: ClosedUnitInterval = 0.5
    """The same where the pool is nearly empty; neighbours tell much the same."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.taken and not self.taken_late:
            raise ValueError("student.taken and student.taken_late must not both be 0: no decision would be labelled")


@dataclass(frozen=True, kw_only=True)
class ValueConfig(LabelsConfig):
    """Learning from who wins whole games, in rounds as from search; but a label is a turn, and who won in the end."""

    kind = "value"

    labels: tuple[PositiveInt, ...] = (150_000, 50_000)
    """How many turns are labelled in each round."""

    partners: tuple[Rollout, ...] = ("greedy_tiles",)
    """Whom the player that learns meets in the games whose turns are labelled, one of them in each game."""

    part: PositiveInt = 5_000
    """Labels in a file; what is lost when a run is killed."""

    candidates: PositiveInt = Student.most
    """Plays among which it chooses in these games: that of `rollout`, the most tiles, none, and others."""

    rollout: Rollout = "greedy_tiles"
    """Who plays for it in the first round, and from whose plays it deviates."""

    turns: PositiveInt = 10
    """Turns of a game that are labelled, at random; neighbours share their end."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.fit.value_coef != FitConfig.value_coef:
            raise ValueError("value.fit.value_coef: there is no other loss to weigh against; leave it out")
