"""Is the new table a legal result of the turn? The table before and after are compared.

The order in which a player moved the tiles does not matter. `settle` gives the new table, every joker
with its meaning, or the reasons why there is none.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations, product
from typing import NamedTuple

from rummikub_env.opening import Verdict, judge_opening, opening_refusals, openings
from rummikub_env.reasons import Reason, Refusal
from rummikub_env.rules import RuleSet
from rummikub_env.sets import (
    Set,
    Table,
    identities,
    is_ambiguous,
    is_run,
    readings,
    refusals,
    resolved_first,
    set_text,
)


def settle(
    rules: RuleSet,
    before: Table,
    after: Table,
    played: Sequence[int],
    opened: bool,
    opening: Table | None = None,
) -> Verdict:
    """Judge a turn that turned the resolved table `before` into `after` with the rack tiles `played`.

    The tiles must be those of `before` and `played` (`game.check` sees to it). Jokers that `after` leaves
    open take the legal reading that is worth most. opening: the sets that a first play laid before it went on,
    where the rules let it; None: any that would do.
    """
    broken = tuple(refusal for pieces in after for refusal in _set_refusals(rules, before, pieces))
    if broken:
        return Verdict((), broken)
    if opened or not rules.initial_meld_required:
        return _judge_play(rules, before, after, played)
    if rules.initial_meld_table_play == "never_this_turn":
        return judge_opening(rules, before, after, played)
    return _judge_opening_and_play(rules, before, after, played, opening)


def _set_refusals(rules: RuleSet, before: Table, pieces: Set) -> tuple[Refusal, ...]:
    """Why the pieces are no set; what jokers that lay there stand for need not be told again."""
    lies_as_before = is_ambiguous(rules, pieces) and any(option in before for option in readings(rules, pieces))
    return () if lies_as_before else refusals(rules, pieces)


def _judge_opening_and_play(
    rules: RuleSet, before: Table, after: Table, played: Sequence[int], told: Table | None
) -> Verdict:
    """An opening, then a turn as any other with what is left; it need not lay any more tile.

    A resolved table is not read anew if after any opening it may lie as it says.
    """
    is_resolved = all(pieces in readings(rules, pieces) for pieces in after)
    first: Verdict | None = None
    for table, left in openings(rules, before, after, played, told):
        verdict = _judge_play(rules, table, after, left)
        if not verdict.refusals and (verdict.table == after or not is_resolved):
            return verdict
        if first is None or (first.refusals and not verdict.refusals):
            first = verdict
    return first or Verdict((), opening_refusals(rules, before, after, played, told))


# After the opening: everything may be rearranged, only jokers keep their meaning or are replaced


class _Joker(NamedTuple):
    """A joker on a table."""

    home: int
    """The index of its set."""
    means: frozenset[int]
    """The kinds it may stand for."""


class _Fate(NamedTuple):
    """What became of a joker that lay on the table."""

    was: _Joker
    now: int
    """The index of the joker it is now."""
    kept: int | None
    """The tile it still stands for; None: it was replaced, whatever it stands for now."""


def _judge_play(rules: RuleSet, before: Table, after: Table, played: Sequence[int]) -> Verdict:
    options = [_options(rules, before, pieces) for pieces in after]
    for table in product(*options):
        if keeps_jokers(rules, before, table, played):
            return Verdict(table)
    return Verdict((), (_joker_refusal(rules, before, options, played),))


def _options(rules: RuleSet, before: Table, pieces: Set) -> list[Set]:
    """What a set can mean: first what it says or what it meant before, then what is worth most."""
    return sorted(resolved_first(rules, pieces), key=lambda s: s != pieces and s not in before)


def keeps_jokers(
    rules: RuleSet, before: Table, after: Table, played: Sequence[int], among: Sequence[int] | None = None
) -> bool:
    """Is there a fate for every joker of `before` that the rules allow? Both tables are resolved.

    among: ask only of these, by their numbers. More sets in `after`, and more that is `played`, never make it false.
    """
    if rules.joker_release == "free":
        return True
    old, new = _jokers(rules, before), _jokers(rules, after)
    asked = old if among is None else [old[number] for number in among]
    return any(_is_allowed(rules, before, after, new, fates, played) for fates in _fates(rules, asked, new, ()))


def _jokers(rules: RuleSet, table: Table) -> list[_Joker]:
    return [_Joker(home, means) for home, s in enumerate(table) for means in identities(rules, s)]


def _fates(
    rules: RuleSet, old: list[_Joker], new: list[_Joker], fates: tuple[_Fate, ...]
) -> Iterator[tuple[_Fate, ...]]:
    """All that may have become of the jokers; those kept in one set stand for different tiles if they must."""
    if not old:
        yield fates
        return
    was, rest = old[0], old[1:]
    free = [now for now in range(len(new)) if all(fate.now != now for fate in fates)]
    for now in free:
        taken = {fate.kept for fate in fates if new[fate.now].home == new[now].home}
        means = was.means & new[now].means
        for kind in sorted(means - taken if rules.group_colours_distinct else means):
            yield from _fates(rules, rest, new, (*fates, _Fate(was, now, kind)))
    for now in free:
        yield from _fates(rules, rest, new, (*fates, _Fate(was, now, None)))


def _is_allowed(
    rules: RuleSet,
    before: Table,
    after: Table,
    new: list[_Joker],
    fates: tuple[_Fate, ...],
    played: Sequence[int],
) -> bool:
    """Whether every replaced joker was replaced, and used again, as the rules say, and sets with others are whole."""
    if rules.joker_set_edits == "add_only" and not all(
        _is_whole(rules, before, after, new, fates, fate) for fate in fates
    ):
        return False
    replaced = [fate for fate in fates if fate.kept is None]
    if not replaced:
        return True
    if not _are_supplied(rules, before, replaced, played):
        return False
    homes = {new[fate.now].home for fate in replaced}
    if rules.joker_reuse == "new_set" and any(
        _holds_old_set(rules, before, _meanings(rules, after, new, fates, home)) for home in homes
    ):
        return False
    return _have_rack_tiles(rules, after, new, fates, homes, played)


def _is_whole(
    rules: RuleSet, before: Table, after: Table, new: list[_Joker], fates: tuple[_Fate, ...], kept: _Fate
) -> bool:
    """Do the tiles that lay with a kept joker still lie with it? So do other jokers, or what replaced them."""
    if kept.kept is None:
        return True
    home, was = new[kept.now].home, kept.was.home
    needs: list[tuple[Iterable[int], int]] = [((p,), 1) for p in before[was] if not rules.tiles.is_joker(p)]
    for fate in fates:
        if fate.was.home == was and fate.kept is None:
            needs.append((fate.was.means, 1))
        elif fate.was.home == was and new[fate.now].home != home:
            return False
    return _can_supply(needs, Counter(after[home]))


def _are_supplied(rules: RuleSet, before: Table, replaced: list[_Fate], played: Sequence[int]) -> bool:
    """A replaced joker needs a real tile that it stood for: played, or from the table. Each serves one."""
    needs = [(fate.was.means, _tiles_needed(rules, before, fate.was)) for fate in replaced]
    return _can_supply(needs, _supply(rules, before, tuple(played)))


@lru_cache(maxsize=1 << 12)
def _supply(rules: RuleSet, before: Table, played: tuple[int, ...]) -> Counter[int]:
    """The tiles that may replace jokers; not to be changed."""
    from_table = rules.joker_replacement_source == "rack_or_table"
    return Counter(played) + _real_tiles(rules, before if from_table else ())


def _tiles_needed(rules: RuleSet, before: Table, joker: _Joker) -> int:
    """One; with ``both_missing`` the two missing colours of a group of three."""
    home = before[joker.home]
    if rules.joker_group3_release == "both_missing" and len(home) == 3 and not is_run(rules, home):
        return min(2, len(joker.means))
    return 1


def _can_supply(needs: Sequence[tuple[Iterable[int], int]], supply: Counter[int]) -> bool:
    """Whether `supply` meets all needs at once; a need is so many of these tiles."""
    if not needs:
        return True
    (tiles, number), rest = needs[0], needs[1:]
    at_hand = sorted((Counter(tiles) & supply).elements())
    if not rest:
        return len(at_hand) >= number
    return any(_can_supply(rest, supply - Counter(used)) for used in combinations(at_hand, number))


def _meanings(rules: RuleSet, after: Table, new: list[_Joker], fates: tuple[_Fate, ...], home: int) -> Counter[int]:
    """What a new set holds without its replaced jokers and those from the rack: kinds of tiles."""
    real = Counter(piece for piece in after[home] if not rules.tiles.is_joker(piece))
    return real + Counter(fate.kept for fate in fates if fate.kept is not None and new[fate.now].home == home)


def _holds_old_set(rules: RuleSet, before: Table, kinds: Counter[int]) -> bool:
    """Whether the kinds contain a whole old set, real tiles in the places of its jokers."""
    for pieces in before:
        real, needs = _real_tiles(rules, (pieces,)), [(means, 1) for means in identities(rules, pieces)]
        if all(kinds[kind] >= n for kind, n in real.items()) and _can_supply(needs, kinds - real if needs else kinds):
            return True
    return False


@lru_cache(maxsize=1 << 14)
def _real_tiles(rules: RuleSet, table: Table) -> Counter[int]:
    """The tiles on a table that are no jokers; not to be changed."""
    return Counter(piece for pieces in table for piece in pieces if not rules.tiles.is_joker(piece))


def _have_rack_tiles(
    rules: RuleSet,
    after: Table,
    new: list[_Joker],
    fates: tuple[_Fate, ...],
    homes: set[int],
    played: Sequence[int],
) -> bool:
    """Do so many tiles of the rack lie in each set of a replaced joker? Jokers of the rack count."""
    old = {fate.now for fate in fates}
    needs = []
    for home in homes:
        from_rack = sum(joker.home == home for now, joker in enumerate(new) if now not in old)
        real = [piece for piece in after[home] if not rules.tiles.is_joker(piece)]
        needs.append((real, max(0, rules.joker_reuse_min_rack_tiles - from_rack)))
    return _can_supply(needs, Counter(played))


_LIFTED: tuple[tuple[Reason, dict[str, str | int]], ...] = (
    (Reason.E_JOKER_REUSE_RACK_TILES, {"joker_reuse_min_rack_tiles": 0}),
    (Reason.E_JOKER_REUSE_NOT_NEW_SET, {"joker_reuse": "any_set"}),
    (Reason.E_JOKER_REPLACEMENT_SOURCE, {"joker_replacement_source": "rack_or_table"}),
    (Reason.E_JOKER_GROUP_NEEDS_BOTH, {"joker_group3_release": "either_missing"}),
    (Reason.E_JOKER_SET_FROZEN, {"joker_set_edits": "full"}),
)
"""The rules for retrieved jokers: the broken one is the one without which the turn would be legal."""


def _joker_refusal(rules: RuleSet, before: Table, options: list[list[Set]], played: Sequence[int]) -> Refusal:
    for reason, lifted in _LIFTED:
        eased = replace(rules, **lifted)  # type: ignore[arg-type]
        if any(keeps_jokers(eased, before, table, played) for table in product(*options)):
            return Refusal(reason, _moved_jokers(rules, before, options))
    return Refusal(Reason.E_JOKER_NOT_REPLACED, _moved_jokers(rules, before, options))


def _moved_jokers(rules: RuleSet, before: Table, options: list[list[Set]]) -> str:
    """The jokers that no longer mean what they meant, in words."""
    now = [means for choices in options for s in choices for means in identities(rules, s)]
    old = _jokers(rules, before)
    moved = [joker for joker in old if not any(joker.means & means for means in now)] or old
    tiles = rules.tiles
    return "; ".join(
        f"the joker of {set_text(tiles, before[joker.home])} stands for "
        f"{' or '.join(map(tiles.text, sorted(joker.means)))}"
        for joker in moved
    )
