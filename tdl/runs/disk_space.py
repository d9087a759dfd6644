"""The room that the files of a run will take on the disk, known before it begins."""

from dataclasses import dataclass

from tdl.base.checks import MAX_COUNT
from tdl.config.setup import Setup
from tdl.learning.state import state_bytes
from tdl.network.layout import entries_of
from tdl.storage.records import RECORD
from tdl.storage.run_folder import RunFolder
from tdl.training.batches import lane_bytes

BLOCK_BYTES = 600
"""Of a block in `blocks.csv` and `train.log`; less where few tiles were reached."""

FEWEST_MOVES = 1000
"""Of a game of a long training, so that a number of moves says how many games there are at most."""


@dataclass(frozen=True)
class Disk:
    """Bytes of the files of a job."""

    records: int = 0  # of what stays in any case: the games
    weights: int = 0  # of the checkpoints at the end of the training, at most
    peak: int = 0  # of the checkpoints while one is written, at most


def of_run(setup: Setup) -> Disk:
    """The room that a run takes at most; without its games where a budget may end it after any of them."""
    save, budget = setup.saving, setup.budget
    episodes = MAX_COUNT if setup.episodes is None else setup.episodes
    counted = episodes if budget.seconds is None and budget.moves is None else 0
    blocks = counted // setup.block
    if setup.learner.batched and budget.moves is not None:
        counted, blocks = budget.moves // FEWEST_MOVES, budget.moves // setup.block
    records = (counted + setup.evaluation.episodes) * RECORD.itemsize + blocks * BLOCK_BYTES
    if not episodes:
        return Disk(records)
    number = save.most
    if save.moves is None:
        if save.every is not None:
            number = min(number, 1 + (episodes - 1) // save.every)
        elif save.seconds is None:
            number = 1
    once = number == 1 and save.seconds is None and (save.every is None or save.every >= episodes)
    checkpoint = checkpoint_bytes(setup)
    return Disk(records, number * checkpoint, (number if once else number + 1) * checkpoint)


def checkpoint_bytes(setup: Setup) -> int:
    """Bytes of a checkpoint: the weights, and what the learner keeps beside them.

    Of a deep Q-learner the replay alone: its network, of some megabytes, is known to PyTorch, which takes seconds to
    import.
    """
    rules, network = setup.rules, setup.network
    if setup.deep is not None:
        boards = 1 + (4 if setup.deep.values_of == "afterstates" else 1)
        return setup.deep.buffer_size * (boards * rules.cells + 8 + 4 + 16 + 4)  # see `tdl.dqn.replay_buffer`
    if not setup.kind.tables:
        return 0
    radix, stages = rules.radix if network.tuples.radix is None else network.tuples.radix, network.stages.count
    entries = entries_of(network.tuples, rules.rows, rules.cols, radix, stages)
    lanes = lane_bytes(setup.learner, setup.play) if setup.learner.batched else 0
    return 4 * entries + state_bytes(entries, setup.learner, stages=stages, extras=network.extras) + lanes


def used(folder: RunFolder) -> int:
    """Bytes of the checkpoints that are there."""
    files = [*folder.checkpoint.rglob("*"), *folder.kept.rglob("*")]
    return sum(path.stat().st_size for path in files if path.is_file())


def size_text(size: float) -> str:
    """A number of bytes for people: "1.6 GB"."""
    units = ["bytes", "kB", "MB", "GB", "TB"]
    while size >= 999.5 and len(units) > 1:
        size /= 1000
        units.pop(0)
    return f"{size:.2g} {units[0]}" if size < 9.95 and units[0] != "bytes" else f"{size:.0f} {units[0]}"
