"""The contract of every action codec: the mask is exact, `spell` is the inverse of stepping."""

from collections import Counter
from itertools import chain, islice

import numpy as np
import pytest
from oracle import Oracle

from rummikub_env.actions import CODECS, IllegalAction, codec_of
from rummikub_env.game import Draw, Move, Pass, Play, TimeOut, apply, check
from rummikub_env.rules import rules_of
from rummikub_env.state import deal, view

MINIS = {
    "small": {"colours": "KRB", "max_value": 5, "copies_per_tile": 1, "joker_count": 1, "rack_size": 5},
    "jokers": {"colours": "KRB", "max_value": 4, "copies_per_tile": 2, "joker_count": 2, "rack_size": 5},
    "free": {"colours": "KRB", "max_value": 4, "joker_count": 2, "rack_size": 5, "joker_release": "free"},
}


def mini(name):
    return rules_of("sabra", MINIS[name] | {"initial_meld_points": 6})


def random_turns(codec, rng, players=2, draws="shared"):
    """The states of a random game and the actions of each turn."""
    state = deal(codec.rules, players, rng, draws)
    while state.outcome is None:
        draft, actions = codec.begin(view(state, state.to_move)), []
        while not isinstance(draft, Move):
            actions.append(int(rng.choice(np.flatnonzero(codec.mask(draft)))))
            draft = codec.step(draft, actions[-1])
        yield state, actions, draft
        state = apply(state, draft)


@pytest.mark.parametrize("codec_name", CODECS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_following_the_mask_makes_legal_moves(codec_name, players):
    codec = codec_of(codec_name, rules_of("sabra"))
    rng = np.random.default_rng(players)
    turns = 40 if codec_name == "sets" else 300  # its masks take longer, the more lies on the table
    for state, _actions, move in islice(chain(*(random_turns(codec, rng, players) for _ in range(3))), turns):
        assert check(state, move) == ()


@pytest.mark.parametrize("codec_name", CODECS)
@pytest.mark.parametrize("rules", ["sabra", *MINIS])
def test_spell_is_the_inverse_of_stepping(codec_name, rules):
    codec = codec_of(codec_name, rules_of(rules) if rules == "sabra" else mini(rules))
    rng = np.random.default_rng(5)
    turns = 40 if codec_name == "sets" else 300
    for state, _, move in islice(chain(*(random_turns(codec, rng) for _ in range(3))), turns):
        seen = view(state, state.to_move)
        draft = codec.begin(seen)
        for action in codec.spell(seen, move):
            assert codec.mask(draft)[action]
            draft = codec.step(draft, action)
        assert draft == move


@pytest.mark.parametrize("rules", MINIS)
def test_the_mask_of_tiles_equals_the_oracle(rules):
    """Along random games, at every step of every turn, against exhaustive search."""
    codec = codec_of("tiles", mini(rules))
    oracle = Oracle(codec.rules)
    rng = np.random.default_rng(11)
    checked = 0
    while checked < 150:
        for state, actions, _ in random_turns(codec, rng):
            seen = view(state, state.to_move)
            rack = codec.rules.tiles.listed(seen.rack)
            if len(rack) > 9:
                continue
            plays = [Counter(play) for play in oracle.plays(state.table, rack, state.opened[state.to_move])]
            draft = codec.begin(seen)
            for depth, action in enumerate(actions):
                expected = oracle_mask(codec, seen, plays, Counter(actions[:depth]))
                np.testing.assert_array_equal(codec.mask(draft), expected, err_msg=repr((state, actions[:depth])))
                draft = codec.step(draft, action)
                checked += 1


def oracle_mask(codec, seen, plays, spelled):
    going_on = [play - spelled for play in plays if spelled <= play]
    mask = np.zeros(codec.n, bool)
    mask[[kind for rest in going_on for kind in rest]] = True
    mask[-1] = Counter() in going_on if spelled else seen.pool_size > 0 or not plays
    return mask


def test_a_mask_is_computed_once_and_cannot_be_written():
    codec = codec_of("tiles", rules_of("sabra"))
    state = deal(codec.rules, 2, 0)
    draft = codec.begin(view(state, state.to_move))
    assert codec.mask(draft) is codec.mask(draft)
    with pytest.raises(ValueError, match="read-only"):
        codec.mask(draft)[0] = True


def test_a_draft_never_changes():
    codec = codec_of("tiles", mini("small"))
    rng = np.random.default_rng(2)
    for state, actions, _ in random_turns(codec, rng):
        draft = codec.begin(view(state, state.to_move))
        if len(actions) > 1:
            before = codec.mask(draft).copy(), draft.spelled.copy()
            codec.step(draft, actions[0])
            np.testing.assert_array_equal(codec.mask(draft), before[0])
            np.testing.assert_array_equal(draft.spelled, before[1])


def test_nothing_spelled_and_end_draws_while_there_are_tiles():
    codec = codec_of("tiles", rules_of("sabra"))
    state = deal(codec.rules, 2, 0)
    assert codec.step(codec.begin(view(state, state.to_move)), codec.end) == Draw()


def test_on_an_empty_pool_end_is_a_pass_for_who_cannot_play():
    codec = codec_of("tiles", mini("small"))
    rng = np.random.default_rng(3)
    passes = 0
    while not passes:
        for state, _, move in random_turns(codec, rng):
            mask = codec.mask(codec.begin(view(state, state.to_move)))
            if not state.pool_size:
                assert mask[codec.end] == (not mask[:-1].any())
                passes += move == Pass()


def test_an_illegal_action_says_what_is_allowed():
    codec = codec_of("tiles", rules_of("sabra"))
    state = deal(codec.rules, 2, 0)
    draft = codec.begin(view(state, state.to_move))
    absent = int(np.flatnonzero(~codec.mask(draft))[0])
    with pytest.raises(IllegalAction, match=r"53 \(end the turn\)"):
        codec.step(draft, absent)
    with pytest.raises(IllegalAction, match="action 54 is not allowed here"):
        codec.step(draft, 54)
    with pytest.raises(IllegalAction, match="action -1 is not allowed here"):
        codec.step(draft, -1)


def test_a_time_out_has_no_actions():
    codec = codec_of("tiles", rules_of("sabra"))
    state = deal(codec.rules, 2, 0)
    with pytest.raises(ValueError, match="time-out"):
        codec.spell(view(state, state.to_move), TimeOut())


def test_spell_lists_the_tiles_in_ascending_order():
    codec = codec_of("tiles", rules_of("sabra"))
    tiles = codec.rules.tiles
    state = deal(codec.rules, 2, 0)
    move = Play((tiles.parse_all("R5 J=R6 R7"),), tiles.parse_all("R7 J R5"))
    assert codec.spell(view(state, state.to_move), move) == [*tiles.parse_all("R5 R7 J"), codec.end]


def test_an_unknown_codec_is_an_error_that_names_the_known_ones():
    with pytest.raises(ValueError, match="tiles"):
        codec_of("chess", "sabra")


def test_an_option_is_told_once():
    assert codec_of("turns:k=5", "sabra").n == 6
    with pytest.raises(ValueError, match="'turns:k=5,k=6' tells an option twice"):
        codec_of("turns:k=5,k=6", "sabra")
