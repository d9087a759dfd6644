"""The good files and folders whose copies are changed: each process makes those that it is asked for, once."""

import json
import re
import shutil
import tempfile
from argparse import Namespace
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

import tdl
from support.browser import NotHere, chromium
from support.programs import SMALL, UNDRAWN, inside, train
from support.recorded_games import SHAPES, trained
from support.weight_files import SMALL_DEMO, SMALL_TC, SMALL_TD
from tdl.errors import TdlError
from tdl.formats import compact
from tdl.network.stages import Stages
from tdl.players.kinds import read_agent
from tdl.sessions import game_file
from tdl.sessions.session import record_game
from tdl.solver import solution

PROGRESS = re.compile(r"(check|train|evaluate) +[\d,]+/")
"""What a program says of itself where it takes a while."""


def ends(*words, program=UNDRAWN):
    """What a program prints, run inside; its one line and exit code become an error again."""
    done = inside(*words, program=program)
    if not done.returncode:
        return done
    *more, line = (line for line in done.stderr.splitlines() if not PROGRESS.match(line))
    assert line.startswith("tdl: "), done.stderr
    assert not more or "-m" in words, done.stderr  # jobs of a sweep say a line each
    assert done.returncode == 2 or "diverge" in line or "finite" in line, f"exit code {done.returncode}: {line}"
    raise TdlError(line.removeprefix("tdl: "))


TWICE = ("episodes=20", "save.every=10", "save.keep=2")
"""Words of a run that leaves two checkpoints."""


@cache
def good(name):
    """A good file or folder, made when it is asked for first."""
    path = _base() / name
    GOOD[name](path)
    return path


@cache
def _base():
    place = Path(tempfile.mkdtemp(prefix="tdl-fuzz-base-"))
    Finalize(None, shutil.rmtree, (place, True), exitpriority=0)  # also of a process that another one has started
    return place


def _deep_run(path):
    try:
        import torch  # noqa: F401 - whether it is there
    except ImportError as error:
        raise NotHere("PyTorch is not installed") from error
    agent = ("agent=dqn_modern", "agent.width=8", "agent.games=4", "agent.learning_starts=8", "agent.buffer_size=200",
             "agent.train_frequency=8", "agent.batch_size=8")  # fmt: skip
    ends(*TWICE, "block=10", "evaluate.episodes=2", "size=2x3", "tiles=p90_10", f"hydra.run.dir={path}", *agent)


def _shown_run(path):
    chromium()  # it cannot start while memory is counted
    train(path, *TWICE)


def _packed(path):
    path.mkdir()
    compact.export(good("rich"), path / "checkpoint", Namespace(games=0, step=0.0))


def _saved_trainer(path):
    network = tdl.NTupleNetwork(tdl.Rules(rows=2, cols=3), [[0, 1, 3]], stages=Stages((16,)))
    trainer = tdl.Trainer(network, schedule=[(30, 0.1)], step="coherent", start="carousel")
    trainer.train(20)
    trainer.save(path)


GOOD = {
    "plain": lambda path: train(path, *TWICE),
    "rich": lambda path: train(path, *TWICE, "learner=tc", "learner.stages=[16,64]", "learner.start=carousel"),
    "packed": _packed,
    "saved": _saved_trainer,
    "swept": lambda path: ends("-m", *SMALL, "episodes=10", "alpha=0.1,0.3", f"hydra.sweep.dir={path}"),
    "deep": _deep_run,
    "shown": _shown_run,
    "solved": lambda path: solution.save(path, solution.solve(tdl.Rules(rows=2, cols=2))),
    "game.jsonl": lambda path: game_file.save(path, record_game(trained(*SHAPES["2x4"]), 5)),
    "config.json": lambda path: path.write_text(json.dumps(read_agent(good("rich") / "checkpoint")["config"])),
    "td.w": lambda path: path.write_bytes(SMALL_TD),
    "tc.w": lambda path: path.write_bytes(SMALL_TC),
    "demo.bin": lambda path: path.write_bytes(SMALL_DEMO),
}
