"""evaluate.py from the command line: what it writes, and how it answers a mistake."""

import json
import subprocess
import sys
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

import evaluate
from agents.checkpoint import CheckpointError
from agents.evaluation import arena
from evaluate import UNFINISHED, deals_of, main, matches_of, settings_of
from rummikub_env.__main__ import main as show
from rummikub_env.record import read, replay

SCRIPT = Path(evaluate.__file__)
SMALL = [
    "--overrides.max_value=6",
    "--overrides.copies_per_tile=1",
    "--overrides.rack_size=5",
    "--overrides.initial_meld_points=10",
    "--workers=1",
]


def names(*arguments: str) -> list[tuple[str, str]]:
    """Who meets whom."""
    matches = matches_of(settings_of([*SMALL, *arguments]))
    return [(match.challenger.name, match.opponent.name) for match in matches]


def test_a_comparison_is_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--challenger", "greedy", "--opponents", "random", "keep_joker:k=3", "--games", "11"]
    assert main([*SMALL, *arguments, "--seed=9", f"--out={tmp_path}"]) == 0
    output = capsys.readouterr().out
    assert "6 deals x 2 seats = 12 games a row" in " ".join(output.split())  # 11 games, rounded up
    read = json.loads((tmp_path / "evaluation.json").read_text())
    assert [row["opponent"] for row in read["rows"]] == ["random", "keep_joker:k=3"]
    assert read["settings"]["seed"] == 9
    assert read["command"][-1] == f"--out={tmp_path}"
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "evaluation.html",
        "evaluation.json",
        "evaluation.png",
    ]


