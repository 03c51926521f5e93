import copy
import pickle
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rummikub_env.game import Draw, Pass, apply
from rummikub_env.rules import rules_of
from rummikub_env.state import LastMove, Outcome, State, deal, redraw, table_counts, tile_kinds, view

SABRA = rules_of("sabra")
SMALL = rules_of(
    "sabra",
    {"colours": "KRB", "max_value": 6, "copies_per_tile": 1, "rack_size": 5, "initial_meld_points": 10},
)
MIDDLE = State.from_text(
    "sabra; racks K1 K9 / R3 R3 O13 / B2; table R7 B7 J | K1 K2 J=K3; opened ++-; pool R9 K2 R9; "
    "move 2; turn 7; last play 3 / draw 1 / timeout 3"
)


def pool(state):
    return Counter(tile_kinds(state.rules.tiles, state.orders[0]).tolist())


def games(draws="shared"):
    """A few games of nothing but drawing, state by state."""
    for rules, players, seed in [(SABRA, 2, 1), (SABRA, 4, 2), (SMALL, 3, 3)]:
        state = deal(rules, players, seed, draws)
        for _ in range(12):
            yield state
            state = apply(state, Draw()) if state.pool_size else state


# The deal


@pytest.mark.parametrize("draws", ["shared", "private"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_everybody_starts_with_14_tiles_and_the_rest_is_the_pool(players, draws):
    state = deal(SABRA, players, 5, draws)
    assert state.racks.sum(axis=1).tolist() == [14] * players
    assert state.pool_size == 106 - 14 * players
    assert state.opened == (False,) * players
    assert state.table == ()
    assert state.outcome is None
    assert state.last == (None,) * players
    assert (state.racks.sum(axis=0) + np.bincount(list(pool(state).elements()), minlength=53) == 2).all()


@pytest.mark.parametrize("draws", ["shared", "private"])
def test_the_seed_decides_everything(draws):
    assert deal(SABRA, 3, 5, draws) == deal(SABRA, 3, np.random.default_rng(5), draws)
    assert deal(SABRA, 3, 5, draws) != deal(SABRA, 3, 6, draws)


def test_shared_and_private_draws_deal_the_same_racks():
    shared, private = deal(SABRA, 3, 5), deal(SABRA, 3, 5, "private")
    assert (shared.racks == private.racks).all()
    assert shared.to_move == private.to_move
    assert pool(shared) == pool(private)


def test_every_seat_starts_now_and_then():
    starters = Counter(deal(SABRA, 4, seed).to_move for seed in range(400))
    assert all(60 < starters[seat] < 140 for seat in range(4))


def test_the_deal_refuses_what_cannot_be_dealt():
    with pytest.raises(ValueError, match="sabra is for 2 to 4 players"):
        deal(SABRA, 5, 0)
    with pytest.raises(ValueError, match="draws='own' is not allowed; allowed are: shared, private"):
        deal(SABRA, 2, 0, "own")


def kinds(*texts):
    return dict(enumerate(map(SABRA.tiles.parse, texts)))


def test_the_highest_tile_starts():
    assert redraw(SABRA.tiles, kinds("R9", "K12", "B3")) == ()


def test_a_tie_for_the_highest_tile_is_drawn_again_by_those_who_tie():
    assert redraw(SABRA.tiles, kinds("R12", "K12", "B3")) == (0, 1)
    assert redraw(SABRA.tiles, kinds("R3", "K3", "B12")) == ()


def test_a_joker_is_changed_before_the_start_is_decided():
    assert redraw(SABRA.tiles, kinds("J", "K12", "B12")) == (0,)


# The pool


def test_a_shared_pool_is_drawn_in_its_order():
    first, second = tile_kinds(SABRA.tiles, MIDDLE.orders[0])[:2].tolist()
    after = apply(MIDDLE, Draw())
    assert after.racks[2, first] == MIDDLE.racks[2, first] + 1
    assert apply(after, Draw()).racks[0, second] == MIDDLE.racks[0, second] + 1


def test_private_draws_give_each_seat_its_own_next_tile_still_in_the_pool():
    state = deal(SABRA, 2, 1, "private")
    orders = [row.tolist() for row in state.orders]
    left = set(orders[0])
    while state.pool_size:
        seat = state.to_move
        tile = next(tile for tile in orders[seat] if tile in left)
        left.remove(tile)
        before, state = state, apply(state, Draw())
        gained = np.flatnonzero(state.racks[seat] != before.racks[seat])
        assert gained.tolist() == [min(tile // 2, 52)]
        assert set(state.orders[0].tolist()) == set(state.orders[1].tolist()) == left


def test_what_a_seat_draws_privately_hardly_depends_on_the_others():
    """The other seat takes only its own tile out of a seat's order: the rest stays as it was."""
    state = deal(SABRA, 2, 1, "private")
    seat = state.to_move
    after = apply(state, Draw())
    other = state.orders[1 - seat]
    assert after.orders[1 - seat].tolist() == [tile for tile in other if tile != state.orders[seat, 0]]


# Values


def test_arrays_of_a_state_cannot_be_changed():
    for state in [*games(), *games("private"), MIDDLE, pickle.loads(pickle.dumps(MIDDLE))]:
        assert not state.racks.flags.writeable
        assert not state.orders.flags.writeable
        assert not view(state, 0).rack.flags.writeable


@pytest.mark.parametrize("draws", ["shared", "private"])
def test_states_survive_text_repr_pickle_and_copy(draws):
    for state in games(draws):
        assert State.from_text(state.text()) == state
        assert eval(repr(state)) == state
        assert pickle.loads(pickle.dumps(state)) == state
        assert copy.deepcopy(state) == state
        assert hash(State.from_text(state.text())) == hash(state)
        assert "\n" not in state.text()


def test_the_text_of_a_state_with_everything_in_it():
    text = (
        "sabra; racks / R3; table K1 J J | R1 R2 R3; opened ++; pool; move 1; turn 9; passes 0; "
        "last play 2 / pass 0; end out / 0 / 3 -3"
    )
    state = State.from_text(text)
    assert state.text() == text
    assert state.outcome == Outcome((0,), (3, -3), "out")
    assert state.last == (LastMove("play", 2), LastMove("pass", 0))


def test_what_a_text_leaves_out_is_empty():
    state = State.from_text("sabra; racks K1 / R3")
    assert (state.table, state.opened, state.pool_size, state.to_move) == ((), (False, False), 0, 0)
    assert state.last == (None, None)


def test_states_differ_in_everything_that_matters():
    lines = [
        "sabra; racks K1 / R3; pool R9",
        "sabra; racks K2 / R3; pool R9",
        "sabra; racks K1 / R3; pool R8",
        "sabra; racks K1 / R3; pools R9a / R9a",
        "sabra; racks K1 / R3; pool R9; opened +-",
        "sabra; racks K1 / R3; pool R9; move 1",
        "sabra; racks K1 / R3; pool R9; turn 1",
        "sabra; racks K1 / R3; pool R9; passes 1",
        "sabra; racks K1 / R3; pool R9; last - / draw 1",
        "sabra; racks K1 / R3; pool R9; table K5 K6 K7",
        "sabra:turn_seconds=30; racks K1 / R3; pool R9",
        "sabra; racks K1 / R3; pool R9; end stalemate / 0 / 2 -2",
    ]
    assert len({State.from_text(line) for line in lines}) == len(lines)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("chess; racks K1 / R3", "unknown rules 'chess'"),
        ("sabra; rack K1 / R3", "unknown part 'rack' of a state; there are: racks, table"),
        ("sabra; racks K1 / R14", "'R14' is not a tile"),
        ("sabra; racks K1 / R3; table R3 R4", "at least three tiles"),
        ("sabra; racks K1 / R3; opened +", "2 racks need as many marks in opened"),
        ("sabra; racks K1 / R3; opened +x", "opened '\\+x': write \\+ or -"),
        ("sabra; racks K1 / R3; move 2", "move 2: the seats are 0 to 1"),
        ("sabra; racks K1 / R3; move x", "move 'x': write a whole number"),
        ("sabra; racks K1 / R3; last - / jump 1", "'jump 1' in last"),
        ("sabra; racks K1 / R3; pools R9 / R9a", "'R9' in pools: write the tile and its copy"),
        ("sabra; racks K1 / R3; pools R9c / R9c", "the game has 2 copies"),
        ("sabra; racks K1 / R3; pools R9a / R9b", "the same tiles, in its own order"),
        ("sabra; racks K1 / R3; pools R9a / R9a R8a", "the same tiles, in its own order"),
        ("sabra; racks K1 K1 / R3; pool K1", "K1 occurs 3 times; the game has 2 of them"),
        ("sabra; racks K1 / R3; end won / 0 / 1 -1", "end 'won / 0 / 1 -1': write out or stalemate"),
        ("sabra; racks K1 / R3; end out", "end 'out'"),
        ("sabra; racks K1 / R3 / R4 / R5 / R6", "sabra is for 2 to 4 players"),
        ("machiavelli; racks K1 / R3; opened +-", "by these rules nobody has to open"),
        ("sabra; racks K1 / R3; declined +-", "these rules do not ask who could have opened"),
        ("mso_tournament; racks K1 / R3; declined +", "declined: write \\+ or - for each seat"),
        ("mso_tournament; racks K1 / R3; declined --", "declined: write \\+ or - for each seat"),
    ],
)
def test_a_line_that_is_no_state_says_why(line, told):
    with pytest.raises(ValueError, match=told):
        State.from_text(line)


# Views


def test_a_view_shows_the_own_rack_and_what_lies_open():
    seen = view(MIDDLE, 1)
    assert SABRA.tiles.join(SABRA.tiles.listed(seen.rack)) == "R3 R3 O13"
    assert (seen.rack_sizes, seen.pool_size, seen.players) == ((2, 3, 1), 3, 3)
    assert (seen.table, seen.opened, seen.to_move) == (MIDDLE.table, (True, True, False), 2)
    assert (seen.turn, seen.passes, seen.last) == (7, 0, MIDDLE.last)


def test_views_of_states_that_differ_in_hidden_tiles_are_equal():
    other = State.from_text(MIDDLE.text().replace("racks K1 K9 / R3 R3 O13 / B2", "racks K5 K6 / R3 R3 O13 / B13"))
    assert view(MIDDLE, 1) == view(other, 1)
    assert hash(view(MIDDLE, 1)) == hash(view(other, 1))
    assert view(MIDDLE, 0) != view(other, 0)


def test_unseen_tiles_are_all_but_the_own_rack_and_the_table():
    for state in games():
        for seat in range(state.players):
            seen = view(state, seat)
            assert (seen.unseen == state.rules.tiles.full - state.racks[seat]).all()
    counted = view(MIDDLE, 1).unseen + MIDDLE.racks[1] + table_counts(SABRA.tiles, MIDDLE.table)
    assert (counted == SABRA.tiles.full).all()


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 20), st.sampled_from(["shared", "private"]))
def test_a_sampled_world_looks_the_same(seed, turns, draws):
    state = deal(SABRA, 3, seed, draws)
    for _ in range(turns):
        state = apply(state, Draw())
    for seat in range(3):
        world = view(state, seat).sample(np.random.default_rng(seed))
        assert view(world, seat) == view(state, seat)
        assert (world.racks.sum(axis=0) + np.bincount(list(pool(world).elements()), minlength=53) == 2).all()


def test_samples_differ_and_are_decided_by_the_generator():
    seen = view(deal(SABRA, 3, 1), 0)
    first, again, other = (seen.sample(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert first == again != other


def test_a_view_does_not_hold_the_state():
    seen = view(MIDDLE, 1)
    assert not any(isinstance(getattr(seen, name), State) for name in seen.__slots__)
    assert seen.rack.shape == (53,)


def test_a_finished_game_has_no_next_move():
    over = State.from_text("sabra; racks / R3; end out / 0 / 3 -3")
    with pytest.raises(ValueError, match="The round is over"):
        apply(over, Pass())
