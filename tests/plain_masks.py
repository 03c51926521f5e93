"""What exact masks change: who opens with them, and with masks that say no more than which tiles are in hand.

``python -m tests.plain_masks [GAMES [UPDATES [SEED]]]`` prints the rows of a table of ``docs/ppo.md``: games of two
players that act at random, and games of what PPO made of itself in so many updates from scratch. With plain masks
(`PlainCodec`) a turn that cannot be laid is taken back, and a tile is drawn, as at a table.
"""

import sys
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from agents.learned import LearnedPlayer
from agents.learning.config import Config, GameConfig
from agents.learning.learner import begin
from agents.learning.ppo import learning_rate, samples, set_learning_rate, update
from rummikub_env.actions import CODECS, CodecPlayer
from rummikub_env.game import Play, advance, idle
from rummikub_env.objectives import weights
from rummikub_env.observations import observation_of
from rummikub_env.rules import rules_of
from rummikub_env.solver import arrange, best_play, playable
from rummikub_env.state import View, deal, view

RULES = rules_of("sabra")
MASKS = ("plain", "tiles")


@dataclass(frozen=True, eq=False)
class PlainDraft:
    """The tiles spelled so far, whatever can become of them."""

    view: View
    spelled: np.ndarray

    @cached_property
    def mask(self):
        return np.append(self.view.rack > self.spelled, True)


class PlainCodec:
    """The actions of `tiles`, with the masks of who does not know the rules: any tile in hand, and END at any time.

    END lays what was spelled if that is a legal play; otherwise all is taken back, and the turn is a draw (on an empty
    pool a pass, though the rules may oblige to play).
    """

    def __init__(self, rules):
        self.rules, self.end, self.n = rules, rules.tiles.kinds, rules.tiles.kinds + 1

    def begin(self, view):
        return PlainDraft(view, np.zeros_like(view.rack))

    def mask(self, draft):
        return draft.mask

    def step(self, draft, action):
        if action == self.end:
            return self._laid(draft)
        spelled = draft.spelled.copy()
        spelled[action] += 1
        return PlainDraft(draft.view, spelled)

    def _laid(self, draft):
        view, spelled = draft.view, draft.spelled
        turn = (view.rules, view.table, spelled, view.opened[view.seat])
        if not spelled.any() or not playable(*turn, spelled).complete:
            return idle(view.pool_size)
        return Play(arrange(*turn), view.rules.tiles.listed(spelled))


CODECS["plain"] = PlainCodec


@dataclass
class Count:
    """What became of the chances to open, in games of one player with itself."""

    chances: int = 0
    """Turns in which an opening was possible."""
    openings: int = 0
    seats: int = 0
    """Seats, of which so many as there are openings have opened."""
    games: int = 0
    out: int = 0
    """Games that ended with an empty rack."""


def main(arguments):
    games, updates, seed = [*map(int, arguments), *(200, 0, 0)[len(arguments) :]]
    for name in MASKS:
        codec = CODECS[name](RULES)
        player = CodecPlayer(name, codec, lambda draft, mask, rng: rng.choice(np.flatnonzero(mask)))
        print(f"| `{name}` at random | {told(count(player, games))} | |", flush=True)
    for name in MASKS if updates else ():
        began = time.process_time()
        player = trained(name, updates, seed)
        spent = time.process_time() - began
        print(f"| `{name}` after {updates} updates | {told(count(player, games))} | {spent / 60:.1f} |", flush=True)


def count(player, games):
    """How `games` rounds of two, 9_500_000 and on, went at whose seats `player` sits."""
    found, rng = Count(), np.random.default_rng(1)
    for game in range(games):
        state = deal(RULES, 2, 9_500_000 + game, "private")
        while state.outcome is None:
            seen = view(state, state.to_move)
            may_open = not seen.opened[seen.seat] and can_open(seen)
            state = advance(state, player.move(seen, rng))
            found.chances += may_open
            found.openings += may_open and state.opened[seen.seat]
        found.seats, found.games = found.seats + 2, found.games + 1
        found.out += state.outcome.reason == "out"
    return found


def can_open(seen):
    """Is there a legal opening?"""
    return best_play(seen.rules, seen.table, seen.rack, False, weights(seen.rules, "tiles")) is not None


def told(found):
    """Openings a chance, seats that opened, games that ended with an empty rack."""
    shares = [(found.openings, found.chances), (found.openings, found.seats), (found.out, found.games)]
    return " | ".join(f"{100 * part / max(whole, 1):.2f}% of {whole:,}" for part, whole in shares)


def trained(codec, updates, seed):
    """The player after PPO from scratch; it samples its actions, as in training."""
    config = Config(seed=seed, updates=updates, workers=1, game=GameConfig(codec=codec))
    learner = begin(config)
    for done in range(updates):
        rollouts = learner.crew.collect(learner.network, config.decisions)
        set_learning_rate(learner.optimizer, learning_rate(config.ppo, done / updates))
        data = samples([rollout.decisions for rollout in rollouts], config.ppo)
        update(learner.network, learner.optimizer, data, config.ppo, learner.rng)
    spaces = CODECS[codec](RULES), observation_of("counts", RULES, 2)
    return LearnedPlayer(codec, learner.network.policy.eval(), *spaces, sample=True)


if __name__ == "__main__":
    main(sys.argv[1:])