def test_a_ladder_is_shown_and_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--opponents", "random", "greedy", "no_rearrange", "--games=8", "--anchor=greedy", f"--out={tmp_path}"]
    assert main([*SMALL, *words]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "4 deals x 2 seats = 8 games a row" in output
    assert "Elo scale, greedy_tiles = 0" in output
    read = json.loads((tmp_path / "evaluation.json").read_text())
    assert read["ladder"]["anchor"] == "greedy_tiles"
    assert len(read["rows"]) == len(read["ladder"]["ratings"]) == 3
    assert "<h2>Ratings</h2>" in (tmp_path / "evaluation.html").read_text()


def test_an_evaluation_that_was_cut_goes_on(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = [*SMALL, "--opponents", "random", "greedy", "keep_joker", "--games=8"]
    assert main([*words, f"--out={tmp_path / 'straight'}"]) == 0
    played: list[object] = []

    def few(*arguments: object) -> object:
        played.append(arguments)
        if len(played) == 6:
            raise KeyboardInterrupt
        return play_deal(*arguments)

    play_deal = arena.play_deal
    monkeypatch.setattr(arena, "play_deal", few)
    assert main([*words, f"--out={tmp_path / 'cut'}"]) == 130
    assert [path.name for path in (tmp_path / "cut").iterdir()] == [UNFINISHED]
    assert main([*words, "--seed=2", f"--out={tmp_path / 'cut'}"]) == 2
    assert "another evaluation (seed: 1 there, 2 now)" in capsys.readouterr().err
    assert main([*words, f"--out={tmp_path / 'cut'}"]) == 0
    assert "going on after the 10 games in" in capsys.readouterr().err
    assert len(played) == 6 + 12 - 5
    assert not (tmp_path / "cut" / UNFINISHED).exists()
    straight, cut = (json.loads((tmp_path / name / "evaluation.json").read_text()) for name in ("straight", "cut"))
    assert cut["per_deal"] == straight["per_deal"]


def test_a_row_ends_when_it_is_decided(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--challenger=greedy", "--opponents=random", "--games=2000", "--stop=0.1", f"--out={tmp_path}"]
    assert main([*SMALL, *words]) == 0
    assert "90% intervals that hold at any stop" in " ".join(capsys.readouterr().out.split())
    (row,) = json.loads((tmp_path / "evaluation.json").read_text())["rows"]
    assert row["deals"] < 1000
    assert row["decided"] == f"stronger ({row['deals']})"
    assert row["win_rate"]["low"] > 0.5


def test_the_challenger_meets_each_opponent() -> None:
    assert names("--challenger", "greedy", "--opponents", "random", "greedy") == [
        ("greedy_tiles", "random"),
        ("greedy_tiles", "greedy_tiles"),
    ]


def test_without_a_challenger_all_meet_each_other() -> None:
    three = ("--opponents", "random", "greedy", "keep_joker")
    assert names(*three) == [
        ("random", "greedy_tiles"),
        ("random", "keep_joker"),
        ("greedy_tiles", "keep_joker"),
    ]
    assert names(*three, "--players=3") == names(*three)  # one against two and two against one are one row


@pytest.mark.parametrize(
    "words",
    [
        ["--opponents", "random,greedy,keep_joker:k=3"],
        ["--opponents", "random,", "greedy", "keep_joker:k=3"],
        ["--opponents=random,greedy,keep_joker:k=3"],
        ["--opponents", '["random", "greedy", "keep_joker:k=3"]'],
    ],
)
def test_opponents_are_separated_by_blanks_or_commas(words: list[str]) -> None:
    assert settings_of(words).opponents == ["random", "greedy", "keep_joker:k=3"]


def test_the_commas_of_parameters_and_of_files_part_nothing(tmp_path: Path) -> None:
    file = tmp_path / "a,b.safetensors"
    file.touch()
    words = ["--opponents", "random,keep_joker:k=3,danger=2,greedy", str(file)]
    assert settings_of(words).opponents == ["random", "keep_joker:k=3,danger=2", "greedy", str(file)]


def test_records_are_the_games_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--opponents", "random", "greedy", "--challenger", "greedy", "--games=8", f"--out={tmp_path}"]
    games = tmp_path / "games"
    assert main([*SMALL, *words, f"--records={games}", "--recorded=3"]) == 0
    assert f"games: {games / 'row1-game1.txt'}" in capsys.readouterr().out
    assert sorted(path.name for path in games.iterdir()) == [f"row{r}-game{g}.txt" for r in (1, 2) for g in (1, 2, 3)]
    table = json.loads((tmp_path / "evaluation.json").read_text())
    for number, (deal, seat) in enumerate([(0, 0), (0, 1), (1, 0)], 1):
        record = read(games / f"row1-game{number}.txt")
        assert record.players[seat] == "greedy_tiles"
        *_, end = replay(record)
        assert end.outcome is not None
        assert end.outcome.scores[seat] == table["per_deal"][0]["scores"][deal][seat]
    assert show(["replay", str(games / "row2-game1.txt")]) == 0


def test_matches_are_compared_as_games_are(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--challenger", "greedy", "--opponents", "random", "--games=4", "--match.rounds=2", f"--out={tmp_path}"]
    assert main([*SMALL, *words, f"--records={tmp_path}", "--recorded=1"]) == 0
    output = " ".join(capsys.readouterr().out.split())
    assert "2 deals x 2 seats = 4 matches of 2 rounds a row" in output
    assert "a win is a match" in output
    table = json.loads((tmp_path / "evaluation.json").read_text())
    assert (table["a_game_is"], table["rules"]["match_end"]) == ("a match", "rounds 2")
    ends = [[*replay(read(tmp_path / f"row1-match1-round{number}.txt"))][-1].outcome for number in (1, 2)]
    assert sum(end.scores[0] for end in ends if end is not None) == table["per_deal"][0]["scores"][0][0]


@pytest.mark.parametrize("folder", ["file", "file/below", "taken"])
@pytest.mark.parametrize("option", ["out", "records"])
def test_a_folder_that_cannot_be_used_is_told_before_the_games(
    folder: str, option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evaluate, "play", lambda *_: pytest.fail("it plays"))
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "evaluation.json").mkdir(parents=True)
    (tmp_path / "taken" / "row1-game1.txt").mkdir(parents=True)
    assert main([*SMALL, f"--out={tmp_path / 'out'}", f"--{option}={tmp_path / folder}"]) == 2
    assert capsys.readouterr().err.splitlines()[-1].startswith("evaluate.py: cannot write ")


def test_what_breaks_off_the_games_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for error, code, told in [
        (OSError(28, "No space left on device", "x"), 1, "x: No space left on device"),
        (CheckpointError("no numbers"), 1, "no numbers"),
        (BrokenProcessPool("gone"), 1, "a process that plays has died"),
        (KeyboardInterrupt(), 130, f"stopped; the same command goes on there with --out {tmp_path}"),
    ]:

        def play(*_: object, error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(evaluate, "play", play)
        assert main([*SMALL, f"--out={tmp_path}"]) == code
        assert capsys.readouterr().err.splitlines()[-1].startswith(f"evaluate.py: {told}")


def test_settings_come_from_a_file_and_options_override_it(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("opponents: [random, greedy]\ngames: 50\nseed: 3\n")
    settings = settings_of([f"--config={file}", "--seed=4"])
    assert (settings.opponents, settings.games, settings.seed) == (["random", "greedy"], 50, 4)


@pytest.mark.parametrize(
    ("games", "players", "deals"), [(2000, 2, 1000), (2000, 3, 667), (2001, 2, 1001), (1, 2, 2), (4, 4, 2)]
)
def test_games_are_rounded_up_to_whole_deals(games: int, players: int, deals: int) -> None:
    settings = settings_of([f"--games={games}", f"--players={players}", "--challenger=random"])
    assert deals_of(matches_of(settings)[0], settings) == deals


@pytest.mark.parametrize(("games", "players", "deals"), [(2000, 2, 1000), (600, 3, 100), (601, 3, 101), (1400, 4, 100)])
def test_a_deal_of_a_ladder_is_played_in_all_line_ups(games: int, players: int, deals: int) -> None:
    settings = settings_of([f"--games={games}", f"--players={players}"])
    assert deals_of(matches_of(settings)[0], settings) == deals


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--opponents", "gready"], "'gready' is neither a player (random, "),
        (["--checkpoint", "no/such/file"], "nor a checkpoint file"),
        (["--challenger", "keep_joker:k=x"], "keep_joker:k must be of type int"),
        (["--challenger", "random", "--checkpoint", "random"], "--checkpoint or --challenger, not both"),
        (["--opponents", "random"], "nobody to compare"),
        (["--opponents"], "nobody to compare"),
        (["--rules", "chess"], "unknown rules 'chess'; there are: sabra"),
        (["--overrides.colour=K"], "unknown rule 'colour'"),
        (["--match.rounds=0"], "match={'rounds': 0} is not allowed; allowed are {'rounds': N} and {'target': N}"),
        (["--match.sets=3"], "allowed are {'rounds': N}"),
        (["--match.rounds=many"], "match"),
        (["--players=5"], "is for 2 to 4 players"),
        (["--players=1"], "is for 2 to 4 players"),
        (["--opponents", "greedy", "greedy_tiles"], "greedy_tiles is twice among the players of the ladder"),
        (["--anchor=drip"], "the anchor drip does not play; there are: random, greedy_tiles, "),
        (["--anchor=random", "--challenger=greedy"], "--anchor is for a ladder"),
        (["--stop=0.05"], "a ladder plays all its games: --stop needs a challenger"),
        (["--stop=1", "--challenger=greedy"], "--stop is a chance to be wrong, below 1, not 1"),
        (["--stop=-1", "--challenger=greedy"], "stop"),
        (["--games=0"], "games"),
        (["--games=many"], "games"),
        (["--seed=-1"], "seed"),
        (["--draws=open"], "draws"),
        (["--gamez=3"], "unknown setting --gamez; there are: checkpoint, challenger, opponents, games, "),
        (["--config=no_such.yaml"], "no_such.yaml"),
    ],
)
def test_a_mistake_is_answered_with_one_sentence(
    arguments: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*SMALL, *arguments]) == 2
    captured = capsys.readouterr()
    assert sentence in captured.err
    assert captured.err.count("\n") == 1
    assert not captured.out


@pytest.mark.parametrize("text", ["gamez: 3\n", "games: many\n", "games: [1\n", "opponents: greedy\n"])
def test_a_mistake_in_a_file_is_answered_with_one_sentence(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text(text)
    assert main([f"--config={file}"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_the_script_ends_with_the_code_of_a_mistake_and_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "foreign.safetensors"
    file.write_bytes(b"not a checkpoint")
    command = [sys.executable, str(SCRIPT), "--checkpoint", str(file)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=SCRIPT.parent)
    assert ended.returncode == 2
    assert "is not a checkpoint" in ended.stderr
    assert "Traceback" not in ended.stderr
