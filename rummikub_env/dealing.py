"""Who begins a round, and what everybody is dealt; `state.deal` makes the first state of it."""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from rummikub_env.pool import Ids, count_ids, stack, tile_kinds
from rummikub_env.rules import RuleSet
from rummikub_env.tiles import Counts, TileSet

Draws = Literal["shared", "private"]
Asks = Callable[[int, Counts], bool]
"""(seat, rack) -> bool: does a player who may ask for a new deal do so?"""


def always(seat: int, rack: Counts) -> bool:
    """Whoever may ask for a new deal does: pairs of equal tiles get in each other's way."""
    return True


class Dealt(NamedTuple):
    """A round before its first turn."""

    starter: int
    racks: NDArray[np.uint8]
    """(players, kinds) uint8, read-only."""
    orders: Ids
    """The pool, read-only."""


def deal_tiles(
    rules: RuleSet, players: int, rng: np.random.Generator, draws: Draws, dealer: int | None, asks: Asks
) -> Dealt:
    """Find the starter, then deal until nobody asks for a new deal (`may_redeal`)."""
    rules.check_players(players)
    if draws not in get_args(Draws):
        raise ValueError(f"draws={draws!r} is not allowed; allowed are: {', '.join(get_args(Draws))}")
    if dealer is not None and not 0 <= dealer < players:
        raise ValueError(f"dealer={dealer} is not allowed; the seats are 0 to {players - 1}")
    tiles = rules.tiles
    starter, kept = _starter(rules, players, rng, dealer)
    for _ in range(_MOST_DEALS):
        dealt, pool = _dealt(rules, players, rng, kept)
        racks = np.stack([count_ids(tiles, rack) for rack in dealt])
        if not any(may_redeal(rules, rack) and asks(seat, rack) for seat, rack in enumerate(racks)):
            break
    racks.flags.writeable = False
    if draws == "shared":
        return Dealt(starter, racks, stack(tiles, tile_kinds(tiles, pool).tolist()))
    orders = np.stack([rng.permutation(pool) for _ in range(players)])
    orders.flags.writeable = False
    return Dealt(starter, racks, orders)


_MOST_DEALS = 100
"""Where so many deals in a row may be refused nearly all may be: the last one counts."""


def may_redeal(rules: RuleSet, rack: Counts) -> bool:
    """May the player who is dealt this rack ask for a new deal? Two jokers are a pair of equal tiles, too."""
    return rules.redeal == "three_pairs_on_request" and int((rack // 2).sum()) >= 3


def _dealt(rules: RuleSet, players: int, rng: np.random.Generator, kept: NDArray[np.int16]) -> tuple[Ids, Ids]:
    """(players, rack_size) the ids on the racks and (n,) the pool; kept: (players, 0 or 1) what is there already."""
    tiles = rules.tiles
    ids = rng.permutation(tiles.total).astype(np.int16)
    ids = ids[~np.isin(ids, kept)]
    jokers = ids[tile_kinds(tiles, ids) == tiles.joker][: players * rules.dealt_jokers]
    ids = ids[~np.isin(ids, jokers)]
    given = np.concatenate([kept, jokers.reshape(players, -1)], axis=1)
    drawn, pool = np.split(ids, [players * (rules.rack_size - given.shape[1])])
    return np.concatenate([given, drawn.reshape(players, -1)], axis=1), pool


# Who begins


def _starter(rules: RuleSet, players: int, rng: np.random.Generator, dealer: int | None) -> tuple[int, Ids]:
    """The seat that begins, and (players, 0 or 1) the ids of the tiles that stay on the racks from that."""
    nothing = np.zeros((players, 0), np.int16)
    if rules.starter_method == "random":
        return int(rng.integers(players)), nothing
    if rules.starter_method == "left_of_dealer":
        dealer = int(rng.integers(players)) if dealer is None else dealer
        return (dealer + 1) % players, nothing
    starter, drawn = _draw_for_start(rules, players, rng)
    return starter, np.array(
        [[drawn[seat]] for seat in range(players)], np.int16
    ) if rules.starter_tile_kept else nothing


def _draw_for_start(rules: RuleSet, players: int, rng: np.random.Generator) -> tuple[int, dict[int, int]]:
    """The seat that draws the highest tile, and the id that each seat drew last."""
    tiles = rules.tiles
    drawn: dict[int, int] = {}
    rivals: dict[int, int] = {}
    seats: tuple[int, ...] = tuple(range(players))
    while seats:
        ids = rng.permutation(tiles.total).astype(np.int16)
        if rules.starter_tile_kept:  # the tile of another player is not in the bag
            ids = ids[~np.isin(ids, [tile for seat, tile in drawn.items() if seat not in seats])]
        drawn.update(zip(seats, ids.tolist(), strict=False))
        kinds = tile_kinds(tiles, ids[: len(seats)]).tolist()
        rivals.update(zip(seats, kinds, strict=True))
        seats = redraw(tiles, rivals, rules.starter_joker)
        if not any(tiles.is_joker(rivals[seat]) for seat in seats):
            rivals = {seat: rivals[seat] for seat in seats} or rivals
    return highest(tiles, rivals)[0], drawn


def redraw(
    tiles: TileSet, drawn: dict[int, int], starter_joker: Literal["redraw", "ignore"] = "redraw"
) -> tuple[int, ...]:
    """The seats that must draw again for the start, given the kinds drawn; () when a starter is found.

    Whoever drew a joker changes it, or it is ignored; those who tie for the highest tile draw against each other.
    """
    jokers = tuple(seat for seat, kind in drawn.items() if tiles.is_joker(kind))
    if jokers and (starter_joker == "redraw" or len(jokers) == len(drawn)):
        return jokers
    best = highest(tiles, drawn)
    return best if len(best) > 1 else ()


def highest(tiles: TileSet, drawn: dict[int, int]) -> tuple[int, ...]:
    """The seats that drew the highest value; a joker has none."""
    values = {seat: 0 if tiles.is_joker(kind) else tiles.value(kind) for seat, kind in drawn.items()}
    return tuple(seat for seat, value in values.items() if value == max(values.values()))
