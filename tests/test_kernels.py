"""The compiled kernels: the same bits without the compiler."""

import hashlib
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from positions import random_position, weights_of

from rummikub_env import solver
from rummikub_env.rules import rules_of
from rummikub_env.sets import table_text

RULES = (
    "sabra",
    "sabra:joker_reuse=any_set",
    "sabra:joker_release=free",
    "sabra:colours=KRB,max_value=6,joker_count=3",
)


def digest():
    """A hash of what the solver answers about some positions."""
    answers = []
    for name in RULES:
        for seed in range(2):
            rules, rng = rules_of(name), np.random.default_rng(seed)
            p = random_position(rules, rng, int(rng.integers(12, 24)), int(rng.integers(3, 8)), seed % 3)
            asked = (p.rules, p.table, p.counts, p.opened)
            plays = solver.plays(*asked).counts
            tables = [solver.arrange(p.rules, p.table, play, p.opened) for play in plays[:3]]
            best = solver.best_play(*asked, weights_of(p.rules)["value"])
            answers += [solver.playable(*asked).mask.tolist(), plays.tolist(), None if best is None else best.tolist()]
            answers += [table and table_text(p.rules.tiles, table) for table in tables]
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
