"""Golden games: behaviour changes only where somebody means it to, and every preset has its game."""

from itertools import pairwise

import pytest
from golden_games import FOLDER, main, path_of, replayed, start_in

from rummikub_env import PRESETS, State

WRITTEN = sorted(path.stem for path in FOLDER.glob("*.txt"))


def lines_of(preset):
    return path_of(preset).read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_has_a_game(preset):
    assert preset in WRITTEN, f"write it with: python -m tests.golden_games {preset}"


def test_every_game_is_of_a_preset():
    assert set(WRITTEN) <= set(PRESETS)


def test_an_unknown_preset_is_answered_with_those_there_are():
    with pytest.raises(SystemExit, match=r"no preset nosuch; there are: sabra"):
        main(["nosuch"])


@pytest.mark.parametrize("preset", WRITTEN)
def test_a_game_is_replayed_line_by_line(preset):
    written = lines_of(preset)
    assert start_in(written).rules == PRESETS[preset]
    for number, (wanted, found) in enumerate(zip(written, replayed(preset, written), strict=True), 1):
        assert found == wanted, f"{path_of(preset).name}, line {number}"


@pytest.mark.parametrize("preset", WRITTEN)
def test_a_game_shows_what_the_rules_are_about(preset):
    """It is played to its end; sets on the table are changed, and jokers lie there."""
    states = [State.from_text(line[6:]) for line in lines_of(preset) if line.startswith("state ")]
    assert states[-1].outcome is not None
    assert any(set(before.table) - set(after.table) for before, after in pairwise(states))
    if PRESETS[preset].joker_count:
        assert any("J" in line.partition("; table")[2].partition(";")[0] for line in lines_of(preset))
