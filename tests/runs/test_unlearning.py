"""Whether a run says that it has unlearned. Trusts a setting of `experiments/gap` to unlearn."""

import numpy as np
import pytest
from support.programs import SMALL, inside

from tdl.runs.final_summary import PARTS, unlearned, warning
from tdl.storage.records import RECORD, load_records
from tdl.storage.run_folder import RunFolder

FALLING = ("game=2584", "size=2x3", "tuples=2x3_full", "tuples.radix=14", "learner=otd_tc", "alpha=1", "block=1000")
"""Optimistic TD, then TC with a step of 1, on a solved board: from some 870 points to 200."""


def games(*scores, moves=10):
    """Games of as many moves each, of these scores."""
    records = np.zeros(len(scores), RECORD)
    records["episode"], records["score"], records["moves"] = np.arange(1, len(scores) + 1), scores, moves
    return records


def parts(*means):
    """Twenty parts of a hundred games each."""
    assert len(means) == PARTS
    return games(*np.repeat(means, 100))


def test_what_was_best_and_what_is_left_are_named():
    assert unlearned(parts(*[100] * 9, 900, *[500] * 9, 449)) == (
        "unlearned: the mean score of the training fell from 900, up to episode 1,000, to 449"
    )


@pytest.mark.parametrize(
    "records",
    [
        games(),
        parts(*range(PARTS)),
        parts(*[100] * 9, 900, *[100] * 9, 450),  # back at half of the best
        parts(*[0] * PARTS),
        games(*[900] * 99 * (PARTS - 1), *[100] * 99),  # too few games in each part
        games(5, moves=0),
    ],
    ids=["none", "rising", "half", "nothing", "few", "no moves"],
)
def test_otherwise_nothing_is_said(records):
    assert unlearned(records) == ""


def test_parts_have_as_many_moves_not_as_many_games():
    """Ten long games before a thousand short ones are most of the moves, but too few games to judge."""
    records = games(*[900] * 10, *[100] * 2000)
    records["moves"][:10] = 10_000
    assert unlearned(records) == ""
    long = games(*[900] * 1000, *[100] * 20_000)
    long["moves"][:1000] = 100
    assert unlearned(long).endswith("from 900, up to episode 150, to 100")


def test_a_run_says_so_and_what_to_try(tmp_path):
    folder = tmp_path / "run"
    done = inside(*FALLING, "learner.initial_value=1500", "episodes=20000", f"hydra.run.dir={folder}")
    assert done.returncode == 0, done.stderr
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("unlearned")]
    told = unlearned(load_records(folder / "episodes.npy"))
    assert line == f"{told}; try learner.start=milestone, or a smaller alpha"
    config = {"agent": {"kind": "ntuple"}, "learner": {"start": "milestone"}}
    assert warning(RunFolder(folder), {"config": config}) == f"{told}; try a smaller alpha\n"
    assert warning(RunFolder(folder), {"config": {"agent": {"kind": "dqn"}}}) == f"{told}\n"


def test_a_run_that_has_not_says_nothing(tmp_path):
    done = inside(*SMALL, "episodes=3000", f"hydra.run.dir={tmp_path / 'run'}")
    assert done.returncode == 0, done.stderr
    assert "unlearned" not in done.stdout
