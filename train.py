"""Train an agent, by self-play with masked PPO, from search, or from whole games. This file is the whole story.

    python train.py --config configs/quick.yaml
    python train.py --config configs/student.yaml
    python train.py --config configs/value.yaml
    python train.py --config configs/ppo_2p.yaml --ppo.learning_rate=3e-4 --run runs/slow
    python train.py --config configs/ppo_anchor.yaml --teacher.player=greedy_tiles
    python train.py --resume runs/slow

The folder of the run gets config.yaml, log.jsonl, tensorboard/, curves.png, the agent (checkpoint.safetensors; of
`method: student` student-N.npz of each round, of `method: value` value-N.npz, and labels/), and from the evaluation at
the end evaluation.json, evaluation.png and evaluation.html. Ctrl-C saves and stops.
"""

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import FrameType

from rummikub_env.startup import imports, told

with imports("train.py"):
    import numpy as np
    from tqdm import tqdm

    import evaluate
    from agents import make
    from agents.files import prepare, write_whole
    from agents.learning import learner as runs
    from agents.learning import stages
    from agents.learning.config import Config, config_parser, config_text, flat, read_config
    from agents.learning.curves import STUDENT_PANELS, VALUE_PANELS, draw_curves
    from agents.learning.imitation import imitate
    from agents.learning.learner import COUNTED, Learner
    from agents.learning.log import Log, read_log
    from agents.learning.ppo import Anchor, anchor_coef, learning_rate, samples, set_learning_rate, update
    from agents.learning.workers import WorkerError
    from agents.network import DivergenceError
    from agents.settings import check_settings
    from rummikub_env.envs.vector import Finished
    from rummikub_env.rules import rules_of

CHECKPOINT = "checkpoint.safetensors"
FILES = (CHECKPOINT, "config.yaml", "log.jsonl", "curves.png", *evaluate.FILES)
FREE = ("run", "updates", "minutes", "checkpoint_every", "evaluation")
"""Settings that may change when a run is resumed."""


