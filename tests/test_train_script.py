import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml

import train
from agents import make
from agents.evaluation import compare
from agents.learning.log import read_log
from rummikub_env.rules import rules_of

ROOT = Path(__file__).parent.parent
MINI = "sabra:colours=KRB,max_value=6,copies_per_tile=1,rack_size=5,initial_meld_points=10"


SMOKE = "--config=configs/smoke.yaml"
QUIET = "--evaluation.opponents=[]"


def run_main(*arguments):
    """The exit code of train.py, run in this process."""
    try:
        return train.main([str(argument) for argument in arguments])
    except SystemExit as end:  # from the parser
        return end.code


def started(*arguments):
    """train.py in a process of its own."""
    command = [sys.executable, str(ROOT / "train.py"), *map(str, arguments)]
    pipe = subprocess.PIPE
    heard = signal.signal(signal.SIGINT, signal.default_int_handler)  # it would ignore what is ignored here
    try:
        return subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True, start_new_session=True)
    finally:
        signal.signal(signal.SIGINT, heard)


def wait_for_updates(run, updates):
    deadline = time.monotonic() + 240  # the first use of the solver compiles it
    while len(read_log(run)) < updates:
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_small_run_makes_everything_it_promises(tmp_path, capsys):
    assert run_main(SMOKE, f"--run={tmp_path}", "--updates=3", "--evaluation.games=20") == 0
    assert {path.name for path in tmp_path.iterdir()} == {
        *("config.yaml", "checkpoint.safetensors", "log.jsonl", "tensorboard"),
        *("curves.png", "evaluation.json", "evaluation.png", "evaluation.html"),
    }
    output = capsys.readouterr().out
    for name in ("curves.png", "checkpoint.safetensors", "evaluation.json"):
        assert str(tmp_path / name) in output
    assert "random" in output
    assert json.loads((tmp_path / "evaluation.json").read_text())["games_a_row"] == 20
    assert [line["updates"] for line in read_log(tmp_path)] == [1, 2, 3]
    assert yaml.safe_load((tmp_path / "config.yaml").read_text())["game"]["rules"] == MINI
    assert list((tmp_path / "tensorboard").iterdir())


def test_a_minute_limit_ends_the_training_early_and_the_rest_follows(tmp_path):
    limit = ("--minutes=0.0001", "--evaluation.games=4")
    assert run_main(SMOKE, f"--run={tmp_path}", *limit) == 0
    assert len(read_log(tmp_path)) == 1
    assert (tmp_path / "evaluation.json").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_run_is_saved_and_says_how_to_go_on(tmp_path, number):
    process = started(SMOKE, f"--run={tmp_path}", "--updates=100000")
    wait_for_updates(tmp_path, 2)
    process.send_signal(number)
    output, errors = process.communicate(timeout=120)
    assert process.returncode == 128 + number, errors
    assert "Traceback" not in errors
    done = int(re.search(r"stopped after update (\d+)", output).group(1))
    assert f"--resume {tmp_path}" in output
    assert [line["updates"] for line in read_log(tmp_path)] == list(range(1, done + 1))
    assert run_main("--resume", tmp_path, f"--updates={done + 1}", QUIET) == 0
    assert len(read_log(tmp_path)) == done + 1


def test_a_killed_run_goes_on_from_its_last_checkpoint_as_if_nothing_had_happened(tmp_path):
    options = (SMOKE, QUIET, "--updates=8", "--checkpoint_every=2")
    straight, killed = tmp_path / "straight", tmp_path / "killed"
    assert run_main(*options, f"--run={straight}") == 0
    process = started(*options, f"--run={killed}")
    wait_for_updates(killed, 3)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    assert run_main("--resume", killed) == 0

    def figures(folder):
        return [line | {"steps_per_second": 0} for line in read_log(folder)]

    assert figures(killed) == figures(straight)


def test_ctrl_c_in_the_final_evaluation_names_what_is_saved(tmp_path):
    process = started(SMOKE, f"--run={tmp_path}", "--updates=1", "--evaluation.games=1000000")
    while "python evaluate.py" not in (line := process.stdout.readline()):
        assert line, process.stderr.read()
    time.sleep(2)  # among the imports of the workers, or later: it makes no difference
    os.killpg(process.pid, signal.SIGINT)
    _, errors = process.communicate(timeout=240)  # nobody interrupts the compiler, if the solver must be compiled
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert f"the trained agent is in {tmp_path / 'checkpoint.safetensors'}; " in errors


