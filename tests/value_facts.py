"""How much of who wins a value network tells, in each quarter of a game: beside the ceilings of ``docs/facts.md``.

``python -m tests.value_facts FILE [GAMES]`` plays new games of two that make the best play, as `tests.game_facts` does,
and prints for the network of FILE the share of the variance of the wins that it explains, with 95% intervals over
games. It is asked as who has just moved; and what it says of who goes out and of who loses.
"""

import sys

import numpy as np

from agents.student.features import choice_of
from agents.student.player import Learned, Student, ratings
from rummikub_env.game import advance
from rummikub_env.rules import rules_of
from rummikub_env.state import view
from tests.game_facts import QUARTERS, game, greedy_move

RULES = rules_of("sabra")


def main(arguments):
    player, games = Student(arguments[0]), int(arguments[1]) if arguments[1:] else 2000
    learned = Learned(player.weights, player.base, "value")
    told, sure = map(np.array, zip(*(told_of(learned, number) for number in range(games)), strict=True))
    rng = np.random.default_rng(0)
    again = [explained(told[rng.integers(games, size=games)]) for _ in range(1000)]
    bounds = np.stack([explained(told), *np.quantile(again, [0.025, 0.975], axis=0)])
    print(f"\n{arguments[0]}: {games:,} games\n")
    print("|", " | ".join(f"{mean:.1f}% ({low:.1f}-{high:.1f})" for mean, low, high in 100 * bounds.T), "|")
    chances = (
        f"{mean:.3f} ({low:.3f}-{high:.3f})" for mean, low, high in np.quantile(sure, [0.5, 0.05, 0.95], axis=0).T
    )
    print("median and 5% to 95% of games: it goes out {}, the last turn of who loses {}".format(*chances))


def told_of(learned, number):
    """(quarters, 2): what the network says before a turn of each quarter of who has just moved, and whether it won.

    And (2,): what it says after the last turn, which goes out, and after the one before it.
    """
    moments, rng = list(game(RULES, 2, number)), np.random.default_rng(number)
    ends = [len(moments) * quarter // QUARTERS for quarter in range(QUARTERS + 1)]
    after = [rng.integers(*ends[quarter : quarter + 2]) for quarter in range(QUARTERS)]
    turns = [moments[max(turn - 1, 0)] for turn in after]  # before the first turn nobody has moved
    winners = advance(moments[-1].state, greedy_move(moments[-1])).outcome.winners
    told = [(chance(learned, turn), (turn.state.to_move in winners) / len(winners)) for turn in turns]
    return told, [chance(learned, moment) for moment in (moments[-1], moments[-2])]


def chance(learned, moment):
    """The chance to win after the best play, as the network tells it."""
    seen = view(moment.state, moment.state.to_move)
    play = np.zeros_like(seen.rack) if moment.best is None else moment.best
    return 0.5 + float(ratings(learned, RULES.tiles, choice_of(seen, play[None]))[0])


def explained(told):
    """(quarters + 1,): the share of the variance of the wins that is explained; the last is the mean."""
    chances, wins = told[..., 0], told[..., 1]
    shares = 1 - ((chances - wins) ** 2).mean(axis=0) / wins.var(axis=0)
    return np.append(shares, shares.mean())


if __name__ == "__main__":
    main(sys.argv[1:])
