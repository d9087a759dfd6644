"""The good files and folders that are fuzzed in copies: each process makes those that it is asked for, once."""

import shutil
import tempfile
from functools import cache
from multiprocessing.util import Finalize
from pathlib import Path

from support.browser import NotHere, chromium
from support.programs import SMALL, inside, train
from support.recorded_games import SHAPES, trained
from support.weight_files import SMALL_DEMO, SMALL_TC, SMALL_TD
from tdl.game.rules import Rules
from tdl.sessions import game_file
from tdl.sessions.recorder import record_game
from tdl.solver import solution

TWICE = ("episodes=20", "save.every=10", "save.keep=2")
"""Words of a run that leaves two checkpoints."""


@cache
def _base():
    """A folder for all that is changed in copies, of each process."""
    place = Path(tempfile.mkdtemp(prefix="tdl-fuzz-base-"))
    Finalize(None, shutil.rmtree, (place, True), exitpriority=0)  # also of a process that another one has started
    return place


@cache
def given(name):
    """A good file or folder, made when it is asked for first."""
    path = _base() / name
    MAKERS[name](path)
    return path


def _swept(path):
    words = ("-m", *SMALL, "episodes=10", "alpha=0.1,0.3", f"hydra.sweep.dir={path}")
    assert inside(*words).returncode in (None, 0)


def _deep(path):
    try:
        import torch  # noqa: F401 - whether it is there
    except ImportError as error:
        raise NotHere("PyTorch is not installed") from error
    agent = ("agent=dqn_modern", "agent.width=8", "agent.games=4", "agent.learning_starts=8", "agent.buffer_size=200")
    words = (*TWICE, "block=10", "evaluate.episodes=2", "size=2x3", "tiles=p90_10", f"hydra.run.dir={path}")
    done = inside(*words, *agent, "agent.train_frequency=8", "agent.batch_size=8")
    assert done.returncode in (None, 0), done.stderr


MAKERS = {
    "plain": lambda path: train(path, *TWICE),
    "rich": lambda path: train(path, *TWICE, "learner=tc", "learner.stages=[16,64]", "learner.start=carousel"),
    "swept": _swept,
    "deep": _deep,
    "solved": lambda path: solution.save(path, solution.solve(Rules(rows=2, cols=2))),
    "game.jsonl": lambda path: game_file.save(path, record_game(trained(*SHAPES["2x4"]), 5)),
    "td.w": lambda path: path.write_bytes(SMALL_TD),
    "tc.w": lambda path: path.write_bytes(SMALL_TC),
    "demo.bin": lambda path: path.write_bytes(SMALL_DEMO),
    "browser": lambda path: chromium(),
}
