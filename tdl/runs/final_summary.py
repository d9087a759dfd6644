"""What a run prints at its end: how well it plays, where its files are, and what one would type next."""

import contextlib
import math
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tdl.base.distribution import command
from tdl.config import files
from tdl.config.setup import Setup
from tdl.errors import TdlError
from tdl.players.kinds import KINDS
from tdl.statistics.summary import evaluation_block, read_blocks
from tdl.storage.records import Records, load_records
from tdl.storage.result_file import DELETED_WEIGHTS, KEPT_WEIGHTS, RESULT, WEIGHTS
from tdl.storage.run_folder import CHECKPOINT, RunFolder

PARTS = 20
"""A training is searched for unlearning in this many parts of equal numbers of moves."""

USED = 0.9
"""The share of a budget of time from which on a run has used it."""

RECENT = 0.1
"""The share of the games so far, the last ones, that tell how good a run is before its end."""

FEWEST_GAMES = 100
"""Of a part; their mean is known to some 6%, so that chance hardly ever halves it."""


def summary_text(result: Mapping[str, Any], last_block: Mapping[str, Any] | None) -> str:
    """The statistics of the games after training; without such games those of the last block of the training.

    Parameters
    ----------
    result : of the run, as `result.json` has it.
    last_block : figures as of an evaluation.
    """
    evaluation, text = result.get("evaluation", {}), ""
    if "mean" in evaluation:
        text = evaluation_block(evaluation)
    elif last_block is not None:
        text = "no games without learning (evaluate.episodes=0); the last block of the training:\n"
        text += evaluation_block(last_block)
    elif "exact" not in evaluation:
        text = f"nothing was played: {result['episodes']:,} games are trained, and evaluate.episodes=0\n"
    if exact := evaluation.get("exact"):
        text += f"expected {exact['expected']:.10g}, the best play {exact['optimal']:.10g}: gap {exact['gap']:.6g}\n"
    return text


