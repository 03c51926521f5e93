"""Train an agent by self-play with masked PPO. This file is the whole story, from top to bottom.

    python train.py --config configs/quick.yaml
    python train.py --config configs/ppo_2p.yaml --ppo.learning_rate=3e-4 --run runs/slow
    python train.py --resume runs/slow

The folder of the run gets config.yaml, checkpoint.safetensors, log.jsonl, tensorboard/, curves.png, and
from the evaluation at the end evaluation.json and evaluation.png. Ctrl-C saves and stops.
"""

import argparse
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from types import FrameType

import numpy as np
from tqdm import tqdm

import evaluate
from agents import make
from agents.checkpoint import write_whole
from agents.learning import learner as runs
from agents.learning.config import Config, config_parser, config_text, flat, read_config
from agents.learning.curves import draw_curves
from agents.learning.learner import COUNTED, Learner
from agents.learning.log import Log, read_log
from agents.learning.ppo import learning_rate, samples, set_learning_rate, update
from agents.learning.workers import WorkerError
from rummikub_env.envs.vector import Finished
from rummikub_env.rules import rules_of

CHECKPOINT = "checkpoint.safetensors"
FREE = ("run", "updates", "minutes", "checkpoint_every", "evaluation")
"""Settings that may change when a run is resumed."""


def main(arguments: Sequence[str]) -> int:
    """Exit code 0: trained and evaluated; 1: a worker died; 2: wrong settings; 128 + n: stopped by signal n."""
    try:
        config, run, resumed = settings(arguments)
        for name in config.evaluation.opponents:
            make(name, rules_of(config.game.rules))  # better now than after the training
        learner = runs.resume(run / CHECKPOINT, config) if resumed else runs.begin(config)
    except (ValueError, OSError) as error:
        print(f"train.py: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    try:
        write_whole(run / "config.yaml", config_text(config).encode())
        stopped = train(config, run, learner)
    except KeyboardInterrupt:
        print(f"\nstopped at once; the last checkpoint, if any, goes on with --resume {run}", file=sys.stderr)
        return 128 + signal.SIGINT
    except WorkerError as error:
        print(f"\ntrain.py: {error}; the last checkpoint, if any, goes on with --resume {run}", file=sys.stderr)
        return 1
    finally:
        learner.crew.close()
    draw_curves(read_log(run), run / "curves.png", str(run))
    print(f"curves: {run / 'curves.png'}\ncheckpoint: {run / CHECKPOINT}")
    if stopped:
        print(f"stopped after update {learner.count['updates']}; go on with: python train.py --resume {run}")
        return 128 + stopped
    return evaluation(config, run) if config.evaluation.opponents else 0


def settings(arguments: Sequence[str]) -> tuple[Config, Path, bool]:
    """The settings, the folder of the run, and whether it is resumed; ValueError if that cannot be."""
    parser = config_parser("train.py")
    parser.add_argument("--resume", help="Go on with the run in this folder, exactly from its checkpoint.")
    early = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    early.add_argument("--resume")
    folder = early.parse_known_args(arguments)[0].resume
    if folder is None:
        config = read_config(parser, arguments)
        run = Path(config.run or f"runs/{datetime.now():%Y%m%d-%H%M%S}")
        if (run / CHECKPOINT).exists():
            raise ValueError(f"{run} holds a run already: choose another --run, or go on with --resume {run}")
        return config, run, False
    saved = runs.load_config(Path(folder) / CHECKPOINT)
    parser.set_defaults(flat(asdict(saved)))
    config = read_config(parser, arguments)
    before, now = flat(asdict(saved)), flat(asdict(config))
    if changed := [name for name in now if now[name] != before[name] and name.split(".")[0] not in FREE]:
        raise ValueError(f"a resumed run may change only {', '.join(FREE)}; not {', '.join(changed)}")
    return config, Path(folder), True


def train(config: Config, run: Path, learner: Learner) -> int:
    """The loop: play, learn, log, save. Returns the signal that stopped it, or 0."""
    count, log = learner.count, Log(run, learner.count["updates"])
    progress = tqdm(total=config.updates, initial=count["updates"], unit="update", dynamic_ncols=True)
    began, saved = time.monotonic(), -1
    with signals() as caught, log, progress:
        while count["updates"] < config.updates and not caught and in_time(config, began):
            start = time.monotonic()

            # Play: all seats with the present network
            rollouts = learner.crew.collect(learner.network, config.decisions)

            # Learn from every decision whose outcome or successor is known
            rate = learning_rate(config.ppo, count["updates"] / config.updates)
            set_learning_rate(learner.optimizer, rate)
            data = samples([rollout.decisions for rollout in rollouts], config.ppo)
            figures = update(learner.network, learner.optimizer, data, config.ppo, learner.rng)

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
    """The table of results, by `evaluate.py`; prints the command that makes it again."""
    game, table = config.game, config.evaluation
    arguments = ["--checkpoint", str(run / CHECKPOINT), "--opponents", *table.opponents]
    arguments += ["--games", str(table.games), "--players", str(game.players), "--rules", game.rules]
    arguments += ["--seed", str(table.seed), "--out", str(run)]
    print(f"python evaluate.py {shlex.join(arguments)}")
    return evaluate.main(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
