"""Observations: a public layout, values in range, nothing hidden inside."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from rummikub_env.actions import codec_of
from rummikub_env.game import Move, apply
from rummikub_env.kernels.counts import encode
from rummikub_env.observations import COUNTS, OBSERVATIONS, Observation, Perfect, Piece, observation_of
from rummikub_env.observations.planes import CHANNELS
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table
from rummikub_env.state import LastMove, PastTurn, Standing, State, deal, remember, view

SABRA = rules_of("sabra")
MINI = rules_of("sabra", {"colours": "KRB", "max_value": 5, "joker_count": 0, "rack_size": 6})


def random_game(rules, players, seed):
    """Every state of a random game with the draft of the seat on turn, action by action; the views remember."""
    codec = codec_of("tiles", rules)
    rng = np.random.default_rng(seed)
    state, history = deal(rules, players, rng), ()
    while state.outcome is None:
        draft = codec.begin(view(state, state.to_move, history=history))
        while not isinstance(draft, Move):
            yield state, draft
            draft = codec.step(draft, int(rng.choice(np.flatnonzero(codec.mask(draft)))))
        before, state = state, apply(state, draft)
        history = remember(history, before, state)
    yield state, None


def seats_of(state, draft):
    history = () if draft is None else draft.view.history
    for seat in range(state.players):
        yield view(state, seat, history=history), draft if draft is not None and draft.view.seat == seat else None


@pytest.mark.parametrize("name", OBSERVATIONS)
@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("rules", [SABRA, MINI], ids=["sabra", "mini"])
def test_values_stay_in_the_announced_range(name, players, rules):
    encoder = observation_of(name, rules, players)
    for state, draft in random_game(rules, players, seed=players):
        for seen, own in seats_of(state, draft):
            vector = encoder.encode(seen, own)
            assert vector.dtype == np.float32
            assert vector.shape == (encoder.size,)
            assert (vector >= encoder.low).all()
            assert (vector <= encoder.high).all()


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_the_layout_covers_the_vector_without_gaps(name):
    encoder = observation_of(name, SABRA, 3)
    start = 0
    for field in encoder.layout.values():
        assert field.where.start == start
        assert field.where.stop - start == np.prod(field.shape)
        assert field.meaning
        assert field.low < field.high
        start = field.where.stop
    assert start == encoder.size


@pytest.mark.parametrize("name", OBSERVATIONS)
@pytest.mark.parametrize("players", [2, 4])
def test_hidden_tiles_make_no_difference(name, players):
    """States that differ only in what a seat cannot know give it the same observation."""
    encoder = observation_of(name, SABRA, players)
    rng = np.random.default_rng(7)
    for state, draft in random_game(SABRA, players, seed=1):
        for seen, own in seats_of(state, draft):
            other = seen.sample(rng)
            twin = view(other, seen.seat, history=seen.history)
            np.testing.assert_array_equal(encoder.encode(twin, own), encoder.encode(seen, own))


@pytest.mark.parametrize("name", OBSERVATIONS)
def test_only_a_view_can_be_encoded(name):
    with pytest.raises(TypeError, match="View"):
        observation_of(name, SABRA, 2).encode(deal(SABRA, 2, 0))


def test_counts_add_up_to_the_tile_set():
    encoder = observation_of("counts", SABRA, 3)
    copies = SABRA.tiles.full
    for state, draft in random_game(SABRA, 3, seed=3):
        for seen, own in seats_of(state, draft):
            pieces = encoder.as_dict(encoder.encode(seen, own))
            np.testing.assert_array_equal(pieces["rack"] * copies, seen.rack)
            np.testing.assert_array_equal((pieces["rack"] + pieces["table"] + pieces["unseen"]) * copies, copies)
            assert (pieces["spelled"] <= pieces["rack"]).all()
            assert pieces["pool"] * SABRA.tiles.total == pytest.approx(state.pool_size)


def test_seats_are_relative_to_the_observer():
    encoder = observation_of("counts", SABRA, 3)
    for state, draft in random_game(SABRA, 3, seed=4):
        sizes = state.racks.sum(axis=1)
        for seen, own in seats_of(state, draft):
            pieces = encoder.as_dict(encoder.encode(seen, own))
            order = [(seen.seat + i) % 3 for i in range(3)]
            np.testing.assert_allclose(pieces["rack_sizes"] * SABRA.rack_size, sizes[order], rtol=1e-6)
            np.testing.assert_array_equal(pieces["opened"], np.array(state.opened)[order])
            if state.outcome is None:
                assert order[pieces["phase"][:3].argmax()] == state.to_move
            for row, seat in zip(pieces["last"], order, strict=True):
                assert row.any() == (state.last[seat] is not None)


def test_jokers_on_the_table_count_for_what_they_may_stand_for():
    tiles = SABRA.tiles
    state = deal(SABRA, 2, 0)
    state = with_table(state, "R3 J=R4 R5 | K7 B7 J")
    pieces = observation_of("counts", SABRA, 2).as_dict(observation_of("counts", SABRA, 2).encode(view(state, 0)))
    standing = {tiles.text(int(kind)) for kind in np.flatnonzero(pieces["jokers"])}
    assert standing == {"R4", "R7", "O7"}


def with_table(state, text):
    """`state` with another table, whatever that does to the tiles."""
    return replace(state, table=parse_table(state.rules.tiles, text))


def test_encoding_gives_new_arrays_or_fills_the_given_one():
    encoder = observation_of("counts", SABRA, 2)
    seen = view(deal(SABRA, 2, 0), 0)
    first = encoder.encode(seen)
    assert not np.shares_memory(first, encoder.encode(seen))
    out = np.full(encoder.size, np.nan, np.float32)
    assert encoder.encode(seen, out=out) is out
    np.testing.assert_array_equal(out, first)


def test_the_dict_is_a_view_of_the_vector():
    encoder = observation_of("counts", SABRA, 2)
    batch = np.stack([encoder.encode(view(deal(SABRA, 2, seed), 0)) for seed in range(4)])
    pieces = encoder.as_dict(batch)
    assert pieces["last"].shape == (4, 2, 5)
    assert all(np.shares_memory(piece, batch) for piece in pieces.values())


def told(view, draft):
    """The raw values of each piece, one by one from the view: what the encoder must write."""
    tiles, players = view.rules.tiles, view.players
    step = 1 if view.rules.direction == "clockwise" else -1
    order = [(view.seat + step * i) % players for i in range(players)]
    over = view.outcome is not None
    kinds = ("draw", "pass", "play", "timeout")
    moves = [view.last[seat] for seat in order]
    return {
        "rack": view.rack,
        "spelled": np.zeros(tiles.kinds) if draft is None else draft.spelled,
        "table": tiles.full - view.rack - view.unseen,
        "unseen": view.unseen,
        "opened": [view.opened[seat] for seat in order],
        "rack_sizes": [view.rack_sizes[seat] for seat in order],
        "pool": [view.pool_size],
        "last": [[0] * 5 if m is None else [*(m.kind == kind for kind in kinds), m.tiles] for m in moves],
        "phase": [
            *(seat == view.to_move and not over for seat in order),
            view.passes,
            min(view.turn, 4 * tiles.total),
            view.pool_size == 0,
            over,
        ],
    }


RULES = [(SABRA, 3), (MINI, 2), (rules_of("rummy_games_50"), 4), (rules_of("six_player_160"), 6)]


@pytest.mark.parametrize(("rules", "players"), RULES, ids=lambda value: getattr(value, "name", value))
def test_each_piece_is_the_raw_value_times_the_factor(rules, players):
    encoder = observation_of("counts", rules, players)
    for state, draft in random_game(rules, players, seed=5):
        for seen, own in seats_of(state, draft):
            pieces = encoder.as_dict(encoder.encode(seen, own))
            for name, raw in told(seen, own).items():
                factor = encoder.as_dict(encoder.factor)[name]
                np.testing.assert_array_equal(pieces[name], np.asarray(raw, np.float32) * factor, name)


def test_rare_values_are_written_too():
    state = replace(deal(SABRA, 2, 0), passes=1, turn=10_000, last=(LastMove("timeout", 3), LastMove("pass", 0)))
    pieces = observation_of("counts", SABRA, 2).as_dict(observation_of("counts", SABRA, 2).encode(view(state, 0)))
    np.testing.assert_allclose(pieces["last"], [[0, 0, 0, 1, 3 / 14], [0, 1, 0, 0, 0]], rtol=1e-6)
    np.testing.assert_allclose(pieces["phase"][2:], [0.5, 4, 0, 0])


def pairs(rules, players):
    """A piece that is not compiled."""
    kinds = rules.tiles.kinds
    return Piece("pairs", "1 for each kind held twice", (kinds,), 1, 1, lambda view, draft: view.rack >= 2)


@pytest.mark.parametrize(
    "pieces",
    [COUNTS[::-1], COUNTS[1::2], (COUNTS[4],), (pairs,), (COUNTS[9], pairs, COUNTS[0])],
    ids=["reversed", "every second", "one", "an own one", "an own one between"],
)
def test_an_ablation_tells_the_same_of_its_pieces(pieces):
    whole, part = observation_of("counts", SABRA, 3), Observation(SABRA, 3, pieces)
    assert list(part.layout) == [piece(SABRA, 3).name for piece in pieces]
    for state, draft in random_game(SABRA, 3, seed=6):
        for seen, own in seats_of(state, draft):
            pieces = whole.as_dict(whole.encode(seen, own)) | {"pairs": seen.rack >= 2}
            for name, values in part.as_dict(part.encode(seen, own)).items():
                np.testing.assert_array_equal(values, pieces[name])


def test_the_match_is_told_at_the_end():
    rules = rules_of("sabra:match_end=rounds 4")
    encoder = observation_of("counts", rules, 3)
    seen = view(deal(rules, 3, 0), 1, Standing((-30, 100, 9999), 1))
    np.testing.assert_allclose(encoder.encode(seen)[-4:], [0.25, 10, -0.075, 0.75])
    np.testing.assert_array_equal(encoder.encode(seen)[:-4], observation_of("counts", SABRA, 3).encode(seen))


def test_pieces_that_make_no_observation_are_errors():
    with pytest.raises(ValueError, match="two pieces have the same name: rack, pool, rack"):
        Observation(SABRA, 2, (COUNTS[0], COUNTS[7], COUNTS[0]))
    with pytest.raises(ValueError, match="luck: a piece needs `read` unless it is one of rack, spelled"):
        Observation(SABRA, 2, (lambda rules, players: Piece("luck", "luck", (1,), 1, 1),))
    narrow = Observation(SABRA, 2, (lambda rules, players: Piece("rack", "rack", (5,), 2, 2),))
    with pytest.raises(ValueError, match="does not fit"):
        narrow.encode(view(deal(SABRA, 2, 0), 0))
    short = Observation(SABRA, 2, (lambda rules, players: Piece("x", "x", (2,), 1, 1, lambda view, draft: [1]),))
    with pytest.raises(ValueError, match=r"a piece of shape \(2,\) was read as \(1,\)"):
        short.encode(view(deal(SABRA, 2, 0), 0))


def test_a_view_of_another_game_is_an_error():
    encoder = observation_of("counts", SABRA, 2)
    with pytest.raises(ValueError, match="of 2 players, the view of 3"):
        encoder.encode(view(deal(SABRA, 3, 0), 0))
    with pytest.raises(ValueError, match="of 2 players"):
        encoder.encode(replace(view(deal(SABRA, 2, 0), 0), last=()))
    with pytest.raises(ValueError, match="sizes"):
        encoder.encode(view(deal(MINI, 2, 0), 0))
    with pytest.raises(ValueError, match="sizes"):
        encoder.encode(view(deal(SABRA, 2, 0), 0), out=np.zeros(5, np.float32))


def test_the_encoder_is_compiled_once():
    """Writable and read-only arrays, numpy's and Python's integers: all the same to it."""
    encoder = observation_of("counts", SABRA, 2)
    seen = view(deal(SABRA, 2, 0), 0)
    expected = encoder.encode(seen)
    for rack, seat in ((seen.rack.copy(), np.int8(0)), (seen.rack, np.int64(0))):
        np.testing.assert_array_equal(encoder.encode(replace(seen, rack=rack, seat=seat)), expected)
    assert len(encode.signatures) == 1


def test_an_encoder_can_be_pickled():
    encoder = observation_of("counts", SABRA, 2)
    twin = pickle.loads(pickle.dumps(encoder))
    seen = view(deal(SABRA, 2, 0), 0)
    np.testing.assert_array_equal(twin.encode(seen), encoder.encode(seen))


def test_an_unknown_observation_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="counts"):
        observation_of("pixels", SABRA, 2)


def test_a_state_is_no_view():
    assert not isinstance(deal(SABRA, 2, 0), type(view(deal(SABRA, 2, 0), 0)))
    assert isinstance(deal(SABRA, 2, 0), State)


# The pieces that are not compiled


def test_observations_and_pieces_are_joined_by_name():
    joined = observation_of("counts+history", SABRA, 2)
    assert list(joined.layout) == [*observation_of("counts", SABRA, 2).layout, "turns", "let_by"]
    assert next(iter(observation_of(["history", "counts"], SABRA, 2).layout)) == "turns"
    assert list(observation_of(["rack", "planes"], SABRA, 2).layout)[:2] == ["rack", "planes"]
    assert list(observation_of("counts+tokens+rack", SABRA, 2).layout).count("rack") == 1
    with pytest.raises(ValueError, match=r"'pixels'; there is: counts, planes, tokens, history; and of pieces: rack"):
        observation_of(["counts", "pixels"], SABRA, 2)
    with pytest.raises(ValueError, match="needs a piece"):
        observation_of([], SABRA, 2)
    for names in ([["rack"]], 3):
        with pytest.raises(TypeError, match="must be a name, names joined by"):
            observation_of(names, "sabra", 2)


def test_a_piece_is_one_reshape_of_the_flat_vector():
    encoder = observation_of("planes", SABRA, 2)
    vector = encoder.encode(view(deal(SABRA, 2, 0), 0))
    field = encoder.layout["planes"]
    assert field.shape == (len(CHANNELS), 4, 13)
    np.testing.assert_array_equal(vector[field.where].reshape(field.shape), encoder.as_dict(vector)["planes"])


@pytest.mark.parametrize("rules", [SABRA, MINI], ids=["sabra", "mini"])
def test_planes_show_the_counts(rules):
    encoder = observation_of("counts+planes", rules, 2)
    joker, shape = rules.tiles.joker, (len(rules.colours), rules.max_value)
    for state, draft in random_game(rules, 2, seed=8):
        for seen, own in seats_of(state, draft):
            pieces = encoder.as_dict(encoder.encode(seen, own))
            shown = dict(zip(CHANNELS, pieces["planes"], strict=True))
            for name in ("rack", "spelled", "unseen"):
                np.testing.assert_array_equal(shown[name], pieces[name][:joker].reshape(shape))
            np.testing.assert_array_equal(shown["standing"], pieces["jokers"].reshape(shape))
            np.testing.assert_allclose(shown["in runs"] + shown["in groups"], pieces["table"][:joker].reshape(shape))
            of_jokers = ("jokers on the rack", "jokers spelled", "jokers on the table", "jokers unseen")
            for name, piece in zip(of_jokers, ("rack", "spelled", "table", "unseen"), strict=True):
                assert (shown[name] == pieces[piece][joker]).all()


def test_planes_tell_runs_from_groups():
    state = with_table(deal(SABRA, 2, 0), "R3 J=R4 R5 | K7 B7 O7")
    encoder, tiles = observation_of("planes", SABRA, 2), SABRA.tiles
    shown = dict(zip(CHANNELS, encoder.as_dict(encoder.encode(view(state, 0)))["planes"], strict=True))
    assert {tiles.text(int(kind)) for kind in np.flatnonzero(shown["in runs"])} == {"R3", "R5"}
    assert {tiles.text(int(kind)) for kind in np.flatnonzero(shown["in groups"])} == {"K7", "B7", "O7"}
    assert (shown["jokers on the table"] == 0.5).all()


def test_tokens_tell_how_the_table_lies():
    state = with_table(deal(SABRA, 2, 0), "R3 J=R4 R5 | K7 B7 J | J=9 K9 J=9")
    encoder = observation_of("tokens", SABRA, 2)
    pieces = encoder.as_dict(encoder.encode(view(state, 0)))
    assert pieces["tokens"][:9].astype(int).tolist() == [
        [3, 1, 1, 2, 3, 0],
        [3, 1, 1, 2, 4, 1],
        [3, 1, 1, 2, 5, 0],
        [3, 2, 2, 1, 7, 0],
        [3, 2, 2, 3, 7, 0],
        [3, 2, 2, 0, 0, 1],
        [3, 3, 2, 0, 9, 1],
        [3, 3, 2, 1, 9, 0],
        [3, 3, 2, 0, 9, 1],
    ]
    assert (pieces["tokens"][9:23, 0] == 1).all()
    assert not pieces["tokens"][23:].any()
    assert pieces["tokens_mask"].tolist() == [1] * 23 + [0] * 83


def test_tokens_are_the_tiles_that_a_seat_sees():
    encoder, tiles = observation_of("tokens", SABRA, 3), SABRA.tiles
    for state, draft in random_game(SABRA, 3, seed=9):
        for seen, own in seats_of(state, draft):
            pieces = encoder.as_dict(encoder.encode(seen, own))
            rows = pieces["tokens"][pieces["tokens_mask"] > 0].astype(int)
            assert len(rows) == tiles.total - seen.unseen.sum()
            kinds = np.where(rows[:, 5], tiles.joker, (rows[:, 3] - 1) * tiles.values + rows[:, 4] - 1)
            spelled = np.zeros(tiles.kinds, int) if own is None else own.spelled
            np.testing.assert_array_equal(np.bincount(kinds[rows[:, 0] == 1], minlength=53), seen.rack - spelled)
            np.testing.assert_array_equal(np.bincount(kinds[rows[:, 0] == 2], minlength=53), spelled)


def test_history_tells_the_last_turns_from_the_observers_side():
    tiles = SABRA.tiles
    state = with_table(deal(SABRA, 3, 0), "R3 R4 R5")
    laid = tiles.parse_all("R3 R4 R5")
    history = (PastTurn(1, LastMove("draw", 1), ()), PastTurn(2, LastMove("play", 3), laid))
    encoder = observation_of("history", SABRA, 3)
    pieces = encoder.as_dict(encoder.encode(view(state, 1, history=history)))
    own, played = pieces["turns"][1], pieces["turns"][0]
    np.testing.assert_allclose(played[:8], [0, 1, 0, 0, 0, 1, 0, 3 / 14], rtol=1e-6)
    assert set(np.flatnonzero(played[8:]).tolist()) == set(laid)
    np.testing.assert_allclose(own[:8], [1, 0, 0, 1, 0, 0, 0, 1 / 14], rtol=1e-6)
    assert not own[8:].any()
    assert not pieces["turns"][2:].any()
    assert pieces["let_by"][:, 0].tolist() == [1, 0, 0]
    assert not pieces["let_by"][0, 1:].any()  # there was nothing on the table when it drew


def test_what_a_seat_let_by_is_the_table_when_it_drew():
    encoder = observation_of("history", SABRA, 2)
    tables, checked = {}, 0
    for state, draft in random_game(SABRA, 2, seed=12):
        if draft is not None and not draft.spelled.any():
            for turn in draft.view.history[-1:]:
                if turn.move.kind == "draw":
                    tables[turn.seat] = draft.view.rules.tiles.count([p for pieces in state.table for p in pieces])
            pieces = encoder.as_dict(encoder.encode(draft.view, draft))
            for place, seat in enumerate((state.to_move, 1 - state.to_move)):
                flag, *kinds = pieces["let_by"][place]
                assert flag == (seat in tables)
                if flag:
                    np.testing.assert_array_equal(np.array(kinds) * SABRA.tiles.full, tables[seat])
                    checked += any(kinds)
    assert checked > 20


def test_history_needs_a_view_that_remembers():
    with pytest.raises(ValueError, match="history="):
        observation_of("history", SABRA, 2).encode(view(deal(SABRA, 2, 0), 0))
    assert not observation_of("counts", SABRA, 2).needs_history


def test_the_perfect_observation_adds_the_other_racks():
    rules = rules_of("rummy_games_50")  # played counter-clockwise
    encoder = observation_of("counts", rules, 3)
    perfect, state = Perfect(encoder), deal(rules, 3, 0)
    seen = np.stack([encoder.encode(view(state, seat)) for seat in range(3)])
    whole = perfect.complete(seen, np.stack([state.racks] * 3), range(3))
    assert whole.shape == (3, perfect.size)
    np.testing.assert_array_equal(whole[:, : encoder.size], seen)
    field = perfect.layout["racks"]
    for seat, row in enumerate(whole):
        racks = row[field.where].reshape(field.shape) * rules.tiles.full
        np.testing.assert_array_equal(racks, state.racks[[(seat - 1) % 3, (seat - 2) % 3]])
    with pytest.raises(ValueError, match="racks"):
        observation_of("racks", rules, 3)
