"""Golden games: one for each preset, written line by line, so that changed behaviour is a readable diff.

    python -m tests.golden_games            write those that are missing
    python -m tests.golden_games sabra      write these anew

A game is played through the env by greedy and by random turns, and ends by itself. Its file says for each
turn the state, and for each decision what the seat on turn may do, a digest of what it sees, what it does.
"""

import sys
from collections.abc import Callable, Iterator
from hashlib import sha256
from itertools import groupby
from pathlib import Path

import numpy as np

from rummikub_env import PRESETS, rummikub_v0, solver
from rummikub_env.actions import Mask
from rummikub_env.objectives import weights
from rummikub_env.state import State, deal

FOLDER = Path(__file__).parent / "golden"
PLAYERS = 3
"""Where the rules are for so many."""
SEED = 17

Choose = Callable[[State, Mask, int], int]
"""The action for a state, the mask of the seat on turn, and the number of the decision in its turn."""


def path_of(preset: str) -> Path:
    return FOLDER / f"{preset}.txt"


def transcript(preset: str, start: State, choose: Choose) -> Iterator[str]:
    """The lines of a game that begins with `start`."""
    env = rummikub_v0.env(num_players=start.players, rules=preset, reward="score")
    env.reset(seed=0, options={"state": start})
    text = env.codec.text
    before, number = None, 0
    while not all(env.terminations.values()):
        state, seat = env.game_state, env.agent_selection
        if state != before:
            before, number = state, 0
            yield f"state {state.text()}"
        observed = env.observe(seat)
        mask = observed["action_mask"].astype(bool)
        may = ", ".join(map(text, np.flatnonzero(mask).tolist()))
        yield f"  {seat} sees {digest(observed['observation'])} and may {_brief(may)}"
        action = choose(state, mask, number)
        yield f"  {seat} does {action}: {text(action)}"
        env.step(action)
        number += 1
    yield f"state {env.game_state.text()}"
    for agent in env.agents:
        yield f"  {agent} sees {digest(env.observe(agent)['observation'])} and gets {env.rewards[agent]:g}"


def digest(observation: "np.typing.NDArray[np.float32]") -> str:
    """The same for the same numbers on every machine."""
    return sha256(observation.astype("<f4").tobytes()).hexdigest()[:12]


def _brief(may: str) -> str:
    """``play R7, play R8, end the turn`` as ``play R7 R8, end the turn``."""
    parts = []
    for verb, deeds in groupby(may.split(", "), lambda deed: deed.split()[0]):
        told = [deed.removeprefix("play ") for deed in deeds]
        parts.append(f"play {' '.join(told)}" if verb == "play" else ", ".join(told))
    return ", ".join(parts)


def actions_in(lines: list[str]) -> list[int]:
    """What was done in a written game."""
    return [int(line.split(" does ")[1].partition(":")[0]) for line in lines if " does " in line]


def start_in(lines: list[str]) -> State:
    """The first state of a written game."""
    return State.from_text(lines[0].removeprefix("state "))


def replayed(preset: str, lines: list[str]) -> Iterator[str]:
    """The lines as they are written today, from the same start and by the same actions."""
    actions = iter(actions_in(lines))
    return transcript(preset, start_in(lines), lambda state, mask, number: next(actions))


def played(preset: str) -> Iterator[str]:
    """A new game: one turn in four is random, the others are the best play, tile by tile."""
    rng = np.random.default_rng(SEED)
    plan: list[int] = []

    def choose(state: State, mask: Mask, number: int) -> int:
        nonlocal plan
        if number == 0:
            plan = _best(state) if rng.random() < 0.75 else []
        return plan.pop(0) if plan else int(rng.choice(np.flatnonzero(mask)))

    rules = PRESETS[preset]
    players = max(rules.players_min, min(PLAYERS, rules.players_max))
    return transcript(preset, deal(rules, players, rng), choose)


def _best(state: State) -> list[int]:
    """The actions of the best play; end the turn if there is none."""
    rules, seat = state.rules, state.to_move
    best = solver.best_play(rules, state.table, state.racks[seat], state.opened[seat], weights(rules, "tiles"))
    return [*(rules.tiles.listed(best) if best is not None else ()), rules.tiles.kinds]


def main(presets: list[str]) -> None:
    if unknown := [name for name in presets if name not in PRESETS]:
        sys.exit(f"golden_games: there is no preset {', '.join(unknown)}; there are: {', '.join(PRESETS)}")
    for preset in presets or [name for name in PRESETS if not path_of(name).exists()]:
        lines = list(played(preset))
        path_of(preset).write_text("\n".join(lines) + "\n", encoding="utf-8")
        print(f"{path_of(preset).name}: {len(lines)} lines")


if __name__ == "__main__":
    main(sys.argv[1:])
