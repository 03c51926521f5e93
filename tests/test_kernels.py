"""The compiled kernels: the same bits without the compiler."""

import hashlib
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from positions import random_position, weights_of

from rummikub_env import solver
from rummikub_env.observations import observation_of
from rummikub_env.rules import rules_of
from rummikub_env.sets import table_text
from rummikub_env.state import LastMove, deal, view

# small tile sets, for where nothing is compiled the tables of the kernels take long
SMALL = "sabra:copies_per_tile=1,joker_count=1,rack_size=5,initial_meld_points=10"
RULES = (SMALL, f"{SMALL},joker_reuse=any_set", f"{SMALL},joker_release=free", f"{SMALL},colours=KRB,max_value=6")


def digest():
    """A hash of what the solver answers about some positions, and of what a seat sees."""
    answers = []
    for name in RULES:
        for seed in range(2):
            rules, rng = rules_of(name), np.random.default_rng(seed)
            p = random_position(rules, rng, int(rng.integers(9, 18)), int(rng.integers(3, 7)), seed % 2)
            asked = (p.rules, p.table, p.counts, p.opened)
            plays = solver.plays(*asked).counts
            tables = [solver.arrange(p.rules, p.table, play, p.opened) for play in plays[:3]]
            best = solver.best_play(*asked, weights_of(p.rules)["value"])
            answers += [solver.playable(*asked).mask.tolist(), plays.tolist(), None if best is None else best.tolist()]
            answers += [table and table_text(p.rules.tiles, table) for table in tables]
            state = deal(rules, 2, rng)
            seen = replace(view(state, seed), table=p.table, last=(None, LastMove("play", 3)), turn=9999)
            answers.append(observation_of("counts", rules, 2).encode(seen).tolist())
    return hashlib.sha256(repr(answers).encode()).hexdigest()


def test_without_the_compiler_the_answers_are_the_same():
    tests = Path(__file__).parent
    shown = subprocess.run(
        [sys.executable, "-W", "error::RuntimeWarning", "-c", "import test_kernels; print(test_kernels.digest())"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent)])},
        cwd=tests,
        capture_output=True,
        text=True,
    )
    assert shown.stdout.strip() == digest(), shown.stderr
