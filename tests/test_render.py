"""The table as text: complete, readable, and hiding what a seat cannot know."""

import re
from dataclasses import replace

from rummikub_env.render import render_state, render_table, render_view, terminal_has_colour
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table
from rummikub_env.state import LastMove, Outcome, deal, view

SABRA = rules_of("sabra")
ESCAPE = re.compile(r"\033\[\d+m")


def position(**changes):
    table = parse_table(SABRA.tiles, "R3 J=R4 R5 | K7 B7 O7")
    last = (None, LastMove("play", 6), LastMove("pass", 0))
    return replace(deal(SABRA, 3, 0), table=table, to_move=1, turn=7, passes=1, last=last, **changes)


def test_a_spectator_sees_table_seats_and_all_racks():
    text = render_state(position())
    assert "R3 J=R4 R5   K7 B7 O7" in text
    assert "turn 8, player_1 to move, 64 in the pool, 1 passed in a row" in text
    assert "> player_1: 14 tiles, not opened, last played 6" in text
    assert "  player_2: 14 tiles, not opened, last passed" in text
    assert [f"rack of player_{seat}" in text for seat in range(3)] == [True] * 3


def test_every_tile_of_a_rack_is_shown_once():
    state = deal(SABRA, 2, 1)
    rack = render_view(view(state, 0)).partition("rack of player_0")[2].split()
    assert sorted(map(SABRA.tiles.parse, rack)) == list(SABRA.tiles.listed(state.racks[0]))


def test_a_seat_sees_no_other_rack():
    text = render_view(view(position(), 1))
    assert "rack of player_1" in text
    assert "rack of player_0" not in text


def test_the_end_is_told_with_winner_and_scores():
    over = Outcome((0, 2), (20, -40, 20), "stalemate")
    text = render_state(position(outcome=over))
    assert "game over after 7 turns, nobody can play: player_0 and player_2 won" in text
    assert "player_1: 14 tiles, not opened, last played 6, score -40" in text
    assert ">" not in text


def test_a_half_spelled_turn_is_told():
    tiles = SABRA.tiles
    text = render_state(position(), tiles.count(tiles.parse_all("R9 R7 J")))
    assert "player_1 plays\n   R7 R9   J\n" in text
    assert "plays" not in render_state(position(), tiles.count(()))


def test_colours_are_only_added_and_only_when_asked_for():
    plain, coloured = render_state(position()), render_state(position(), colour=True)
    assert not ESCAPE.search(plain)
    assert ESCAPE.search(coloured)
    assert ESCAPE.sub("", coloured) == plain


def test_lines_are_wrapped_between_sets():
    text = render_state(position(), width=14)
    assert "R3 J=R4 R5\n   K7 B7 O7" in text


def test_an_empty_table_is_said():
    assert "empty" in render_table(SABRA.tiles, ())


def test_colour_is_for_terminals(monkeypatch):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    assert terminal_has_colour()
    monkeypatch.setenv("NO_COLOR", "1")
    assert not terminal_has_colour()
