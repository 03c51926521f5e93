"""How long the lists of the codec `turns` take at full tables, and whether they are whole.

``python -m tests.turn_lists [GAMES [PRESET ...]]`` prints the rows of a table of ``docs/spaces.md``: games of as many
players as a preset allows, each taking one of up to 1,000 listed plays by lot. A list is whole if it holds all plays,
full if it holds 1,000 of more. Milliseconds of the processor.
"""

import sys
import time

import numpy as np

from rummikub_env.actions import codec_of
from rummikub_env.game import advance
from rummikub_env.rules import PRESETS
from rummikub_env.state import deal, view


def main(arguments):
    games, presets = int(arguments[0]) if arguments else 40, arguments[1:] or [*PRESETS]
    for preset in presets:
        players = PRESETS[preset].players_max
        codec = codec_of("turns:k=1000", PRESETS[preset])
        list(lists(codec, players, 1))  # what is loaded and compiled for the first is no list's time
        took, whole, full = zip(*lists(codec, players, games), strict=True)
        short = len(took) - sum(whole) - sum(full)
        print(
            f"| `{preset}`, {players} | {len(took):,} | {sum(full):,} | {short:,} | {np.mean(took):.2f} "
            f"| {np.quantile(took, 0.99):.1f} | {max(took):,.0f} |",
            flush=True,
        )


def lists(codec, players, games):
    """For each turn how long its list took, whether it is whole, and whether it is full."""
    rng = np.random.default_rng(0)
    for game in range(games):
        state = deal(codec.rules, players, game)
        while state.outcome is None:
            draft = codec.begin(view(state, state.to_move))
            began = time.process_time()
            allowed = np.flatnonzero(draft.mask)
            took, whole = 1000 * (time.process_time() - began), draft.complete
            yield took, whole, not whole and len(draft.plays) == draft.k
            state = advance(state, codec.step(draft, int(rng.choice(allowed if len(allowed) == 1 else allowed[:-1]))))


if __name__ == "__main__":
    main(sys.argv[1:])
