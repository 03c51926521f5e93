"""Starts and deals of all kinds, sentence by sentence."""

from collections import Counter

import numpy as np
import pytest

from rummikub_env.dealing import highest, may_redeal, redraw
from rummikub_env.rules import PRESETS, rules_of
from rummikub_env.state import deal, tile_kinds

TILES = rules_of("sabra").tiles


def kinds(*texts):
    return dict(enumerate(map(TILES.parse, texts)))


def counts(text):
    return TILES.count(TILES.parse_all(text))


@pytest.mark.parametrize("name", PRESETS)
def test_every_preset_deals_all_its_tiles(name):
    rules = PRESETS[name]
    for players in range(rules.players_min, rules.players_max + 1):
        state = deal(rules, players, players)
        pool = np.bincount(tile_kinds(rules.tiles, state.orders[0]), minlength=rules.tiles.kinds)
        assert (state.racks.sum(axis=0) + pool == rules.tiles.full).all()
        assert (state.racks.sum(axis=1) == rules.rack_size).all()
        assert state == type(state).from_text(state.text())


# Who begins


def test_a_joker_counts_as_no_tile_where_it_is_ignored():
    assert redraw(TILES, kinds("J", "K2", "R11"), "ignore") == ()
    assert highest(TILES, kinds("J", "K2", "R11")) == (2,)
    assert redraw(TILES, kinds("J", "K11", "R11"), "ignore") == (1, 2)
    assert redraw(TILES, kinds("J", "J"), "ignore") == (0, 1)


def test_the_seat_after_the_dealer_begins():
    rules = PRESETS["vatikan"]
    assert [deal(rules, 4, 1, dealer=dealer).to_move for dealer in range(4)] == [1, 2, 3, 0]
    assert {deal(rules, 4, seed).to_move for seed in range(40)} == {0, 1, 2, 3}
    with pytest.raises(ValueError, match="dealer=4 is not allowed; the seats are 0 to 3"):
        deal(rules, 4, 1, dealer=4)


def test_a_lot_may_decide():
    starters = Counter(deal(rules_of("sabra:starter_method=random"), 4, seed).to_move for seed in range(400))
    assert all(60 < starters[seat] < 140 for seat in range(4))


def test_the_tile_drawn_for_the_start_may_be_kept():
    """Then the starter's rack holds the highest tile that was drawn, and high tiles more often than the others'."""
    rules = PRESETS["sabra_timed"]
    for seed in range(50):
        state = deal(rules, 4, seed)
        assert (state.racks.sum(axis=1) == 14).all()
    states = [deal(rules, 4, seed) for seed in range(300)]
    values = [TILES.value(kind) if kind < TILES.joker else 0 for kind in range(TILES.kinds)]
    own = np.mean([state.racks[state.to_move] @ values for state in states])
    others = np.mean([state.racks[(state.to_move + 1) % 4] @ values for state in states])
    assert own > others + 2


# Dealt jokers


def test_each_player_may_be_dealt_a_joker():
    for seed in range(20):
        state = deal(PRESETS["mso_tournament"], 2, seed)
        assert state.racks[:, TILES.joker].tolist() == [1, 1]
        assert state.racks.sum(axis=1).tolist() == [14, 14]
        assert state.pool_size == 78


def test_there_must_be_enough_jokers_to_deal():
    rules = rules_of("sabra:dealt_jokers=1")
    assert deal(rules, 2, 1).racks[:, TILES.joker].tolist() == [1, 1]
    with pytest.raises(ValueError, match="3 players with 1 dealt jokers each need 3 jokers, the game has 2"):
        deal(rules, 3, 1)


# A new deal on request


@pytest.mark.parametrize(
    ("rack", "allowed"),
    [
        ("B3 B3 R8 R8 O10 O10 K1 K4", True),
        ("B3 B3 R8 R8 O10 K1 K4", False),
        ("B3 B3 R8 R8 J J K1", True),
        ("B3 B3 R8 R8 B10 O10", False),
    ],
)
def test_three_pairs_of_equal_tiles_allow_a_new_deal(rack, allowed):
    assert may_redeal(PRESETS["german_club"], counts(rack)) is allowed
    assert not may_redeal(PRESETS["sabra"], counts(rack))


def test_the_deal_is_made_anew_when_a_player_asks():
    rules = PRESETS["german_club"]
    for seed in range(60):
        assert not any(may_redeal(rules, rack) for rack in deal(rules, 4, seed).racks)


def test_nobody_has_to_ask():
    rules, asked = PRESETS["german_club"], []

    def never(seat, rack):
        asked.append((seat, may_redeal(rules, rack)))
        return False

    kept = [deal(rules, 4, seed, asks=never) for seed in range(60)]
    assert any(may_redeal(rules, rack) for state in kept for rack in state.racks)
    assert all(may for _, may in asked)


def test_where_every_deal_has_three_pairs_the_last_one_counts():
    rules = rules_of(
        "german_club:colours=K,max_value=3,copies_per_tile=4,joker_count=0,rack_size=6,initial_meld_points=6"
    )
    assert deal(rules, 2, 1).pool_size == 0


def test_without_an_opening_all_have_opened():
    assert deal(PRESETS["machiavelli"], 2, 1).opened == (True, True)
    assert deal(PRESETS["vatikan"], 2, 1).opened == (False, False)
