"""What this game is like: the figures of ``docs/facts.md``, of games between players that all make the best play.

``python -m tests.game_facts [shape|options|variance|duels] [GAMES [RULES [PLAYERS]]]`` prints the rows of its tables,
with 95% intervals over games: how a game goes, how many different plays a turn has, how much of who wins can be told
before the end, and what players win who look for another best play. All times are of the processor.
"""

import sys
import time
from dataclasses import replace

import numpy as np

from rummikub_env import solver
from rummikub_env.actions import TilesCodec
from rummikub_env.bench.positions import SEED, greedy_move, moment_of
from rummikub_env.envs.position import begin
from rummikub_env.envs.tables import Tables
from rummikub_env.game import advance, tile_points
from rummikub_env.kernels import rollouts as kernel
from rummikub_env.kernels.turns import MOVE, POOL
from rummikub_env.objectives import weights
from rummikub_env.observations import observation_of
from rummikub_env.policy import Policy, move_of
from rummikub_env.rollouts import determinise, play_out
from rummikub_env.rules import rules_of
from rummikub_env.state import deal, view
from rummikub_env.terms import terms_of
from rummikub_env.turns import turns_of

ROLLOUTS = 60
QUARTERS = 4
LIMIT = 100_000
"""Plays of a turn that are listed at most."""
TILES, KEEP_JOKER = Policy(), Policy(price=2)
DUELS = {
    "greedy_value": (Policy("value"), TILES),
    "greedy_tiles_low": (Policy("tiles_low"), TILES),
    "keep_joker": (KEEP_JOKER, TILES),
    "keep_joker:k=3": (Policy(price=3), TILES),
    "patient:o=1": (Policy(price=2, patience=(1, 3, 1)), KEEP_JOKER),
    "patient": (Policy(price=2, patience=(1, 3, 2)), KEEP_JOKER),
    "patient:p=2,a=2": (Policy(price=2, patience=(2, 2, 2)), KEEP_JOKER),
    "patient:a=106,o=1": (Policy(price=2, patience=(1, 106, 1)), KEEP_JOKER),
}
"""Players as `evaluate.py` names them, and whom they meet."""


def main(arguments):
    parts = {"shape": (shape, 3000), "options": (options, 300), "variance": (variance, 200), "duels": (duels, 2000)}
    rules = rules_of(arguments[2] if arguments[2:] else "sabra")
    for part in arguments[:1] or parts:
        rows, games = parts[part]
        games = int(arguments[1]) if arguments[1:] else games
        for players in [int(arguments[3])] if arguments[3:] else (2, 3, 4):
            print(f"\n{part}: {rules.name}, {players} players, {games:,} games\n")
            for name, *cells in rows(rules, players, games):
                print(f"| {name} | {' | '.join(cells)} |", flush=True)


def dealt(rules, players, number, draws="shared"):
    """The beginning of a game."""
    return deal(rules, players, np.random.default_rng((SEED, players, number, True)), draws)


def game(rules, players, number):
    """The turns of a game in which all make the best play."""
    state = dealt(rules, players, number)
    while state.outcome is None:
        moment = moment_of(state)
        yield moment
        state = advance(state, greedy_move(moment))


def tables_of(rules, players, games, draws="shared"):
    """The beginnings of so many games, side by side."""
    tables = Tables(TilesCodec(rules), observation_of("counts", rules, players), games)
    for b in range(games):
        tables.put(b, begin(tables.codec, dealt(rules, players, b, draws)))
    return tables


def ratio(tops, bottoms=1):
    """The ratio of two sums over games, each (games,), and half its 95% interval."""
    bottoms = bottoms * np.ones(len(tops))
    share = tops.sum() / bottoms.sum()
    return share, 1.96 * (tops - share * bottoms).std(ddof=1) / bottoms.mean() / np.sqrt(len(tops))


# How a game goes


def shape(rules, players, games):
    """The rows of the table: a name, and a mean with its interval."""
    for name, (tops, bottoms) in facts_of(*tracks(rules, players, games)).items():
        yield name, "{:.3f} ± {:.3f}".format(*ratio(tops, bottoms))