def main(arguments: Sequence[str]) -> int:
    """Exit code 0: trained and evaluated; 1: broken off; 2: wrong settings; 128 + n: stopped by signal n."""
    try:
        config, run, resumed = settings(arguments)
        for name in config.evaluation.opponents:
            make(name, rules_of(config.game.rules))  # better now than after the training
        learner = None
        if config.method == "ppo":
            learner = runs.resume(run / CHECKPOINT, config) if resumed else runs.begin(config)
    except (ValueError, ImportError, OSError, WorkerError) as error:
        print(f"train.py: {told(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("train.py: stopped before the training began", file=sys.stderr)
        return 128 + signal.SIGINT
    try:
        code = trained(config, run, learner)
    finally:
        if learner:
            learner.crew.close()
    return code or evaluation(config, run)


def trained(config: Config, run: Path, learner: Learner | None) -> int:
    """Train and draw the curves; 0, or the exit code when it did not come to its end."""
    try:
        prepare(run, FILES, ["tensorboard", "labels"])
        write_whole(run / "config.yaml", config_text(config).encode())
    except (ValueError, OSError) as error:
        print(f"train.py: {told(error)}", file=sys.stderr)
        return 2
    try:
        if learner:
            stopped = train(config, run, learner)
            draw_curves(read_log(run), run / "curves.png", str(run))
        else:
            stopped = teach(config, run)
            panels = STUDENT_PANELS if config.method == "student" else VALUE_PANELS
            draw_curves(read_log(run), run / "curves.png", str(run), panels, "updates")
    except KeyboardInterrupt:
        return ended(run, "stopped at once", 128 + signal.SIGINT)
    except (WorkerError, DivergenceError, BrokenExecutor, OSError) as error:
        return ended(run, told(error), 1)
    print(f"curves: {run / 'curves.png'}")
    if agent := agent_file(run):
        print(f"checkpoint: {agent}")
    if stopped:
        after = f" after update {learner.count['updates']}" if learner else ""
        saved = learner is not None or stages.is_run(run)
        print(f"stopped{after}" + (f"; go on with: python train.py --resume {run}" if saved else ": nothing was saved"))
        return 128 + stopped
    return 0


def agent_file(run: Path) -> Path | None:
    """What the run has made so far that can play."""
    if (run / CHECKPOINT).exists():
        return run / CHECKPOINT
    return stages.last_student(run)


def ended(run: Path, why: str, code: int) -> int:
    """Say why the training ended before its time and what is left of it; returns `code`."""
    left = "there is no checkpoint"
    if (run / CHECKPOINT).exists():
        left = f"its last checkpoint goes on with --resume {run}"
    elif stages.is_run(run):
        left = f"its labels are kept, and it goes on with --resume {run}"
    print(f"\ntrain.py: {why}; {left}", file=sys.stderr)
    return code


def settings(arguments: Sequence[str]) -> tuple[Config, Path, bool]:
    """The settings, the folder of the run, and whether it is resumed; ValueError if that cannot be."""
    parser = config_parser("train.py")
    parser.add_argument("--resume", help="Go on with the run in this folder, exactly from its checkpoint.")
    check_settings(Config, arguments, ["resume"])
    early = argparse.ArgumentParser(prog="train.py", add_help=False, allow_abbrev=False)
    early.add_argument("--resume")
    folder = early.parse_known_args(arguments)[0].resume
    if folder is None:
        config = read_config(parser, arguments)
        run = Path(config.run or f"runs/{datetime.now():%Y%m%d-%H%M%S}")
        if stages.is_run(run) or (run / CHECKPOINT).exists():
            raise ValueError(f"{run} holds a run already: choose another --run, or go on with --resume {run}")
        return config, run, False
    run = Path(folder).parent if Path(folder).name == CHECKPOINT else Path(folder)
    saved = stages.load_config(run) if stages.is_run(run) else runs.load_config(run / CHECKPOINT)
    parser.set_defaults(flat(asdict(saved)))
    config = read_config(parser, arguments)
    before, now = flat(asdict(saved)), flat(asdict(config))
    if changed := [name for name in now if now[name] != before[name] and name.split(".")[0] not in FREE]:
        raise ValueError(f"a resumed run may change only {', '.join(FREE)}; not {', '.join(changed)}")
    return config, run, True


def train(config: Config, run: Path, learner: Learner) -> int:
    """The loop: play, learn, log, save. Returns the signal that stopped it, or 0."""
    count, log = learner.count, Log(run, learner.count["updates"])
    progress = tqdm(total=config.updates, initial=count["updates"], unit="update", dynamic_ncols=True)
    began, saved = time.monotonic(), -1
    with signals() as caught, log, progress:
        while count["updates"] < config.updates and not caught and in_time(config, began):
            start = time.monotonic()

            # Play: all seats with the present network, or at first as a teacher does, if one is named
            taught = count["updates"] < config.imitations
            rollouts = learner.crew.collect(learner.network, config.decisions, taught)

            # Learn from every decision whose outcome or successor is known
            data = samples([rollout.decisions for rollout in rollouts], config.ppo)
            if taught:
                rate = config.teacher.learning_rate
                set_learning_rate(learner.optimizer, rate)
                figures = imitate(learner.network, learner.optimizer, data, config, learner.rng)
            else:
                done = config.done(count["updates"])
                rate = learning_rate(config.ppo, done)
                set_learning_rate(learner.optimizer, rate)
                tie = anchor(config, learner, done)
                figures = update(learner.network, learner.optimizer, data, config.ppo, learner.rng, tie)

            # Log
            games = [game for rollout in rollouts for game in rollout.games]
            steps = sum(rollout.steps for rollout in rollouts)
            for name, made in zip(COUNTED, (1, len(data), steps, len(games)), strict=True):
                count[name] += made
            speed = steps / (time.monotonic() - start)
            figures |= {"learning_rate": rate, "steps_per_second": speed, **game_figures(games)}
            log.write(count, figures)
            progress.set_postfix_str(f"{speed:,.0f} decisions/s, {count['games']:,} games")
            progress.update()

            # Save
            if count["updates"] % config.checkpoint_every == 0:
                runs.save(run / CHECKPOINT, config, learner)
                saved = count["updates"]
        if saved != count["updates"]:
            runs.save(run / CHECKPOINT, config, learner)
    return caught[0] if caught else 0


def anchor(config: Config, learner: Learner, done: float) -> Anchor | None:
    """The policy that imitated the teacher, as the first update of PPO found it; None: there is no such tie."""
    if not config.ppo.kl_coef and not config.ppo.final_kl_coef:
        return None
    if learner.imitated is None:
        learner.imitated = deepcopy(learner.network.policy)
    return Anchor(learner.imitated, anchor_coef(config.ppo, done))


def teach(config: Config, run: Path) -> int:
    """The loop of `method: student` and `value`: label, learn, and play with what was learned. Returns as `train`."""
    began, epochs = time.monotonic(), config.labelling.fit.epochs
    done = stages.rounds_done(config, run)
    with signals() as caught, Log(run, done * epochs) as log:
        for number in range(done, len(config.labelling.labels)):
            # Label: play games, and in some of their turns every candidate to the end of many rounds; or wait who wins
            made = stages.make_labels(config, run, number)
            for _ in tqdm(made, f"labels {number}", stages.parts_left(config, run, number), unit="part"):
                if caught or not in_time(config, began):
                    made.close()
                    return caught[0] if caught else 0

            # Learn from all labels so far; the student of this round plays in the next one
            for epoch, figures in enumerate(stages.learn(config, run, number), 1):
                log.write({"updates": number * epochs + epoch, "decisions": int(figures["labels"])}, figures)
                if caught:
                    return caught[0]
    return 0


def in_time(config: Config, began: float) -> bool:
    """Whether there is time for another update."""
    return not config.minutes or time.monotonic() - began < 60 * config.minutes


def game_figures(games: Sequence[Finished]) -> dict[str, float]:
    """What the games of an update were like; {} when none ended."""
    if not games:
        return {}
    return {
        "turns": float(np.mean([game.turns for game in games])),
        "actions": float(np.mean([game.decisions for game in games])),
        "winner_score": float(np.mean([max(game.scores) for game in games])),
    }


@contextmanager
def signals() -> Iterator[list[int]]:
    """Note SIGINT (Ctrl-C) and SIGTERM in the list rather than die of the first; a second one interrupts."""
    caught: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if caught:
            raise KeyboardInterrupt
        caught.append(number)

    before = {number: signal.signal(number, note) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield caught
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def evaluation(config: Config, run: Path) -> int:
    """The table of results, by `evaluate.py`, whose exit code it returns; prints the command that makes it again."""
    game, table = config.game, config.evaluation
    agent = agent_file(run)
    if not table.opponents or agent is None:
        return 0
    arguments = ["--checkpoint", str(agent), "--opponents", *table.opponents]
    arguments += ["--games", str(table.games), "--players", str(game.players), "--rules", game.rules]
    arguments += ["--seed", str(table.seed), "--out", str(run)]
    print(f"python evaluate.py {shlex.join(arguments)}", flush=True)
    code = evaluate.main(arguments)
    if code:
        saved = f"the trained agent is in {agent}"
        print(f"train.py: {saved}; the command above makes its table of results", file=sys.stderr)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
