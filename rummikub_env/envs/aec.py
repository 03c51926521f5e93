"""The PettingZoo AEC environment. Its specification is the docstring of `rummikub_env.rummikub_v0`."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex, TypedDict, TypeVar

import numpy as np
from gymnasium import logger, spaces
from gymnasium.utils import seeding
from numpy.typing import NDArray
from pettingzoo import AECEnv

from rummikub_env.actions import ActionCodec, Draft, TilesCodec, check
from rummikub_env.envs.arguments import codecs_of, finite, game_of, most_steps, one_of
from rummikub_env.envs.position import Position, first, from_json, given, go_on, restored, turn
from rummikub_env.envs.positions import Positions
from rummikub_env.envs.rewards import reward_of
from rummikub_env.game import Move
from rummikub_env.match import Match
from rummikub_env.observations import Field, Observation, Perfect, observation_of
from rummikub_env.render import render_state, terminal_has_colour
from rummikub_env.rules import RuleSet
from rummikub_env.state import Draws, State, View

if TYPE_CHECKING:
    from rummikub_env.envs.tables import Tables

T = TypeVar("T")

IllegalPolicy = Literal["terminate", "raise"]
RenderMode = Literal["ansi", "human"]

_AFTER_RESET = {"agents", "num_agents", "agent_selection", "rewards", "terminations", "truncations", "infos"}
_PER_AGENT = ("rewards", "_cumulative_rewards", "terminations", "truncations")


class Observed(TypedDict):
    """What `observe` returns."""

    observation: NDArray[np.float32]  # (observation size,), see `layout`
    action_mask: NDArray[np.int8]  # (actions,), all 0 out of turn


class _ByAgent(dict[str, T]):
    """Something for each agent; ValueError for who is none."""

    def __missing__(self, agent: str) -> T:
        raise ValueError(f"{agent!r} is not an agent: {', '.join(self)}")


class RummikubEnv(AECEnv):  # type: ignore[misc]  # PettingZoo is shipped without type information
    """Rummikub for 2 to 6 agents that take turns; see `rummikub_env.rummikub_v0`."""

    metadata = {  # noqa: RUF012 - PettingZoo's own name and type
        "name": "rummikub_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        num_players: int = 2,
        *,
        rules: str | RuleSet = "sabra",
        overrides: Mapping[str, Any] | None = None,
        actions: str | Mapping[str, str] = "tiles",
        observation: str | Sequence[str] = "counts",
        reward: str = "win",
        draws: Draws = "shared",
        match: Mapping[str, int] | None = None,
        max_steps_per_turn: int | None = None,
        illegal: IllegalPolicy = "terminate",
        illegal_reward: float = -1.0,
        render_mode: RenderMode | None = None,
    ) -> None:
        self.rules, num_players = game_of(rules, overrides, num_players, match)
        self._most_steps = most_steps(self.rules, max_steps_per_turn)
        self.possible_agents = [f"player_{seat}" for seat in range(num_players)]
        self.codec: Any  # an `ActionCodec`; some can do more (`TurnsCodec.features`)
        self.codec, self._codecs = codecs_of(actions, self.possible_agents, self.rules)
        self.encoder = observation_of(observation, self.rules, num_players)
        self._tables = _tables(self.codec, self.encoder, reward, self._most_steps)
        self._reward = reward_of(reward)
        self._draws = one_of("draws", draws, Draws)
        self._illegal = one_of("illegal", illegal, IllegalPolicy)
        self._illegal_reward = finite("illegal_reward", illegal_reward)
        self.render_mode = None if render_mode is None else one_of("render_mode", render_mode, RenderMode)
        self._seats = _ByAgent({agent: seat for seat, agent in enumerate(self.possible_agents)})
        self._sizes = [codec.n for codec in self._codecs]
        sizes = dict(zip(self.possible_agents, self._sizes, strict=True))
        self.action_spaces = _ByAgent({agent: spaces.Discrete(n) for agent, n in sizes.items()})
        self.observation_spaces = _ByAgent({agent: self._observed_space(n) for agent, n in sizes.items()})
        self._perfect = Perfect(self.encoder)
        self.state_space = spaces.Box(self._perfect.low, self._perfect.high, dtype=np.float32)
        self._random: np.random.Generator | Mapping[str, Any] | None = None  # or the state of one: see `clone`
        self._infos: dict[str, dict[str, Any]] = {}

    def _observed_space(self, n: int) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(self.encoder.low, self.encoder.high, dtype=np.float32),
                "action_mask": spaces.Box(0, 1, (n,), np.int8),
            }
        )

    def observation_space(self, agent: str) -> spaces.Dict:
        """The space of what `agent` observes; the same object each time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The actions of `agent`; the same object each time."""
        return self.action_spaces[agent]

    @property
    def layout(self) -> Mapping[str, Field]:
        """Where each piece of an observation lies in the vector, and what it means."""
        return self.encoder.layout

    @property
    def state_layout(self) -> Mapping[str, Field]:
        """The same for `state`."""
        return self._perfect.layout

    @property
    def draft(self) -> Draft | None:
        """What the agent on turn has spelled so far, and what it sees (``draft.view``); None when the game is over."""
        self._check_reset()
        draft: Draft | None = None if self._on_turn is None else self._tables.position(0).draft
        return draft

    @property
    def game_state(self) -> State:
        """The game behind the env, all hidden tiles included: for referees, not for players."""
        self._check_reset()
        return self._tables.state(0)

    @property
    def match(self) -> Match | None:
        """The rounds of the match that are over; None where an episode is a single round."""
        self._check_reset()
        return self._tables.matches[0]

    @property
    def np_random(self) -> np.random.Generator | None:
        """The generator that deals the games; None before the first `reset`."""
        if isinstance(self._random, Mapping):
            self._random = restored(self._random)
        return self._random

    @np_random.setter
    def np_random(self, generator: np.random.Generator | None) -> None:
        self._random = generator

    # Playing

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Deal a new game, or the first round of a new match. Without `seed` the stream of games goes on.

        ``options["state"]``, a `State` or its text, starts from that position instead (in a match, as its first
        round); other options are ignored.
        """
        if not isinstance(options, Mapping | None):
            raise TypeError(f"options={options!r} must be a mapping such as {{'state': TEXT}}, or None")
        start = self._given((options or {}).get("state"))
        if seed is not None or self.np_random is None:
            self.np_random, _ = seeding.np_random(seed)
        self._enter(start or first(self.codec, len(self.possible_agents), self.np_random, self._draws))

    def _given(self, state: State | str | None) -> Position | None:
        """The position to start from, if there is one."""
        if state is None:
            return None
        if not isinstance(state, State | str):
            raise TypeError(f"options['state'] must be a State or its text, not {state!r}")
        return given(self.codec, len(self.possible_agents), State.from_text(state) if isinstance(state, str) else state)

    def _enter(self, position: Position) -> None:
        """Make `position` the beginning of an episode."""
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._offender: str | None = None
        self._tables.put(0, position)
        self._go_on()

    def step(self, action: SupportsIndex | None) -> None:
        """One action of `agent_selection`; None, and only None, for an agent whose game is over.

        ValueError for an action outside the action space. An action that the mask forbids ends the game
        (``illegal="terminate"``) or raises `IllegalAction`, which changes nothing (``illegal="raise"``).
        """
        self._check_running()
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        index = self._index(action, self._sizes[self._seats[agent]])
        if self._tables.masks[0, index]:
            self._act(agent, index)
        elif self._illegal == "terminate":
            self._forfeit(agent)
        else:
            check(self._codecs[self._seats[agent]], self._tables.position(0).draft, index)
        if self.render_mode == "human":
            self.render()

    def _act(self, agent: str, action: int) -> None:
        rewards, over = self._tables.step(np.array([action]))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, 0.0)
        if over or self._tables.is_shaped:
            self._pay(rewards[0].tolist())
        if over:
            self._tables.put(0, self._next(self._tables.position(0)))
        self._go_on()

    def play(self, move: Move) -> None:
        """A whole turn of `agent_selection` in one step, in place of the actions that spell it.

        ValueError where some of them were made already, or the game is over; `IllegalMove` for what the rules forbid;
        TypeError for what is no `Move`. None of them changes anything.
        """
        self._check_running()
        if not isinstance(move, Move):
            raise TypeError(f"a turn is a Draw, Pass, Play or TimeOut, not {move!r}")
        self._show(self._turn(self._beginning(), move))

    def play_on(self, agent: str, choose: Callable[[View], Move]) -> None:
        """Whole turns of the others, as by `play`, until `agent` is on turn or the game is over.

        choose: the move of the seat on turn, from what it sees. An error leaves the game where it was raised. What only
        the others would see, their masks and observations, is not made: that saves time. ValueError for an agent that
        does not play, or where some actions of a turn were made already; else as `play`.
        """
        self._check_running()
        seat = self._seats[agent]
        if self._on_turn in (None, seat):
            return
        position = self._beginning()
        try:
            while position.draft is not None and position.state.to_move != seat:
                position = self._turn(position, choose(position.draft.view))
                if self.render_mode == "human":
                    self._show(position)
        finally:
            if self.render_mode != "human":
                self._show(position)

    def _beginning(self) -> Position:
        """The position, in which a turn begins."""
        position = self._tables.position(0)
        if position.draft is None or position.actions or self._offender is not None:
            raise ValueError("a whole turn can be played only where one begins")
        return position

    def _turn(self, before: Position, move: Move) -> Position:
        """Pay for a whole turn; the position that it leads to."""
        after = turn(self.codec, before, move)
        self._cumulative_rewards[self.possible_agents[before.state.to_move]] = 0.0
        self._pay(self._reward(before.state, after.state, after.match).tolist())
        return self._next(after)

    def _next(self, position: Position) -> Position:
        """The position, or the start of the next round in a match that goes on; else the game is over for all."""
        assert self.np_random is not None
        going_on = go_on(self.codec, position, self.np_random, self._draws)
        if going_on.draft is None:
            self.terminations = dict.fromkeys(self.agents, True)
        return going_on

    def _show(self, position: Position) -> None:
        """Make this the position of the game, and tell everybody."""
        self._tables.put(0, position)
        self._go_on()
        if self.render_mode == "human":
            self.render()

    def _forfeit(self, agent: str) -> None:
        """The end of a game by an illegal action, as PettingZoo's TerminateIllegalWrapper has it."""
        self._cumulative_rewards[agent] = 0.0
        self._pay([self._illegal_reward if other == agent else 0.0 for other in self.agents])
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self._offender = agent
        self._go_on()

    def _pay(self, rewards: list[float]) -> None:
        self.rewards = dict(zip(self.agents, rewards, strict=True))
        self._accumulate_rewards()

    def _seat_on_turn(self) -> int | None:
        """The seat to move; None where the game is over."""
        return None if self._offender is not None else self._tables.on_turn(0)

    def _go_on(self) -> None:
        """Say who is on turn."""
        self._on_turn = self._seat_on_turn()
        self.agent_selection = self.agents[0] if self._on_turn is None else self.possible_agents[self._on_turn]
        self._infos = {}

    def _was_dead_step(self, action: SupportsIndex | None) -> None:
        """Remove an agent whose game is over: all of them end together, so the next one is the first left."""
        if action is not None:
            raise ValueError(f"the game is over for {self.agent_selection}: step(None) is all that is allowed")
        agent = self.agent_selection
        self.agents.remove(agent)
        for values in (getattr(self, name) for name in _PER_AGENT):
            del values[agent]
        if self.agents:
            self.agent_selection = self.agents[0]
        self._infos = {}
        self._clear_rewards()

    # Seeing

    def observe(self, agent: str) -> Observed:
        """What `agent` may know, in fresh arrays: valid for every agent at every moment."""
        self._check_reset()
        seat, tables = self._seats[agent], self._tables
        seen = tables.observations[0].copy() if seat == self._on_turn else tables.observe(0, seat)
        return {"observation": seen, "action_mask": self._mask(seat)}

    def state(self, agent: str | None = None) -> NDArray[np.float32]:
        """What `agent` observes and all other racks, (size of `state_space`,) float32, new: for critics, not players.

        agent: by default who is on turn. `state_layout` says where each piece lies.
        """
        self._check_reset()
        agent = agent or self.agent_selection
        seen = self.observe(agent)["observation"]
        whole: NDArray[np.float32] = self._perfect.complete(seen[None], self._tables.racks, [self._seats[agent]])[0]
        return whole

    @property
    def infos(self) -> dict[str, dict[str, Any]]:
        """For each agent numbers only, the same keys always; made when they are first asked for."""
        return {agent: self._info(agent) for agent in self.agents}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What `agent_selection` observes (`Observed`; None if not asked for), its reward, is it over, info."""
        agent = self.agent_selection
        observed = self.observe(agent) if observe else None
        over = self.terminations[agent], self.truncations[agent]
        return observed, self._cumulative_rewards[agent], *over, self._info(agent)

    def _info(self, agent: str) -> dict[str, Any]:
        """The same object until the next step."""
        if agent not in self._infos:
            self._infos[agent] = self._informed(agent)
        return self._infos[agent]

    def _informed(self, agent: str) -> dict[str, Any]:
        seat, tables = self._seats[agent], self._tables
        outcome, match = tables.outcomes[0], tables.matches[0]
        score = 0 if outcome is None else outcome.scores[seat]
        return {
            "action_mask": self._mask(seat),
            "turn": tables.turns.item(0),
            "score": score,
            "round": 1 if match is None else len(match.rounds) + (outcome is None),
            "match_score": score if match is None else match.totals[seat],
            "illegal": int(agent == self._offender),
        }

    def _mask(self, seat: int) -> NDArray[np.int8]:
        """(actions,), new: all 0 out of turn."""
        n = self._sizes[seat]
        return self._tables.masks[0, :n].astype(np.int8) if seat == self._on_turn else np.zeros(n, np.int8)

    def render(self) -> str | None:
        """The table as a spectator sees it, all racks open: a string (``ansi``) or printed (``human``)."""
        self._check_reset()
        if self.render_mode is None:
            logger.warn("render() does nothing without a render_mode: make the env with render_mode='ansi'")
            return None
        draft = self.draft
        spelled = None if draft is None else draft.spelled
        text = render_state(self._tables.state(0), spelled, colour=terminal_has_colour())
        if self.render_mode == "ansi":
            return text
        print(text, end="\n\n")
        return None

    def close(self) -> None:
        """Nothing is held open; may be called at any time, and again."""

    # Saving

    def clone(self) -> "RummikubEnv":
        """An independent copy of the running game, generator included, in microseconds.

        The spaces are shared: to sample actions from a generator of its own as well, use `copy.deepcopy`.
        """
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._tables = self._tables.copy()
        if isinstance(self._random, np.random.Generator):
            twin._random = self._random.bit_generator.state  # making a generator of it can wait until it is used
        if "agents" in self.__dict__:
            twin.agents = self.agents[:]
            for name in _PER_AGENT:
                setattr(twin, name, dict(getattr(self, name)))
            twin._infos = {}
        return twin

    def get_state(self) -> dict[str, Any]:
        """The running game as plain JSON data: the state in text, the half-spelled turn, the generator."""
        self._check_reset()
        assert self.np_random is not None
        position = self._tables.position(0)
        if self._on_turn is None:
            position = replace(position, draft=None, actions=())
        return {
            **position.to_json(self.codec),
            "generator": self.np_random.bit_generator.state,
            "agents": self.agents[:],
            "agent_selection": self.agent_selection,
            "offender": self._offender,
            **{name: dict(getattr(self, name)) for name in _PER_AGENT},
        }

    def set_state(self, data: Mapping[str, Any]) -> None:
        """Go on from `get_state` of an env with the same arguments; ValueError for another game."""
        try:
            read = self._read(data)
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"the data is not a state of this env, or it is damaged ({error!r})") from error
        self._tables.put(0, read.pop("position"))  # not before all is read, so that damaged data changes nothing
        self.__dict__.update(read)
        self._on_turn = self._seat_on_turn()
        self._infos = {}

    def _read(self, data: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes that `get_state` described; ValueError, KeyError, ... unless they fit together."""
        position = from_json(self.codec, len(self.possible_agents), data, self._most_steps)
        offender, agents, selection = data["offender"], list(data["agents"]), data["agent_selection"]
        over = offender is not None or position.draft is None
        left = [agent for agent in self.possible_agents if agent in agents]
        if agents != left or not (over or left == self.possible_agents):
            raise ValueError(f"agents {agents} are not those of this game")
        allowed = agents or self.possible_agents if over else [self.possible_agents[position.state.to_move]]
        if selection not in allowed:
            raise ValueError(f"agent_selection {selection!r} is not on turn: {', '.join(allowed)}")
        if offender not in (None, *self.possible_agents):
            raise ValueError(f"offender {offender!r} is not an agent")
        return {
            "position": position,
            "_random": restored(data["generator"]),
            "agents": agents,
            "agent_selection": selection,
            "_offender": offender,
            "rewards": _numbers(data, "rewards", agents),
            "_cumulative_rewards": _numbers(data, "_cumulative_rewards", agents),
            "terminations": _flags(data, "terminations", agents, over),
            "truncations": _flags(data, "truncations", agents, offender is not None),
        }

    # Checking

    def _index(self, action: SupportsIndex | None, n: int) -> int:
        """The action as an int within an action space of `n`."""
        try:
            index = operator.index(action)  # type: ignore[arg-type]
        except TypeError:
            raise ValueError(f"action {action!r} is not an integer from 0 to {n - 1}") from None
        if not 0 <= index < n:
            raise ValueError(f"action {index} is not in the action space: 0 to {n - 1}")
        return index

    def _check_reset(self) -> None:
        if "agents" not in self.__dict__:
            raise RuntimeError("reset() the env first")

    def _check_running(self) -> None:
        self._check_reset()
        if not self.agents:
            raise RuntimeError("the game is over for all agents: reset() the env first")

    def __getattr__(self, name: str) -> Any:
        if name in _AFTER_RESET:
            raise AttributeError(f"{name} is not there yet: reset() the env first")
        raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")


