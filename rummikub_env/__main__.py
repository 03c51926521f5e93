"""The command line: ``python -m rummikub_env``, or ``rummikub`` once installed.

Exit code 0: done; 1: a case failed, or a package is missing; 2: a user's mistake, told in one sentence;
130: stopped by Ctrl-C.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn, get_args

from rummikub_env.startup import imports, missing, told

with imports("rummikub"):
    from rummikub_env import record, rulesheet, solver
    from rummikub_env.cases import read_cases, run_files, tiles_drawn
    from rummikub_env.game import Draw, Move, Pass, Play, apply, rack_points
    from rummikub_env.objectives import Objective, weights
    from rummikub_env.render import render_rack, render_state, render_table, terminal_has_colour
    from rummikub_env.rules import rules_of
    from rummikub_env.state import State
    from rummikub_env.tiles import Counts


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    options = _parser().parse_args(arguments)
    try:
        code: int = options.run(options)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader has seen enough, as in `rummikub replay game.txt | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        print("rummikub: stopped", file=sys.stderr)
        return 130
    except ModuleNotFoundError as error:  # of a command that imports for itself
        print(f"rummikub {missing(error)}", file=sys.stderr)
        return 1
    except (ValueError, OSError) as error:
        print(f"rummikub: {told(error)}", file=sys.stderr)
        return 2
    return code


class _Parser(argparse.ArgumentParser):
    """A parser that answers a mistake with one sentence."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}; {self.prog} --help says more\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="rummikub", description="Rummikub: rules, exact solver, case files, speeds.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")

    solve = commands.add_parser("solve", help="the best play of a rack", description=_solve.__doc__)
    solve.add_argument("rack", metavar="RACK", help="tiles such as 'R3 R4 K11 J' (colours K R B O, J a joker)")
    solve.add_argument("table", metavar="TABLE", nargs="?", default="", help="sets: 'R3 R4 R5 | K7 B7 J'")
    solve.add_argument("--unopened", action="store_true", help="the player has not made its first play yet")
    solve.add_argument("--preset", metavar="NAME", default="sabra", help="the rules (default: %(default)s)")
    solve.add_argument(
        "--objective",
        choices=get_args(Objective),
        default="tiles",
        help="what to get rid of first: most tiles, or most value (default: %(default)s)",
    )
    solve.set_defaults(run=_solve)

    cases = commands.add_parser("cases", help="run files of conformance cases", description=_cases.__doc__)
    cases.add_argument("files", metavar="FILE", nargs="+")
    cases.add_argument("--preset", metavar="NAME", help="run only the cases of this preset")
    cases.set_defaults(run=_cases)

    bench = commands.add_parser("bench", help="measure speeds", description=_bench.__doc__)
    bench.add_argument("--json", metavar="FILE", help="write the figures to this file, too")
    bench.add_argument("--quick", action="store_true", help="seconds instead of minutes; rougher figures")
    bench.add_argument(
        "--only",
        metavar="PART",
        nargs="+",
        help="cases, highs, c, turns, env, vector, games, clone, start, profile, growth (default: all but growth)",
    )
    bench.add_argument("--growth", metavar="PNG", help="measure how times grow, too, and draw it to this file")
    bench.add_argument("--cases", metavar="FOLDER", help="the case files (default: tests/cases of the checkout)")
    bench.set_defaults(run=_bench)

    replay = commands.add_parser("replay", help="show a recorded game", description=_replay.__doc__)
    replay.add_argument("file", metavar="FILE")
    replay.set_defaults(run=_replay)

    rules = commands.add_parser("rules", help="list, explain or compare rules", description=_rules.__doc__)
    rules.add_argument("presets", metavar="PRESET", nargs="*", help="'sabra', 'sabra:joker_release=free'")
    rules.set_defaults(run=_rules)
    return parser


# solve


def _solve(options: argparse.Namespace) -> int:
    """Find the play that gets rid of most tiles, or of most value, and show the table before and after."""
    state = _position(options.preset, options.rack, options.table, opened=not options.unopened)
    tiles, colour = state.rules.tiles, terminal_has_colour()
    rack = state.racks[0]
    _show("table", render_table(tiles, state.table, colour=colour))
    _show("rack", render_rack(tiles, rack, colour=colour))
    worth = weights(state.rules, options.objective)
    best = solver.best_play(state.rules, state.table, rack, state.opened[0], worth)
    if best is None:
        first = "" if state.opened[0] else f" worth {state.rules.initial_meld_points} from the rack alone"
        print(f"there is no legal play{first}: draw")
        return 0
    after = apply(state, _laid(state, best))
    points = rack_points(state.rules, best)
    size = int(best.sum())
    title = f"best play: {size} tile{'s' * (size > 1)}, worth {points} on the rack"
    _show(title, render_rack(tiles, best, colour=colour))
    _show("table after", render_table(tiles, after.table, colour=colour))
    _show("rack after", render_rack(tiles, after.racks[0], colour=colour))
    return 0


