import numpy as np
import pytest

from rummikub_env import record
from rummikub_env.game import Draw, Pass, Play, TimeOut, apply
from rummikub_env.record import Record, move_text, parse_move, read, replay, write
from rummikub_env.rules import rules_of
from rummikub_env.sets import parse_table
from rummikub_env.state import State, deal

TILES = rules_of("sabra").tiles
START = State.from_text("sabra; racks R6 K9 / O1 O2; table R3 R4 R5; opened ++; pool O13 K2 B1 B2; move 0; turn 4")
PLAY = Play(parse_table(TILES, "R3 R4 R5 R6"), TILES.parse_all("R6"))
GAME = Record(("ann", "random"), START, (PLAY, Draw(), TimeOut()))
TEXT = f"""rummikub game 1
players ann / random
start {START.text()}
play R6; table R3 R4 R5 R6
draw
timeout
"""


def test_the_text_of_a_game():
    assert GAME.text() == TEXT
    assert Record.from_text(TEXT) == GAME


@pytest.mark.parametrize(
    "move",
    [
        Draw(),
        Pass(),
        PLAY,
        Play(parse_table(TILES, "R3 J=R4 R5 | K7 B7 J"), TILES.parse_all("R6 J")),
        Play(parse_table(TILES, "R4 R5 R6"), TILES.parse_all("R6"), TILES.parse_all("R3")),
        Play((), TILES.parse_all("R6")),
        Play(PLAY.table, PLAY.played, opening=parse_table(TILES, "R7 J=R8 R9 | K1 K2 K3")),
        Play(PLAY.table, PLAY.played, TILES.parse_all("R3"), opening=()),
        TimeOut(),
        TimeOut(parse_table(TILES, "R3 R4 | R5"), TILES.parse_all("K9")),
        TimeOut((), ()),
    ],
)
def test_moves_read_back(move):
    assert parse_move(TILES, move_text(TILES, move)) == move


def test_a_replay_gives_every_state():
    states = list(replay(GAME))
    assert states[0] == START
    assert len(states) == 4
    for before, move, after in zip(states, GAME.moves, states[1:], strict=False):
        assert apply(before, move) == after


@pytest.mark.parametrize("draws", ["shared", "private"])
def test_a_game_of_draws_replays(draws):
    state = deal(rules_of("sabra"), 3, np.random.default_rng(1), draws)
    game = Record(("a", "b", "c"), state, (Draw(),) * 20)
    assert list(replay(Record.from_text(game.text()))) == list(replay(game))


def test_files_are_read_back(tmp_path):
    path = tmp_path / "game.txt"
    write(path, GAME)
    assert read(path) == GAME
    write(str(path), Record(("x", "y"), START, ()))
    assert read(path).players == ("x", "y")
    assert [file.name for file in tmp_path.iterdir()] == ["game.txt"]


def test_a_file_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "game.txt"
    write(path, GAME)

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(record.Path, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        write(path, Record(("x", "y"), START, ()))
    assert read(path) == GAME
    assert [file.name for file in tmp_path.iterdir()] == ["game.txt"]


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("rummikub game 1", "chess", "line 1: not a game record; its first line is 'rummikub game 1'"),
        ("players ann / random\n", "", "line 2: .* should begin with 'players'"),
        ("ann / random", "ann", "line 2: 1 players, but the start has 2 racks"),
        ("start sabra", "start sabre", "line 3: unknown rules 'sabre'"),
        ("start sabra", "begin sabra", "line 3: .* should begin with 'start'"),
        ("R3 R4 R5 R6", "R3 R4 R5 R66", "line 4: 'R66' is not a tile"),
        ("; table R3 R4 R5 R6", "", "line 4: .* the new table is missing"),
        ("R6; table R3", "R6; tabel R3", "line 4: 'tabel' in .* after the tiles may follow: table SETS"),
        ("draw", "jump", "line 5: 'jump' is not a move: write draw, pass, timeout, or play"),
    ],
)
def test_an_unreadable_record_names_the_file_and_the_line(tmp_path, old, new, told):
    path = tmp_path / "game.txt"
    path.write_text(TEXT.replace(old, new, 1))
    with pytest.raises(ValueError, match=f"game.txt: {told}"):
        read(path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    path = tmp_path / "game.txt"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ValueError, match=r"game.txt: "):
        read(path)


def test_an_illegal_move_is_found_in_the_replay():
    wrong = Record(GAME.players, START, (Draw(), PLAY))
    with pytest.raises(ValueError, match=r"move 2 \(line 5\) is illegal: You do not have these tiles"):
        list(replay(wrong))
