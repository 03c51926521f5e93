"""Compare players over games or whole matches: the same deals, rotated seats, 95% intervals over deals.

The challenger meets each opponent: ``--checkpoint FILE`` or ``--challenger keep_joker:k=3``, and
``--opponents random greedy_tiles``. Without a challenger the opponents meet each other, in all line-ups of two of them:
a ladder, with ratings. With ``--match.rounds 4`` a row is of matches, not of single games. What was cut off goes on
with the same command and the same ``--out``.
"""

import hashlib
import json
import math
import os
import re
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import BrokenExecutor
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import partial
from itertools import combinations, product, takewhile
from pathlib import Path
from typing import Any

from rummikub_env.startup import imports, told

with imports("evaluate.py"):
    import numpy as np
    from jsonargparse import ArgumentError, ArgumentParser, set_parsing_settings
    from jsonargparse.typing import NonNegativeFloat, NonNegativeInt, PositiveInt
    from rich.console import Console
    from tqdm import tqdm

    from agents import OPPONENTS, Student, make
    from agents.checkpoint import CheckpointError
    from agents.evaluation import Comparison, Match, compare_all, record_rounds
    from agents.evaluation.html import page
    from agents.evaluation.journal import Kept, keep, kept
    from agents.evaluation.ladder import Ladder, ladder
    from agents.evaluation.pictures import ladder_png, rows_png
    from agents.evaluation.report import ladder_table, table, versions, write_json
    from agents.evaluation.wording import unit
    from agents.files import prepare, write_whole
    from agents.oracle import asked
    from agents.settings import check_settings
    from rummikub_env.match import match_end
    from rummikub_env.rules import rules_of
    from rummikub_env.state import Draws, deal, view

set_parsing_settings(docstring_parse_attribute_docstrings=True)

FILES = ("evaluation.json", "evaluation.png", "evaluation.html")
UNFINISHED = "evaluation.unfinished"
"""What was played so far; it goes when all is written."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """Who plays, and how much."""

    checkpoint: str | None = None
    """The challenger: a checkpoint file."""

    challenger: str | None = None
    """The challenger: a player by name, such as keep_joker:k=3."""

    opponents: list[str] = field(default_factory=lambda: [*OPPONENTS])
    """Whom the challenger meets: players by name, or checkpoint files, separated by blanks or commas."""

    games: PositiveInt = 2000
    """Games (or matches) in a row of the table, rounded up to whole deals (and 2 deals at least)."""

    players: PositiveInt = 2
    """Seats at the table: one challenger, the others copies of the opponent; in a ladder, all mixtures."""

    rules: str = "sabra"
    """Preset of the rules."""

    overrides: dict[str, bool | int | str | None] = field(default_factory=dict)
    """Rules that differ from the preset: --overrides.max_value=6, for instance."""

    match: dict[str, int] = field(default_factory=dict)
    """Whole matches instead of games: --match.rounds=4 (so many rounds each) or --match.target=200 (points to win)."""

    draws: Draws = "private"
    """private: each seat draws in a random order of its own (as fair, less noise); shared: one stack."""

    seed: NonNegativeInt = 1
    """Seed of the deals and of the players' random numbers."""

    workers: NonNegativeInt = 0
    """Processes; 0 = as many as there are cores. The results are the same for any number."""

    stop: NonNegativeFloat = 0
    """End a row as soon as it shows who is stronger, with this chance to be wrong, such as 0.05 (the intervals then
    hold at any stop); 0 = play all games. Not in a ladder."""

    anchor: str | None = None
    """In a ladder, the player whose rating is 0; default greedy_tiles, or else the first."""

    out: str | None = None
    """Folder for evaluation.json, .png and .html, and for what is unfinished; default
    runs/evaluation-<date>-<time>."""

    records: str | None = None
    """Folder for the first games of each row as files, which `rummikub replay` shows, of matches a file a round;
    default: none are kept."""

    recorded: PositiveInt = 10
    """How many games (or matches) of each row --records keeps."""

    @property
    def is_ladder(self) -> bool:
        """Do all meet each other?"""
        return self.checkpoint is None and self.challenger is None


def main(arguments: Sequence[str]) -> int:
    """Compare as the arguments say. Exit code 0: done; 1: broken off; 2: a user's mistake; 130: Ctrl-C."""
    try:
        return run(arguments)
    except KeyboardInterrupt:
        print("evaluate.py: stopped; no results were written", file=sys.stderr)
        return 130
    except (CheckpointError, OSError) as error:
        print(f"evaluate.py: {told(error)}", file=sys.stderr)
        return 1
    except BrokenExecutor:
        print("evaluate.py: a process that plays has died, perhaps for want of memory", file=sys.stderr)
        return 1