def unlearned(games: Records) -> str:
    """A text where the last part's mean score is below half of the best part's, though no value diverged; else empty.

    Greedy play that has come to undervalue good boards avoids them, so that it can stay so for the rest of a run: one
    of two billion moves fell from 133,000 points to 13,000 and ended with 45,000 (`experiments/unlearning`).

    Parameters
    ----------
    games : of the whole training, in order.
    """
    if not len(games):
        return ""
    moves = np.cumsum(games["moves"], dtype=np.int64)
    part = np.minimum((moves - games["moves"]) * PARTS // max(moves[-1], 1), PARTS - 1)  # where a game begins
    numbers = np.bincount(part, minlength=PARTS)
    means = np.bincount(part, games["score"], PARTS) / np.maximum(numbers, 1)
    means[numbers < FEWEST_GAMES] = 0
    best = int(np.argmax(means))
    if numbers[-1] < FEWEST_GAMES or means[-1] >= means[best] / 2:
        return ""
    episode = int(games["episode"][part == best][-1])
    fall = f"fell from {means[best]:,.0f}, up to episode {episode:,}, to {means[-1]:,.0f}"
    return f"unlearned: the mean score of the training {fall}"


def warning(folder: RunFolder, result: Mapping[str, Any]) -> str:
    """A line where the training has unlearned, and what to try; empty where it has not."""
    text, config = unlearned(load_records(folder.episodes)), result["config"]
    if not text:
        return ""
    if not KINDS[config["agent"]["kind"]].tables:
        return f"{text}\n"
    milestones = "learner.start=milestone, or " if config["learner"]["start"] == "empty" else ""
    return f"{text}; try {milestones}a smaller alpha\n"


def unused_budget(setup: Setup, episode: int, seconds: float) -> str:
    """A line where a run ended long before its budget of time; else empty."""
    budget, number = setup.budget.seconds, setup.episodes
    if budget is None or seconds > USED * budget:
        return ""
    all_played = number is not None and episode >= number
    key, limit = ("episodes", number) if all_played else ("budget.moves", setup.budget.moves)
    used = f"{seconds:,.0f} of {budget:,.0f} seconds (budget.seconds)"
    return f"{key}={limit} ended the run after {used}; resume=FOLDER with a larger {key} goes on\n"


def objective(folder: RunFolder) -> float | None:
    """The one number that says how good a finished run is, for a sweeper that tunes: the mean score of the games after
    training.

    Without such games it is the expected score in a solved game, or else the mean of the last block of the training;
    None where nothing was played.
    """
    evaluation = folder.result_if_whole().get("evaluation", {})
    if "mean" in evaluation:
        return float(evaluation["mean"])
    if "exact" in evaluation:
        return float(evaluation["exact"]["expected"])
    try:
        means = read_blocks(folder.blocks)["mean"]
    except FileNotFoundError:
        return None
    return float(means[-1]) if len(means) else None


def objective_at(folder: RunFolder, share: float, episodes: int, moves: int | None) -> float | None:
    """How good a run was at a share of its training: the mean score of the last tenth of its games until there.

    It follows from the blocks up to the first that reaches the share, so it stays what it is when the run goes on;
    None where the run has not come so far, or its blocks are damaged.

    Parameters
    ----------
    episodes, moves : the budget of the run; None: of that there is no end.
    """
    with contextlib.suppress(OSError, TdlError, KeyError):
        blocks = read_blocks(folder.blocks)
        played, used = blocks["episode"], np.cumsum(blocks["moves"]) / (moves or math.inf)
        reached = np.maximum(played / max(episodes, 1), used) >= share
        there = np.flatnonzero(reached & (played <= folder.result_if_whole().get("episodes", 0)))
        if len(there):
            end = there[0] + 1
            part = played[:end] > (1 - RECENT) * played[there[0]]
            return float(np.average(blocks["mean"][:end][part], weights=np.diff(played[:end], prepend=0)[part]))
    return None


def results_line(folder: RunFolder, result: Mapping[str, Any]) -> str:
    """Where the files are, and which to look at first."""
    names = [path.name for path in (folder.curve, folder.blocks) if path.exists() and path.stat().st_size]
    names += [RESULT, *([CHECKPOINT] if result[WEIGHTS] == KEPT_WEIGHTS else [])]
    without = ", no weights (save.final)" if result[WEIGHTS] == DELETED_WEIGHTS else ""
    return f"results in {path_from_here(folder.path)}: {', '.join(names)}{without}\n"


def next_commands(folder: RunFolder, result: Mapping[str, Any], *, resumes: bool = False) -> str:
    """What one would type next; each line can be pasted. `resumes`: the run was stopped, and can go on."""
    if not (folder.has_checkpoint() if resumes else result[WEIGHTS] == KEPT_WEIGHTS):
        return ""
    folder_word = word_from_here(folder.path)
    own = files.own_folder() if result["config"]["game"]["name"] not in files.file_names("game") else None
    named = "" if own is None else f" --config-dir {shlex.quote(str(path_from_here(own)))}"  # which registers the game
    commands = [f"serve {folder_word}"]
    kind, plies = KINDS[result["config"]["agent"]["kind"]], result["config"]["evaluate"]["plies"]
    if resumes:
        commands.append(f"run {folder.word('resume')}")
    elif kind.max_plies > 1 and plies == 1:
        few = "" if kind.tables else " evaluate.episodes=10"  # a hundred times as slow
        commands.append(f"evaluate {folder_word} evaluate.plies=2{few}")
    lines = [f"{command()} {words}{named}" for words in commands]
    return "".join(f"{'next:' if not number else '':6}{line}\n" for number, line in enumerate(lines))


def path_from_here(path: Path) -> Path:
    """A path as people write it: relative if it lies below the present folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def word_from_here(path: Path) -> str:
    """The same as a word for a shell, which no program takes for a flag or a key."""
    here = str(path_from_here(path))
    return shlex.quote(f"./{here}" if here[0] in "~+-" or "=" in here else here)