def _position(preset: str, rack: str, table: str, opened: bool) -> State:
    """The position of one player; the others have no tiles, and the pool none either."""
    if ";" in rack + table or "/" in rack + table:
        raise ValueError("write tiles separated by blanks, and sets separated by |: 'R3 R4 R5 | K7 B7 J'")
    if not rack.strip():
        raise ValueError("the rack is empty: write its tiles, such as 'R3 R4 K11 J'")
    rules = rules_of(preset)
    racks = " / ".join([rack, *("" for _ in range(1, rules.players_min))])
    mark = "+" if opened else "-"
    return State.from_text(f"{rules.name}; racks {racks}; table {table}; opened {mark * rules.players_min}; move 0")


def _laid(state: State, counts: Counts) -> Play:
    """The play of these tiles, as the solver lays them."""
    table = solver.arrange(state.rules, state.table, counts, state.opened[0])
    assert table is not None, "the solver found this play"
    return Play(table, state.rules.tiles.listed(counts))


def _show(title: str, picture: str) -> None:
    print(f"{title}\n{picture}")


# cases


def _cases(options: argparse.Namespace) -> int:
    """Run the cases of files in any known format. Exit code 1 if one of them fails."""
    passed = failed = 0
    for result in run_files(options.files, options.preset):
        passed, failed = passed + result.passed, failed + (not result.passed)
        if not result.passed:
            print(f"FAILED {result.id}: {result.position}")
            print(f"  expected  {result.expected}\n  found     {result.found}")
    if not passed + failed:
        raise ValueError(_no_cases(options.files, options.preset))
    print(f"{passed} passed, {failed} failed")
    return int(failed > 0)


def _no_cases(files: Sequence[str], preset: str | None) -> str:
    presets = sorted({case.preset for path in files for case in read_cases(path)})
    if not presets:
        return f"there are no cases in {', '.join(files)}"
    return f"there are no cases of preset {preset!r}; there are: {', '.join(presets)}"


# bench


def _bench(options: argparse.Namespace) -> int:
    """Measure the solver, the environments and the imports, on the case files and on positions of seeded games."""
    from rummikub_env import bench  # here, because the environments take their time to import
    from rummikub_env.bench.report import Curve, Report, machine

    for path in filter(None, (options.json, options.growth)):
        if not Path(path).parent.is_dir():
            raise ValueError(f"{path}: there is no folder {Path(path).parent}")
    if options.growth:
        import matplotlib.figure  # noqa: F401 - should it be missing, that is told before all is measured
    chosen = bench.chosen(options.only, growth=options.growth is not None)
    report = Report(machine(), options.quick, {})
    print(report.head())
    for part in chosen:
        print(f"\n{part}: {bench.PARTS[part].title}")
        rows = bench.measure(part, options.quick, Path(options.cases or bench.CASES))
        for line in report.told(part, rows):
            print(line, flush=True)
    if options.growth:
        curves = [row for row in report.parts["growth"] if isinstance(row, Curve)]
        bench.draw(curves, report.head(), Path(options.growth))
        print(f"drawn: {options.growth}")
    if options.json:
        record.write_whole(options.json, report.json())
        print(f"written: {options.json}")
    return 0


# replay


def _replay(options: argparse.Namespace) -> int:
    """Show a recorded game move by move: what was drawn or played, the table after each play, the end."""
    game = record.read(options.file)
    states = record.replay(game)
    before = next(states)
    print(render_state(before, colour=terminal_has_colour()))
    for move, after in zip(game.moves, states, strict=True):
        print("\n".join(_move_lines(game.players, before, move, after)))
        before = after
    print(f"\n{render_state(before, colour=terminal_has_colour())}")
    return 0


def _move_lines(players: Sequence[str], before: State, move: Move, after: State) -> Iterator[str]:
    """What happened in a turn, and the table if it changed."""
    tiles, seat = before.rules.tiles, before.to_move
    drawn = tiles.join(tiles_drawn(before, after))
    match move:
        case Draw():
            deed = f"draws {drawn}"
        case Pass():
            deed = "passes"
        case Play():
            deed = f"plays {tiles.join(move.played)}"
        case _:
            deed = f"runs out of time and draws {drawn}" if drawn else "runs out of time"
    yield f"\n{after.turn}. player_{seat} ({players[seat]}) {deed}"
    if after.table != before.table:
        yield render_table(tiles, after.table, colour=terminal_has_colour())


# rules


def _rules(options: argparse.Namespace) -> int:
    """List the presets, explain the rules of one with the sources, or print the differences of two."""
    chosen = [rules_of(name) for name in options.presets]
    if len(chosen) > 2:
        raise ValueError(f"{len(chosen)} rule sets: name one to explain, or two to compare")
    texts = (rulesheet.overview, rulesheet.page, rulesheet.comparison)
    print(texts[len(chosen)](*chosen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
