"""One learner against players: the game as a Gymnasium environment, ``Rummikub-v0``.

>>> import gymnasium
>>> from rummikub_env import rummikub_v0  # registers it
>>> env = gymnasium.make("Rummikub-v0", opponents=["greedy_tiles", ["random", "keep_joker"]])
>>> seen, info = env.reset(seed=1)
>>> over = False
>>> while not over:
...     action = env.action_space.sample(info["action_mask"])
...     seen, reward, over, _, info = env.step(action)

Actions, observations, masks, rewards, infos and what an illegal action does are those of the table it is played on
(`rummikub_env.rummikub_v0`), whose arguments are taken as well. The info also tells the learner's ``seat``. A game is
never cut short: an illegal action terminates it too, which ``info["illegal"]`` tells.

A step is one action of the learner and, if it ends the turn, whatever the others do until the learner is on turn again
or the game is over. The reward is all that its seat got meanwhile, so a game that others end is paid in full.

===================  ==================  ====================================================================
argument             default             meaning
===================  ==================  ====================================================================
opponents            ``"greedy_tiles"``  a player for all other seats, or a list with an entry for each of them
num_players          ``None``            seats; by default as many as the opponents need, 2 for a single one
seat                 ``"drawn"``         the learner's: by lot each game, ``"rotated"`` from 0 on, or its number
mask_in_observation  ``True``            ``{"observation": ..., "action_mask": ...}``; False: the former alone
===================  ==================  ====================================================================

A player is the name of one that is installed (``"keep_joker:k=3"``), the path of a checkpoint, or any `Player`. A list
in place of one is of players of which one is drawn each game. The first entry plays after the learner, wherever that
sits.

One generator, `np_random`, makes all chance: the deal first, so that a seed gives the deal that it gives at the table,
whoever plays. A game that ends before the learner's first turn leaves nothing to decide: another one is dealt.
"""

import inspect
import operator
from collections.abc import Mapping, Sequence
from copy import deepcopy
from typing import Any, Literal, SupportsIndex

import gymnasium
import numpy as np
from numpy.typing import NDArray

from rummikub_env.envs.aec import Observed, RenderMode, RummikubEnv
from rummikub_env.envs.arguments import whole
from rummikub_env.envs.players import player_of
from rummikub_env.game import Move
from rummikub_env.player import Player
from rummikub_env.reasons import IllegalMove
from rummikub_env.rules import RuleSet
from rummikub_env.state import View

Opponent = str | Player
"""A player, its name, or the path of its checkpoint."""
SeatChoice = int | Literal["drawn", "rotated"]


