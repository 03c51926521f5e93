"""A player's first play: sets of its own, worth enough, and what else may happen in that turn.

With ``never_this_turn`` nothing else may; where the rules let a joker be retrieved before, a tile of the rack may
take the place of one that is then laid in the opening sets (`swaps`). With ``after_meld`` the turn goes on
(`judge`); `openings` are those that may have come first.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, combinations, product
from typing import NamedTuple

from rummikub_env.reasons import Reason, Refusal
from rummikub_env.rules import RuleSet
from rummikub_env.sets import (
    Set,
    Table,
    identities,
    is_run,
    readings,
    refusals,
    resolved_first,
    set_text,
    table_text,
    too_many_jokers,
    value,
    windows,
)
from rummikub_env.tiles import TileSet


class Verdict(NamedTuple):
    """Either the resolved new table, or why there is none."""

    table: Table
    refusals: tuple[Refusal, ...] = ()


# What the own sets must be


def meld_refusal(rules: RuleSet, laid: Table) -> Refusal | None:
    """The opening is worth enough, has the sets it needs, its jokers are allowed."""
    reason = _what_is_wrong(rules, laid)
    if reason is None or not laid:
        return None if reason is None else Refusal(reason)
    text = table_text(rules.tiles, laid)
    if reason is not Reason.E_MELD_BELOW_MINIMUM:
        return Refusal(reason, text)
    scope = "the best set is" if rules.initial_meld_scope == "single_set" else "they are"
    return Refusal(reason, f"{text}: {scope} worth {_worth(rules, laid)} of {rules.initial_meld_points} points")


def _what_is_wrong(rules: RuleSet, laid: Table) -> Reason | None:
    tiles = rules.tiles
    if rules.initial_meld_joker == "forbidden" and any(tiles.is_joker(p) for s in laid for p in s):
        return Reason.E_MELD_JOKER_FORBIDDEN
    if rules.initial_meld_type == "run" and not any(is_run(rules, pieces) for pieces in laid):
        return Reason.E_MELD_NOT_RUN
    if _worth(rules, laid) < rules.initial_meld_points:
        return Reason.E_MELD_BELOW_MINIMUM
    return None if laid else Reason.E_MELD_USES_TABLE


def _worth(rules: RuleSet, laid: Table) -> int:
    """What counts of the sets: all together, or the best alone."""
    points = [meld_value(rules, pieces) for pieces in laid]
    return max(points, default=0) if rules.initial_meld_scope == "single_set" else sum(points)


def meld_value(rules: RuleSet, resolved: Set) -> int:
    """What a set counts in the opening: the sum of its values, its jokers as the rules say."""
    if rules.initial_meld_joker == "zero":
        tiles = rules.tiles
        return sum(tiles.value(piece) for piece in resolved if not tiles.is_joker(piece))
    return value(rules, resolved)


def best_readings(rules: RuleSet, laid: Sequence[Set]) -> Table:
    """The sets with their jokers read so that they are a legal opening, else as they are worth most."""
    for chosen in product(*(resolved_first(rules, pieces) for pieces in laid)):
        if meld_refusal(rules, chosen) is None:
            return chosen
    return tuple(readings(rules, pieces)[0] for pieces in laid)


# Jokers that are retrieved before the opening


class Swap(NamedTuple):
    """A table on which tiles of the rack took the place of jokers."""

    table: Table
    left: Counter[int]
    """The tiles still to be laid in the turn, the retrieved jokers among them."""
    freed: int
    """How many jokers were retrieved."""


def swaps(rules: RuleSet, before: Table, played: Sequence[int]) -> Iterator[Swap]:
    """What may be done to the table before the own sets are laid; to do nothing comes first."""
    rack = Counter(map(rules.tiles.physical, played))
    yield Swap(before, rack, 0)
    if not rules.joker_retrieval_before_meld:
        return
    for chosen in product(*([(pieces, (), 0), *_swapped(rules, pieces, rack)] for pieces in before)):
        used = Counter(kind for _, kinds, _ in chosen for kind in kinds)
        freed = sum(number for *_, number in chosen)
        if freed and used <= rack:
            left = rack - used + Counter({rules.tiles.joker: freed})
            yield Swap(tuple(pieces for pieces, *_ in chosen), left, freed)


def _swapped(rules: RuleSet, pieces: Set, rack: Counter[int]) -> Iterator[tuple[Set, tuple[int, ...], int]]:
    """A set with some of its jokers replaced: the set, the tiles used, how many jokers that frees."""
    places = [place for place, piece in enumerate(pieces) if rules.tiles.is_joker(piece)]
    means = dict(zip(places, identities(rules, pieces), strict=True))
    both = rules.joker_group3_release == "both_missing" and len(pieces) == 3 and not is_run(rules, pieces)
    for number in range(1, len(places) + 1):
        for out in combinations(places, number):
            options = [combinations(sorted(means[p] & rack.keys()), min(2, len(means[p])) if both else 1) for p in out]
            for chosen in product(*options):
                used = tuple(kind for kinds in chosen for kind in kinds)
                stay = tuple(piece for place, piece in enumerate(pieces) if place not in out)
                for new in readings(rules, stay + used):
                    if is_run(rules, new) == is_run(rules, pieces):
                        yield new, used, number


def uses_freed_jokers(rules: RuleSet, laid: Table, freed: int) -> bool:
    """Do the opening sets hold the freed jokers, each beside enough tiles of the rack?"""
    least = rules.joker_reuse_min_rack_tiles if rules.joker_release == "replace" else 0
    jokers = [sum(map(rules.tiles.is_joker, pieces)) for pieces in laid]
    return sum(min(n, max(0, len(pieces) - least)) for n, pieces in zip(jokers, laid, strict=True)) >= freed


# Nothing else in that turn


def judge_opening(rules: RuleSet, before: Table, after: Table, played: Sequence[int]) -> Verdict:
    """The verdict where the other sets stay as they are."""
    refused: list[Refusal] = []
    for swap in swaps(rules, before, played):
        stays = _untouched(rules, swap.table, after)
        if len(stays) < len(before):
            continue
        chosen = best_readings(rules, [pieces for place, pieces in enumerate(after) if place not in stays])
        refusal = meld_refusal(rules, chosen)
        if refusal is None and not uses_freed_jokers(rules, chosen, swap.freed):
            refusal = Refusal(Reason.E_JOKER_REUSE_RACK_TILES, table_text(rules.tiles, chosen))
        if refusal is None:
            new = iter(chosen)
            return Verdict(tuple(stays[place] if place in stays else next(new) for place in range(len(after))))
        refused.append(refusal)
    return Verdict((), (refused[0] if refused else _touch_refusal(rules, before, after),))


def _untouched(rules: RuleSet, before: Table, after: Table) -> dict[int, Set]:
    """For each place of `after` where an old set lies as it lay: that set."""
    places = sorted(range(len(after)), key=lambda place: len(readings(rules, after[place])))
    stays: dict[int, Set] = {}
    for old in before:
        same = [place for place in places if place not in stays and _is_same(rules, old, after[place])]
        stays.update(dict.fromkeys(same[:1], old))
    return stays


def _is_same(rules: RuleSet, old: Set, new: Set) -> bool:
    """Can `new` be read as the set that lay there? Its jokers stand for the same tiles."""
    if sorted(map(rules.tiles.physical, old)) != sorted(map(rules.tiles.physical, new)):
        return False
    if is_run(rules, old):
        return old in readings(rules, new)
    return any(not is_run(rules, reading) for reading in readings(rules, new))


def _touch_refusal(rules: RuleSet, before: Table, after: Table) -> Refusal:
    """Which rule the changes to old sets break."""
    tiles = rules.tiles
    stays = _untouched(rules, before, after)
    laid = [pieces for place, pieces in enumerate(after) if place not in stays]
    touched = list((Counter(before) - Counter(stays.values())).elements())
    robbed = [old for old in touched if _lost_its_joker(tiles, old, laid)]
    if robbed:
        allowed = rules.joker_retrieval_before_meld
        reason = Reason.E_JOKER_NOT_REPLACED if allowed else Reason.E_JOKER_BEFORE_MELD
        return Refusal(reason, f"the joker of {set_text(tiles, robbed[0])}")
    borrowed = {tiles.physical(piece) for old in touched for piece in old}
    own = best_readings(rules, [pieces for pieces in laid if not borrowed & set(map(tiles.physical, pieces))])
    valid = own and meld_refusal(rules, own) is None
    reason = Reason.E_MELD_TABLE_PLAY_SAME_TURN if valid else Reason.E_MELD_USES_TABLE
    return Refusal(reason, f"changed: {table_text(tiles, touched)}")


def _lost_its_joker(tiles: TileSet, old: Set, laid: Sequence[Set]) -> bool:
    """Whether the set held a joker that no longer lies with all its tiles."""
    physical = Counter(map(tiles.physical, old))
    return tiles.joker in physical and not any(physical <= Counter(map(tiles.physical, pieces)) for pieces in laid)


# Own sets after which the turn goes on


class Opening(NamedTuple):
    """How a turn may have begun."""

    table: Table
    """The table once the own sets are laid."""
    left: tuple[int, ...]
    """The tiles still to be laid in the turn."""


def openings(
    rules: RuleSet, before: Table, after: Table, played: Sequence[int], told: Table | None
) -> Iterator[Opening]:
    """The legal openings with which the turn may have begun: those `told`, else all with no set too many.

    The sets that lie there now come first. To lay less of the rack before the turn goes on forbids nothing.
    """
    for swap in swaps(rules, before, played):
        if told is not None:
            melds: Iterable[Table] = product(*(readings(rules, pieces) for pieces in told))
        else:
            own = best_readings(rules, own_sets(rules, swap.table, after, swap.left))
            melds = chain((own,), melds_within(rules, swap.left, swap.freed))
        for meld in melds:
            used = Counter(rules.tiles.physical(piece) for pieces in meld for piece in pieces)
            if used <= swap.left and _is_enough(rules, meld, swap.freed):
                yield Opening(swap.table + meld, tuple(sorted((swap.left - used).elements())))


def opening_refusals(
    rules: RuleSet, before: Table, after: Table, played: Sequence[int], told: Table | None
) -> tuple[Refusal, ...]:
    """Why none of the `openings` is legal."""
    tiles, rack = rules.tiles, Counter(map(rules.tiles.physical, played))
    if told is not None:
        broken = tuple(refusal for pieces in told for refusal in refusals(rules, pieces))
        if broken:
            return broken
        borrowed = Counter(tiles.physical(piece) for pieces in told for piece in pieces) - rack
        if borrowed:
            return (Refusal(Reason.E_MELD_USES_TABLE, tiles.join(sorted(borrowed.elements()))),)
    own = own_sets(rules, before, after, rack) if told is None else told
    refusal = meld_refusal(rules, best_readings(rules, own)) if own else None
    return (refusal or Refusal(Reason.E_MELD_USES_TABLE),)


def own_sets(rules: RuleSet, before: Table, after: Table, left: Counter[int]) -> Table:
    """The sets of `after` that hold only tiles of those that are left to be laid."""
    stays, found = _untouched(rules, before, after), []
    for place, pieces in enumerate(after):
        used = Counter(map(rules.tiles.physical, pieces))
        if place not in stays and used <= left:
            left = left - used
            found.append(pieces)
    return tuple(found)


def melds_within(rules: RuleSet, left: Counter[int], freed: int) -> Iterator[Table]:
    """The legal openings from the tiles that are left, `freed` jokers among them, that have no set too many."""
    return _melds(rules, left, _sets_within(rules, left, left.total()), (), freed)


def least_melds(rules: RuleSet, left: Counter[int], freed: int) -> Iterator[Table]:
    """Openings from the tiles that are left such that from one of them each play can go on that can from any opening.

    Where the turn goes on, tiles that the opening can do without are laid as well afterwards; else so are whole sets.
    The parts of a long run are as good as the run, but where one set must be worth enough.
    """
    goes_on = rules.initial_meld_table_play == "after_meld"
    any_run = goes_on and rules.initial_meld_type == "run" and rules.initial_meld_points == 0
    longest = 3 if any_run else left.total() if rules.initial_meld_scope == "single_set" else 5
    among = _sets_within(rules, left, longest)
    if any_run and not freed:
        among = [pieces for pieces in among if is_run(rules, pieces)]
    among.sort(key=lambda pieces: -meld_value(rules, pieces))  # then most openings found first have no set too many
    for laid in _melds(rules, left, among, (), freed):
        if not _has_spare_tiles(rules, laid, freed, 1 if goes_on else 3):
            yield laid


def _has_spare_tiles(rules: RuleSet, laid: Table, freed: int, number: int) -> bool:
    """Would it be an opening without one of its sets, or without so many tiles of one that can be laid later?"""
    for i, pieces in enumerate(laid):
        others = laid[:i] + laid[i + 1 :]
        if any(_is_enough(rules, others + part, freed) for part in ((), *_shortened(rules, pieces, number))):
            return True
    return False


def _shortened(rules: RuleSet, pieces: Set, number: int) -> Iterator[Table]:
    """What remains of a set without `number` tiles at an end of a run, or without one of a group."""
    parts: Iterable[Set] = ()
    if is_run(rules, pieces):
        parts = (pieces[number:], pieces[:-number])
    elif number == 1 and rules.group_colours_distinct and rules.joker_group3_release == "either_missing":
        # else it may take more than one to make it whole again, or a joker beside two tiles is harder to free
        parts = combinations(pieces, len(pieces) - 1)
    yield from ((part,) for part in parts if part in readings(rules, part))


def _is_enough(rules: RuleSet, laid: Table, freed: int) -> bool:
    return _what_is_wrong(rules, laid) is None and uses_freed_jokers(rules, laid, freed)


def _melds(rules: RuleSet, left: Counter[int], among: Sequence[Set], laid: Table, freed: int) -> Iterator[Table]:
    """The legal openings with sets of `among`, beginning with `laid`, that are not legal without their last set."""
    if laid and _is_enough(rules, laid, freed):
        yield laid
    elif _may_become_enough(rules, left, laid, freed):
        for number, pieces in enumerate(among):
            used = Counter(map(rules.tiles.physical, pieces))
            if used <= left:
                yield from _melds(rules, left - used, among[number:], (*laid, pieces), freed)


def _may_become_enough(rules: RuleSet, left: Counter[int], laid: Table, freed: int) -> bool:
    """Can more sets help? All that is left is not worth more than this, one set is enough where one must be."""
    if rules.initial_meld_scope == "single_set":
        return len(laid) < 1 + (rules.initial_meld_type == "run") + freed
    tiles = rules.tiles
    rest = sum(n * (rules.max_value if tiles.is_joker(kind) else tiles.value(kind)) for kind, n in left.items())
    return rest + sum(meld_value(rules, pieces) for pieces in laid) >= rules.initial_meld_points


def _sets_within(rules: RuleSet, left: Counter[int], longest: int) -> list[Set]:
    """All resolved sets that can be laid from the tiles that are left, runs of at most `longest` tiles."""
    found = [*_runs_within(rules, left, longest), *_groups_within(rules, left)]
    if rules.initial_meld_joker == "forbidden":
        return [pieces for pieces in found if not any(map(rules.tiles.is_joker, pieces))]
    return found


def _runs_within(rules: RuleSet, left: Counter[int], longest: int) -> Iterator[Set]:
    tiles, most = rules.tiles, left[rules.tiles.joker]
    there = frozenset(kind for kind, n in left.items() if n)
    for length in range(rules.min_set_size, min(longest, left.total()) + 1):
        for window in windows(rules, length):
            missing = [kind for kind in window if kind not in there]
            for more in range(most - len(missing) + 1):
                for chosen in combinations([kind for kind in window if kind in there], more):
                    jokers = {*missing, *chosen}
                    run = tuple(tiles.joker_as(kind) if kind in jokers else kind for kind in window)
                    if not too_many_jokers(rules, run):
                        yield run


def _groups_within(rules: RuleSet, left: Counter[int]) -> Iterator[Set]:
    tiles = rules.tiles
    for number in range(1, rules.max_value + 1):
        kinds = [tiles.kind(colour, number) for colour in range(len(rules.colours))]
        real = [kind for kind in kinds for _ in range(left[kind])]
        for size in range(rules.min_set_size, rules.max_group_size + 1):
            for jokers in range(min(left[tiles.joker], size) + 1):
                for chosen in sorted(set(combinations(real, size - jokers))):
                    laid = chosen + (2 * tiles.joker + number,) * jokers
                    yield from (option for option in readings(rules, laid) if not is_run(rules, option))
