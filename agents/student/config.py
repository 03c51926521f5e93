"""The settings of learning from search."""

from dataclasses import dataclass

from jsonargparse.typing import ClosedUnitInterval, NonNegativeFloat, PositiveFloat, PositiveInt

from agents.search import Rollout


@dataclass(frozen=True, kw_only=True)
class FitConfig:
    """How the student learns from labels."""

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
class StudentConfig:
    """Learning from search, in rounds: label decisions, learn from all labels so far, play with what was learned."""

    labels: tuple[PositiveInt, ...] = (30_000, 20_000, 20_000)
    """How many decisions are labelled in each round."""

    partners: tuple[Rollout, ...] = ("greedy_tiles",)
    """Who plays in the games whose decisions are labelled, beside the student."""

    partner: tuple[ClosedUnitInterval, ...] = (1.0, 0.5, 0.0)
    """In each round the share of seats that a partner plays; the student of the round before plays the others."""

    players: tuple[PositiveInt, ...] = (2,)
    """Seats at the tables where decisions are labelled; of several numbers each in its turn."""

    part: PositiveInt = 100
    """Labels in a file; what is lost when a run is killed."""

    held_out: PositiveInt = 10
    """Every so manieth file is not learned from, but measures what was learned."""

    worlds: PositiveInt = 16
    """Random worlds in which the candidates of a decision are played to the end."""

    candidates: PositiveInt = 5
    """Candidates of a decision: the greedy play, none, and others."""

    taken: ClosedUnitInterval = 0.05
    """Share of the decisions of a game that are labelled; neighbours tell much the same."""

    taken_near: ClosedUnitInterval = 0.5
    """The same for decisions in which the greedy play leaves 3 tiles at most: there waiting can win most."""

    stray: ClosedUnitInterval = 0.1
    """Share of the decisions in which a seat plays any candidate, so that what follows is labelled as well."""

    rollout: Rollout = "greedy_tiles"
    """As whom the seat that decides plays the rounds to their end."""

    others: tuple[Rollout, ...] = ("greedy_tiles",)
    """As whom the others do; of several each in an equal part of the worlds."""

    guard: NonNegativeFloat = 0.005
    """Wins a game by which a play must be better than the greedy one."""

    fit: FitConfig = FitConfig()

    def __post_init__(self) -> None:
        if len(self.labels) != len(self.partner) or not self.labels:
            rounds = f"{len(self.labels)} and {len(self.partner)}"
            raise ValueError(f"student.labels and student.partner must be of as many rounds, not of {rounds}")
        if self.partner[0] < 1:
            raise ValueError("student.partner must begin with 1: there is no student yet in the first round")
        for name, least in {"candidates": 2, "worlds": 2, "held_out": 2}.items():
            if getattr(self, name) < least:
                raise ValueError(f"student.{name} must be {least} or more, not {getattr(self, name)}")
        for name in ("players", "partners", "others"):
            if not getattr(self, name):
                raise ValueError(f"student.{name} must name one or more")
        if not self.taken and not self.taken_near:
            raise ValueError("student.taken and student.taken_near must not both be 0: no decision would be labelled")
        if -(-self.labels[0] // self.part) < self.held_out:
            raise ValueError(
                f"student.labels: {self.labels[0]} in files of {self.part} are fewer than {self.held_out} files, "
                "so that none would be held out"
            )