def test_training_that_diverges_is_told_and_leaves_the_last_good_checkpoint(tmp_path, capsys, monkeypatch):
    assert run_main(SMOKE, QUIET, f"--run={tmp_path}", "--ppo.learning_rate=1e30") == 1
    error = capsys.readouterr().err
    assert "the training has diverged: try a smaller --ppo.learning_rate; there is no checkpoint" in error
    assert not (tmp_path / "checkpoint.safetensors").exists()
    monkeypatch.setattr(train, "learning_rate", lambda config, done: 1e30 if done > 0.5 else 1e-3)
    assert run_main(SMOKE, QUIET, f"--run={tmp_path}", "--updates=10", "--checkpoint_every=2") == 1
    assert f"its last checkpoint goes on with --resume {tmp_path}" in capsys.readouterr().err
    monkeypatch.undo()
    assert run_main("--resume", tmp_path, QUIET, "--updates=7") == 0
    assert [line["updates"] for line in read_log(tmp_path)] == [1, 2, 3, 4, 5, 6, 7]


def test_a_folder_that_cannot_be_used_is_told_before_the_training(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(train, "train", lambda *_: pytest.fail("it trains"))
    (tmp_path / "file").touch()
    (tmp_path / "taken" / "curves.png").mkdir(parents=True)
    for folder in ("file", "file/below", "taken"):
        assert run_main(SMOKE, f"--run={tmp_path / folder}") == 2
        error = capsys.readouterr().err
        assert error.startswith("train.py: cannot write ")
        assert error.count("\n") == 1


def test_a_disk_that_fills_up_is_told_in_a_sentence(tmp_path, capsys, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device", "checkpoint")

    monkeypatch.setattr(train.runs, "save", full)
    assert run_main(SMOKE, f"--run={tmp_path}", "--updates=1") == 1
    assert "train.py: checkpoint: No space left on device; there is no checkpoint" in capsys.readouterr().err


def test_a_run_is_resumed_by_its_folder_or_by_its_checkpoint(tmp_path):
    assert run_main(SMOKE, QUIET, f"--run={tmp_path}", "--updates=1") == 0
    assert run_main("--resume", tmp_path / "checkpoint.safetensors", "--updates=2") == 0
    assert [line["updates"] for line in read_log(tmp_path)] == [1, 2]


def test_a_damaged_log_is_cut_where_the_damage_begins(tmp_path):
    good = '{"updates": 1, "decisions": 5}\n'
    for damage in (b"[]\n", b"3\n", b'{"updates": "x"}\n', b"\xff\xfe\n", b'{"upd'):
        (tmp_path / "log.jsonl").write_bytes(good.encode() + damage + good.encode())
        assert read_log(tmp_path) == [{"updates": 1, "decisions": 5}]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--ppo.lr=1"], "ppo.lr"),
        (["--ppo.learning_rate=fast"], "learning_rate"),
        (["--updates=0"], "updates"),
        (["--config=no/such.yaml"], "no/such.yaml"),
        (["--game.rules=chess"], "unknown rules 'chess'"),
        (["--game.rules=sabra:max_value=x"], "max_value"),
        (["--game.players=5"], "2 to 4 players"),
        (["--game.observation=all"], "observation"),
        (["--game.codec=cards"], "unknown action codec 'cards'; there is: tiles, sets, turns"),
        (["--game.codec=turns:n=3"], "option 'n=3'"),
        (["--game.reward=money"], "reward"),
        (["--decisions=100"], "too few"),
        (["--teacher.player=nobody"], "'nobody' is neither a player"),
        (["--teacher.player=tempo", "--teacher.partners=[nobody]"], "'nobody' is neither a player"),
        (["--teacher.player=tempo", "--game.codec=turns:k=4"], "the codec turns"),
        (["--ppo.kl_coef=0.1"], "name a teacher.player"),
        (["--network.critic=all"], "critic"),
        (["--evaluation.opponents=[nobody]"], "nobody"),
        (["--resume=no/such/run"], "no checkpoint"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_a_users_mistake_is_one_clear_message(tmp_path, capsys, arguments, words):
    where = [] if "--resume" in arguments[0] else [f"--run={tmp_path / 'x'}"]
    assert run_main(*arguments, *where) == 2
    assert words in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


def test_runs_are_neither_overwritten_nor_changed_on_the_way(tmp_path, capsys):
    assert run_main(SMOKE, QUIET, f"--run={tmp_path}", "--updates=1") == 0
    assert run_main(SMOKE, f"--run={tmp_path}") == 2
    assert "holds a run already" in capsys.readouterr().err
    assert run_main("--resume", tmp_path, "--ppo.clip=0.3", "--game.draws=private") == 2
    assert "game.draws, ppo.clip" in capsys.readouterr().err


def test_a_tiny_run_beats_random(tmp_path):
    assert run_main(SMOKE, QUIET, f"--run={tmp_path}", "--updates=20") == 0
    rules = rules_of(MINI)
    trained = make(str(tmp_path / "checkpoint.safetensors"), rules)
    result = compare(trained, make("random", rules), rules, deals=500)
    assert result.win_rate.low > 0.55