def run(arguments: Sequence[str]) -> int:
    """Play, show and write; the exit code."""
    try:
        settings = settings_of(arguments)
        matches = matches_of(settings)
        anchor = anchor_of(settings, matches)
        try_out(matches)
        out = Path(settings.out or f"runs/evaluation-{datetime.now():%Y%m%d-%H%M%S}")
        prepare(out, (*FILES, UNFINISHED))
        if settings.records is not None:
            prepare(Path(settings.records), (f"{name}.txt" for name, *_ in recorded(matches, settings)))
        facts = facts_of(matches, settings)
        before = kept(out / UNFINISHED, facts)
    except (ArgumentError, ValueError, ImportError, OSError) as error:
        print(f"evaluate.py: {told(error)}", file=sys.stderr)
        return 2
    try:
        comparisons = play(matches, settings, before, out / UNFINISHED)
    except KeyboardInterrupt:
        print(f"evaluate.py: stopped; the same command goes on there with --out {out}", file=sys.stderr)
        return 130
    found = ladder(comparisons, anchor) if settings.is_ladder else None
    Console().print(table(comparisons) if found is None else ladder_table(found))
    write(out, comparisons, found, {"command": ["evaluate.py", *arguments], "settings": asdict(settings)} | facts)
    (out / UNFINISHED).unlink()
    print(f"written: {', '.join(str(out / name) for name in FILES)}")
    if settings.records is not None:
        print(f"games: {record(matches, settings, Path(settings.records))} and so on; rummikub replay FILE shows one")
    return 0


def settings_of(arguments: Sequence[str]) -> Settings:
    """The settings of a command line; ArgumentError for an unknown option or a wrong value."""
    parser = ArgumentParser(prog="evaluate.py", description=__doc__, exit_on_error=False)
    parser.add_argument("--config", action="config", help="YAML file; later options override it.")
    parser.add_class_arguments(Settings)
    words = _with_list(arguments, "--opponents")
    check_settings(Settings, words)
    namespace = parser.parse_args(words).as_dict()
    namespace.pop("config")
    return Settings(**namespace)


def _with_list(arguments: Sequence[str], option: str) -> list[str]:
    """The words after `option` joined to the one list that the parser reads: ``a b,c`` -> ``["a", "b", "c"]``."""
    arguments = [part for word in arguments for part in _parted(word, option)]
    if option not in arguments:
        return arguments
    start = arguments.index(option) + 1
    words = list(takewhile(lambda word: not word.startswith("-"), arguments[start:]))
    rest = arguments[start + len(words) :]
    if len(words) != 1 or not words[0].startswith("["):
        words = [json.dumps([spec for word in words for spec in _listed(word)])]
    return [*arguments[:start], *words, *rest]


def _parted(word: str, option: str) -> list[str]:
    """``--option=a`` as two words; any other word alone."""
    return word.split("=", 1) if word.startswith(f"{option}=") else [word]


def _listed(word: str) -> list[str]:
    """The players in a word: commas part them, but not the parameters of one (``keep_joker:k=3,danger=2``)."""
    return [word] if Path(word).is_file() else [spec for spec in re.split(r",(?!\w+=)", word) if spec]


def matches_of(settings: Settings) -> list[Match]:
    """The rows of the table; ValueError or ImportError says which player or rule cannot be had."""
    ends = {"match_end": match_end(settings.match)} if settings.match else {}
    rules = rules_of(settings.rules, {**settings.overrides, **ends})
    rules.check_players(settings.players)
    opponents = [make(spec, rules) for spec in settings.opponents]
    if settings.checkpoint is not None and settings.challenger is not None:
        raise ValueError("give --checkpoint or --challenger, not both")
    challenger = settings.checkpoint or settings.challenger
    pairs = list(combinations(opponents, 2) if challenger is None else product([make(challenger, rules)], opponents))
    if not pairs:
        raise ValueError("nobody to compare: name a challenger and an opponent, or two opponents or more")
    ladder = settings.is_ladder
    return [Match(*pair, rules, settings.players, settings.draws, settings.seed, mixed=ladder) for pair in pairs]