def _numbers(data: Mapping[str, Any], name: str, agents: list[str]) -> dict[str, float]:
    """A number for each of the agents; ValueError if it is not that."""
    values = dict(data[name])
    if list(values) != agents or not all(isinstance(value, int | float) for value in values.values()):
        raise ValueError(f"{name} {values} must be a number for each of {agents}")
    return values


def _flags(data: Mapping[str, Any], name: str, agents: list[str], flag: bool) -> dict[str, bool]:
    """The same flag for each of the agents; ValueError if it is not that."""
    values = dict(data[name])
    if values != dict.fromkeys(agents, flag):
        raise ValueError(f"{name} {values} must be {flag} for each of {agents}")
    return dict.fromkeys(agents, flag)


def _tables(codec: ActionCodec[Any], encoder: Observation, reward: str, most_steps: int | None) -> "Tables | Positions":
    """What the kernels step, where they know the codec."""
    if not isinstance(codec, TilesCodec):
        return Positions(codec, encoder, 1, reward, most_steps)
    from rummikub_env.envs.tables import Tables  # here, since it brings numba: a third of a second

    return Tables(codec, encoder, 1, reward, most_steps)


raw_env = RummikubEnv
env = RummikubEnv
"""PettingZoo's two names. What its stock wrappers check, the class checks, in a fraction of the time."""