class SingleSeatEnv(gymnasium.Env[Any, np.int64]):
    """Rummikub for one learner; the specification is the docstring of this module.

    An observation is `Observed`, or its vector alone, as an argument says: no type tells which.
    """

    metadata = {"render_modes": RummikubEnv.metadata["render_modes"], "render_fps": 1}  # noqa: RUF012 - Gymnasium's own

    def __init__(
        self,
        opponents: Opponent | Sequence[Opponent | Sequence[Opponent]] = "greedy_tiles",
        *,
        num_players: int | None = None,
        seat: SeatChoice = "drawn",
        mask_in_observation: bool = True,
        render_mode: RenderMode | None = None,
        **table: Any,
    ) -> None:
        if not isinstance(table.get("actions", ""), str):
            raise ValueError(f"actions={table['actions']!r}: one codec, as the learner may sit on any seat")
        if not isinstance(mask_in_observation, bool):
            raise TypeError(f"mask_in_observation={mask_in_observation!r} must be True or False")
        unknown = sorted({*table} - {*inspect.signature(RummikubEnv).parameters})
        if unknown:
            raise TypeError(f"{', '.join(unknown)}: no argument of this env, nor of the table (`RummikubEnv`)")
        entries = _entries(opponents, num_players)
        self.table = RummikubEnv(len(entries) + 1, render_mode=render_mode, **table)
        """The game itself, for all seats; what is done to it there is done to this env."""
        self.render_mode = render_mode
        self._candidates = [[_player(one, self.table.rules) for one in entry] for entry in entries]
        self._seat_choice = _seat_choice(seat, len(entries) + 1)
        self._mask_in_observation = mask_in_observation
        agent = self.table.possible_agents[0]
        self.action_space = self.table.action_space(agent)
        space: Any = self.table.observation_space(agent)
        self.observation_space = space if mask_in_observation else space["observation"]
        self._games = 0
        self.seat, self._drawn, self._unpaid = 0, [0] * len(entries), 0.0  # until a game is dealt

    @property
    def opponents(self) -> list[Player]:
        """The players of this game, from the one after the learner on."""
        return [several[i] for several, i in zip(self._candidates, self._drawn, strict=True)]

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Deal a game, or take that of ``options["state"]``, and let the others play up to the learner's first turn.

        Without `seed` the stream of games goes on. ValueError if a given game ends before that turn.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._games = 0
        self.table.np_random = self.np_random
        self.table.reset(options=options)
        self._take_seats()
        self._play_on()
        while self._is_over():
            if (options or {}).get("state") is not None:
                raise ValueError("the game of options['state'] is over before the learner's turn")
            self.table.reset()
            self._play_on()
        self._unpaid = self._paid()
        return self._seen(), self._info()

    def step(self, action: SupportsIndex) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One action of the learner; what an illegal one does is the table's affair (`illegal`)."""
        self.table._check_reset()
        if self._is_over():
            raise RuntimeError("the game is over: reset() the env first")
        self.table.step(operator.index(action))
        self._play_on()
        reward, self._unpaid = self._unpaid + self._paid(), 0.0
        return self._seen(), reward, self._is_over(), False, self._info()

    def action_masks(self) -> NDArray[np.bool_]:
        """(n,) bool: what the learner may do, under the name that sb3-contrib asks for; all False after the game."""
        self.table._check_reset()
        return np.array(self.table.infos[self._agent]["action_mask"], np.bool_)

    def render(self) -> Any:
        """As the table shows it."""
        return self.table.render()

    # The course of a game

    def _take_seats(self) -> None:
        """Say who plays this game, and where."""
        players, choice = len(self.table.possible_agents), self._seat_choice
        if choice == "drawn":
            self.seat = int(self.np_random.integers(players))
        else:
            self.seat = self._games % players if choice == "rotated" else choice
        self._games += 1
        self._drawn = [int(self.np_random.integers(len(several))) for several in self._candidates]

    @property
    def _agent(self) -> str:
        """The learner's name at the table."""
        return str(self.table.possible_agents[self.seat])

    def _paid(self) -> float:
        """What the learner got since it acted, or since the deal."""
        return float(self.table._cumulative_rewards[self._agent])

    def _is_over(self) -> bool:
        return bool(self.table.terminations[self._agent])

    def _play_on(self) -> None:
        """Let the others play until the learner is on turn or the game is over."""
        try:
            self.table.play_on(self._agent, self._move)
        except IllegalMove as error:
            state = self.table.game_state
            error.add_note(f"the move of {self._opponent(state.to_move).name} on seat {state.to_move} of {state!r}")
            raise

    def _move(self, seen: View) -> Move:
        return self._opponent(seen.seat).move(seen, self.np_random)

    def _opponent(self, seat: int) -> Player:
        """Who plays on this seat."""
        return self.opponents[(seat - self.seat) % len(self.table.possible_agents) - 1]

    def _seen(self) -> Observed | NDArray[np.float32]:
        observed = self.table.observe(self._agent)
        return observed if self._mask_in_observation else observed["observation"]

    def _info(self) -> dict[str, Any]:
        """That of the table, and the seat."""
        return {**self.table.infos[self._agent], "seat": self.seat}

    # Saving

    def clone(self) -> "SingleSeatEnv":
        """An independent copy of the running game, generator included; spaces and players are shared."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.table = self.table.clone()
        if twin.table.np_random is None:  # no game is dealt yet
            twin.np_random = deepcopy(self.np_random)
        twin._share_generator()
        return twin

    def get_state(self) -> dict[str, Any]:
        """The running game as plain JSON data; the players are arguments and not in it."""
        return {
            **self.table.get_state(),
            "seat": self.seat,
            "drawn": list(self._drawn),
            "games": self._games,
            "unpaid": self._unpaid,
        }

    def set_state(self, data: Mapping[str, Any]) -> None:
        """Go on from `get_state` of an env with the same arguments; ValueError for another game."""
        try:
            seat, drawn = whole("seat", data["seat"]), [whole("drawn", one) for one in data["drawn"]]
            games, unpaid = whole("games", data["games"]), float(data["unpaid"])
            over, on_turn = any(data["terminations"].values()), data["agent_selection"]
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"the data is not a state of this env, or it is damaged ({error!r})") from error
        sizes = [len(several) for several in self._candidates]
        if not 0 <= seat <= len(sizes):
            raise ValueError(f"seat {seat} is not one of 0 to {len(sizes)}")
        if len(drawn) != len(sizes) or not all(0 <= i < size for i, size in zip(drawn, sizes, strict=True)):
            raise ValueError(f"drawn {drawn} does not say which of {sizes} opponents play")
        if not over and on_turn != self.table.possible_agents[seat]:
            raise ValueError(f"the learner on seat {seat} is not on turn, but {on_turn!r}")
        self.table.set_state(data)
        self.seat, self._drawn, self._games, self._unpaid = seat, drawn, games, unpaid
        self._share_generator()

    def _share_generator(self) -> None:
        """What the table has restored is the generator of both."""
        if self.table.np_random is not None:
            self.np_random = self.table.np_random


# Arguments


def _entries(opponents: Any, players: int | None) -> list[Sequence[Opponent]]:
    """The candidates for each of the other seats; ValueError where that is not what `opponents` says."""
    if _is_one(opponents):
        return [[opponents]] * (1 if players is None else whole("num_players", players) - 1)
    if not isinstance(opponents, Sequence) or not opponents:
        raise ValueError(f"opponents={opponents!r} must be a player or a list with an entry for each other seat")
    if players is not None and players != len(opponents) + 1:
        raise ValueError(f"num_players={players} leaves {players - 1} seats for {len(opponents)} opponents")
    entries = [[entry] if _is_one(entry) else entry for entry in opponents]
    for entry in entries:
        if not isinstance(entry, Sequence) or not entry or not all(map(_is_one, entry)):
            raise ValueError(f"opponents={opponents!r}: {entry!r} is no player, nor a list of players to draw from")
    return entries


def _is_one(opponent: Any) -> bool:
    return isinstance(opponent, str) or callable(getattr(opponent, "move", None))


def _player(opponent: Opponent, rules: RuleSet) -> Player:
    return player_of(opponent, rules) if isinstance(opponent, str) else opponent


def _seat_choice(seat: Any, players: int) -> SeatChoice:
    if seat in ("drawn", "rotated"):
        by_rule: SeatChoice = seat
        return by_rule
    if isinstance(seat, str) or not 0 <= whole("seat", seat) < players:
        raise ValueError(f"seat={seat!r} is not allowed; allowed: drawn, rotated, 0 to {players - 1}")
    return whole("seat", seat)