def anchor_of(settings: Settings, matches: Sequence[Match]) -> str:
    """The player whose rating is 0; ValueError where the settings do not fit a ladder, or a comparison."""
    names = [*dict.fromkeys(player.name for match in matches for player in (match.challenger, match.opponent))]
    if not settings.is_ladder:
        if settings.anchor is not None:
            raise ValueError("--anchor is for a ladder, without a challenger")
        if settings.stop >= 1:
            raise ValueError(f"--stop is a chance to be wrong, below 1, not {settings.stop:g}")
        return names[0]
    if settings.stop:
        raise ValueError("a ladder plays all its games: --stop needs a challenger")
    for match in matches:
        if match.challenger.name == match.opponent.name:
            raise ValueError(f"{match.challenger.name} is twice among the players of the ladder")
    if settings.anchor is None:
        return "greedy_tiles" if "greedy_tiles" in names else names[0]
    anchor = make(settings.anchor, matches[0].rules).name
    if anchor not in names:
        raise ValueError(f"the anchor {anchor} does not play; there are: {', '.join(names)}")
    return anchor


def deals_of(match: Match, settings: Settings) -> int:
    """Deals that make up the games."""
    return max(2, math.ceil(int(settings.games) / len(match.lineups)))


def try_out(matches: Sequence[Match]) -> None:
    """Ask each player for a first move: one that cannot play this game says so before the long run."""
    print("asking the players for a first move (the first time, this compiles the solver)", file=sys.stderr)
    start = deal(matches[0].rules, matches[0].seats, seed=0)
    seen = view(start, start.to_move, history=())
    for match in matches:
        for player in (match.challenger, match.opponent):
            asked(player, start, seen, np.random.default_rng(0))


def facts_of(matches: Sequence[Match], settings: Settings) -> dict[str, Any]:
    """All that decides the results of a deal."""
    first = matches[0]
    return {
        "rules": first.rules.name,
        "seats": first.seats,
        "mixed": first.mixed,
        "draws": first.draws,
        "seed": first.seed,
        "pairs": [[match.challenger.name, match.opponent.name] for match in matches],
        "files": fingerprints(matches, settings),
        "version": versions()["rummikub-env"],
    }


def fingerprints(matches: Sequence[Match], settings: Settings) -> dict[str, str]:
    """The SHA-256 of each checkpoint that plays, and of the weights of each student."""
    players = [player for match in matches for player in (match.challenger, match.opponent)]
    students = {player.file for player in players if isinstance(player, Student)}
    specs = {settings.checkpoint, settings.challenger, *settings.opponents, *students} - {None}
    files = [Path(str(spec)) for spec in specs if Path(str(spec)).is_file()]
    return {str(file): hashlib.sha256(file.read_bytes()).hexdigest() for file in sorted(files)}


def recorded(matches: Sequence[Match], settings: Settings) -> list[tuple[str, Match, int, int]]:
    """The games that --records keeps: what names their files, the match, the deal, the challenger's seat."""
    games = deals_of(matches[0], settings) * len(matches[0].lineups)
    return [
        (f"row{row}-{unit(match.rules)}{game + 1}", match, *divmod(game, len(match.lineups)))
        for row, match in enumerate(matches, 1)
        for game in range(min(int(settings.recorded), games))
    ]


def record(matches: Sequence[Match], settings: Settings, folder: Path) -> Path:
    """Play the games of `recorded` once more, now keeping the moves; the first file that is written."""
    files = []
    for name, match, number, seat in recorded(matches, settings):
        rounds = record_rounds(match, number, seat)
        several = unit(match.rules) == "match"
        for place, played in enumerate(rounds, 1):
            files.append(folder / (f"{name}-round{place}.txt" if several else f"{name}.txt"))
            write_whole(files[-1], played.text().encode())
    return files[0]


def play(matches: Sequence[Match], settings: Settings, before: Kept, unfinished: Path) -> list[Comparison]:
    """Play what is left of all matches, with a progress bar on a terminal; what is played is kept in a file."""
    deals, lineups = deals_of(matches[0], settings), len(matches[0].lineups)
    workers = settings.workers or os.cpu_count() or 1
    if before:
        games = sum(map(len, before.values())) * lineups
        print(f"going on after the {games:,} games in {unfinished}", file=sys.stderr)
    with tqdm(total=len(matches) * deals * lineups, unit=unit(matches[0].rules), smoothing=0.05, disable=None) as bar:
        return compare_all(
            matches, deals, workers, bar.update, error=settings.stop, kept=before, keep=partial(keep, unfinished)
        )


def write(out: Path, comparisons: Sequence[Comparison], found: Ladder | None, facts: Mapping[str, Any]) -> None:
    """The files of results."""
    picture = rows_png(comparisons) if found is None else ladder_png(found)
    write_json(out / "evaluation.json", comparisons, facts, found)
    write_whole(out / "evaluation.png", picture)
    write_whole(out / "evaluation.html", page(comparisons, picture, {**facts, "versions": versions()}, found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
