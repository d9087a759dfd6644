"""What a run says at its end: its answer, how good it is, where its files are, and what one would type next."""

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tdl.base.distribution import command
from tdl.config.compose import word_of
from tdl.players.kinds import KINDS
from tdl.runs.unlearning import unlearned
from tdl.statistics.block_table import read_blocks
from tdl.statistics.summary import evaluation_block
from tdl.storage.records import load_records
from tdl.storage.result_file import DELETED_WEIGHTS, KEPT_WEIGHTS, RESULT, WEIGHTS
from tdl.storage.run_folder import CHECKPOINT, RunFolder


def answer(result: Mapping[str, Any], last_block: Mapping[str, Any] | None) -> str:
    """The block of the games after training; without them that of the last block of games of the training, if any.

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
        text = f"nothing was played: {result['config']['episodes']:,} games are trained, and evaluate.episodes=0\n"
    if exact := evaluation.get("exact"):
        text += f"expected {exact['expected']:.10g}, the best play {exact['optimal']:.10g}: gap {exact['gap']:.6g}\n"
    return text


def warning(folder: RunFolder, result: Mapping[str, Any]) -> str:
    """A line where the training has unlearned, and what to try; empty where it has not."""
    text = unlearned(load_records(folder.episodes))
    if not text:
        return ""
    config = result["config"]
    if not KINDS[config["agent"]["kind"]].tables:
        return f"{text}\n"
    milestones = "learner.start=milestone, or " if config["learner"]["start"] == "empty" else ""
    return f"{text}; try {milestones}a smaller alpha\n"


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


def results_line(folder: RunFolder, result: Mapping[str, Any]) -> str:
    """Where the files are, and which to look at first."""
    names = [path.name for path in (folder.curve, folder.blocks) if path.exists() and path.stat().st_size]
    names += [RESULT, *([CHECKPOINT] if result[WEIGHTS] == KEPT_WEIGHTS else [])]
    without = ", no weights (save.final)" if result[WEIGHTS] == DELETED_WEIGHTS else ""
    return f"results in {shown(folder.path)}: {', '.join(names)}{without}\n"


def next_commands(folder: RunFolder, result: Mapping[str, Any]) -> str:
    """What one would type next; each line can be pasted."""
    if result[WEIGHTS] != KEPT_WEIGHTS:
        return ""
    start, checkpoint = command(), _word(shown(folder.path))
    commands = [f"{start} serve {checkpoint}"]
    kind, plies = KINDS[result["config"]["agent"]["kind"]], result["config"]["evaluate"]["plies"]
    if kind.max_plies > 1 and plies == 1:
        few = "" if kind.tables else " evaluate.episodes=10"  # a hundred times as slow
        commands.insert(0, f"{start} evaluate {checkpoint} evaluate.plies=2{few}")
    return "".join(f"{'next:' if not number else '':6}{command}\n" for number, command in enumerate(commands))


def shown(path: Path) -> Path:
    """A path as people write it: from here on, if it lies below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _word(path: Path) -> str:
    """A folder as a word of a command line, quoted for the shell where it must be, and for Hydra."""
    if "=" in str(path) or str(path)[0] in "~+-":
        return shlex.quote(word_of("checkpoint", path))
    return shlex.quote(str(path))