def tracks(rules, players, games):
    """The same games as those of `game`, turn by turn, but side by side in compiled code.

    Returns the tables as they are at the end, the seat that begins each game, (games,), and how many tiles each seat
    holds before each turn and at the end, (turns + 1, games, players); at the end of a game it stays as it is.
    """
    tables, aims = tables_of(rules, players, games), np.tile(weights(rules, "tiles"), (players, 1))
    no = np.zeros(players, np.int64)
    seats = kernel.Seats(aims, aims, no - 1, no, np.zeros((players, 3), np.int64), no > 0)
    began, sizes = tables.to_move.copy(), [tables.racks.sum(axis=2, dtype=int)]
    while len(running := np.flatnonzero(tables.over == 0)):
        answers = np.empty(len(running), np.int64)
        kernel.play_on(terms_of(rules), turns_of(rules), tables.games, running, seats, 1, answers)
        for b in running[answers == MOVE].tolist():
            state = tables.state(b)
            seen = view(state, state.to_move)
            tables.put(b, begin(tables.codec, advance(state, move_of(seen, TILES.choose(seen)))))
        sizes.append(tables.racks.sum(axis=2, dtype=int))
    return tables, began, np.array(sizes)


def facts_of(tables, began, sizes):
    """For each name a sum, (games,), and of how many things, (games,) or a number."""
    turns, players, each = len(sizes) - 1, sizes.shape[2], np.arange(sizes.shape[1])
    turn = np.arange(turns)[:, None]
    movers = (began + turn) % players  # (turns, games), as what follows
    laid = np.take_along_axis(sizes[:-1] - sizes[1:], movers[..., None], axis=2)[..., 0]
    plays = laid > 0
    first = np.stack([np.where(plays & (movers == seat), turn, turns).min(axis=0) for seat in range(players)])
    opens = first < turns  # (players, games)
    wins = sizes[-1] == 0  # (games, players)
    out = wins.any(axis=1)
    half = sizes[tables.turns // 2, each]
    leads = half == half.min(axis=1, keepdims=True)
    is_alone = leads.sum(axis=1) == 1
    return {
        "turns": (tables.turns, 1),
        "turns without a play": (tables.turns - plays.sum(axis=0), tables.turns),
        "the same, mean of the shares of each game": (1 - plays.sum(axis=0) / tables.turns, 1),
        "tiles a play": ((laid * plays).sum(axis=0), plays.sum(axis=0)),
        "own turn of the opening, of who opens": ((opens * (1 + first // players)).sum(axis=0), opens.sum(axis=0)),
        "seats that open": (opens.sum(axis=0), players),
        "tiles left in the pool": (tables.games.public[:, POOL], 1),
        "stalemates": (~out, 1),
        "tiles of a loser": (out * sizes[-1].sum(axis=1), out * (players - 1)),
        "points of a loser": (out * (tables.racks @ tile_points(tables.rules)).sum(axis=1), out * (players - 1)),
        "who has fewest tiles at half time wins": ((leads & wins).sum(axis=1) / leads.sum(axis=1), 1),
        "the same where one alone has fewest": (is_alone * (leads & wins).sum(axis=1), is_alone),
        **{f"who is {1 + i}. in order of play wins": (wins[each, (began + i) % players], 1) for i in range(players)},
    }


# How many plays a turn has


def options(rules, players, games):
    """The rows of the table, of all turns in which something can be played; to draw is an option, too."""
    sizes, cut, listing, solving = [], 0, [], []
    for number in range(games):
        sizes.append([])
        for turn in (moment.turn for moment in game(rules, players, number) if moment.best is not None):
            began = time.process_time()
            solver.best_play(*turn, weights(rules, "tiles"))
            solved = time.process_time()
            found = solver.plays(*turn, LIMIT)
            solving.append(1000 * (solved - began))
            listing.append(1000 * (time.process_time() - solved))
            sizes[-1].append(1 + len(found.counts))
            cut += not found.complete
    rng = np.random.default_rng(0)
    again = [summary([sizes[i] for i in rng.integers(games, size=games)]) for _ in range(300)]
    bounds = zip(summary(sizes), *np.quantile(again, [0.025, 0.975], axis=0), strict=True)
    yield "turns with a play; lists cut", f"{len(listing):,}; {cut:,}"
    yield "median, mean, 90%, 99%, most", *(f"{of:,.1f} ({low:,.1f}-{high:,.1f})" for of, low, high in bounds)
    yield (
        "exactly two",
        "{:.3f} ± {:.3f}".format(
            *ratio(np.array([own.count(2) for own in sizes]), np.array([len(own) for own in sizes]))
        ),
    )
    for name, took in (("ms to list all plays", listing), ("ms to find the best play", solving)):
        yield f"{name}: mean, median, 99%", *(f"{of:.3f}" for of in summary([took])[[1, 0, 3]])


def summary(numbers):
    """Median, mean, 90%, 99% and the most of numbers in lists."""
    flat = np.concatenate(numbers)
    median, high, higher = np.quantile(flat, [0.5, 0.9, 0.99])
    return np.array([median, flat.mean(), high, higher, flat.max()])


# How much of who wins can be told


KNOWN = ("who is on turn: own information", "who is on turn: and the other racks", "who was on turn: own information")


def variance(rules, players, games):
    """The rows of the table: what is known in each quarter of a game, and the means."""
    chances = np.array([chances_of(rules, players, number) for number in range(games)])
    rng = np.random.default_rng(0)
    again = [explained(chances[rng.integers(games, size=games)]) for _ in range(1000)]
    bounds = np.stack([explained(chances), *np.quantile(again, [0.025, 0.975], axis=0)])
    for who, name in enumerate(KNOWN):
        yield name, *(f"{mean:.1f}% ({low:.1f}-{high:.1f})" for mean, low, high in 100 * bounds[..., who].T)


def chances_of(rules, players, number):
    """(quarters, `KNOWN`): of the rounds that go on from a turn, the share that the seat won that knows so much."""
    moments, rng = list(game(rules, players, number)), np.random.default_rng(number)
    ends = [len(moments) * quarter // QUARTERS for quarter in range(QUARTERS + 1)]
    chances = []
    for quarter in range(QUARTERS):
        state = moments[rng.integers(*ends[quarter : quarter + 2])].state
        now, before = state.to_move, (state.to_move - 1) % players
        seeds = rng.integers(1 << 62, size=2).tolist()
        knows = (
            (now, worlds_of(state, now, seeds[0])),
            (now, worlds_of(state, now, seeds[1], state.racks)),
            (before, worlds_of(state, before, seeds[0])),
        )
        chances.append([play_out(worlds, [TILES] * players).wins[:, seat].mean() for seat, worlds in knows])
    return np.array(chances)


def worlds_of(state, seat, seed, racks=None):
    """`determinise` for what any seat sees: as if it were on turn, and then it is not."""
    worlds = determinise(replace(view(state, seat), to_move=seat), ROLLOUTS, seed, racks)
    worlds.to_move[:] = state.to_move
    return worlds


def explained(chances):
    """(quarters + 1, `KNOWN`): the share of the variance of wins that lies between positions; the last row is the mean.

    What `ROLLOUTS` rounds from one position vary by themselves is taken off.
    """
    mean = chances.mean(axis=0)
    noise = (chances * (1 - chances)).mean(axis=0) / (ROLLOUTS - 1)
    shares = (chances.var(axis=0, ddof=1) - noise) / (mean * (1 - mean))
    return np.concatenate([shares, shares.mean(axis=0, keepdims=True)])


# Other aims


def duels(rules, players, games):
    """The rows of the table: a player, whom it meets, its wins in deals played from each seat, its points a game."""
    start = tables_of(rules, players, games, "private")
    for name, (policy, rival) in DUELS.items():
        wins, scores = [], []
        for seat in range(players):
            ends = play_out(start.copy(), [policy if place == seat else rival for place in range(players)])
            wins.append(ends.wins[:, seat])
            scores.append(ends.scores[:, seat])
        won = np.mean(wins, axis=0)
        share, half = ratio(won)
        alone = share * (1 - share) / players  # the variance, were the games of a deal independent
        yield (
            name,
            "keep_joker" if rival == KEEP_JOKER else "greedy_tiles",
            f"{100 * share:.1f}% ± {100 * half:.1f}",
            "{:+.2f} ± {:.2f}".format(*ratio(np.mean(scores, axis=0))),
            f"{won.var(ddof=1) / alone:.2f}",
        )


if __name__ == "__main__":
    main(sys.argv[1:])
