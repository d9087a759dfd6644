"""Warnings at the start of a sweep."""

import pytest
from support.sweeps import SHORT, sweep

FORCED = "is the step size of all learners of this sweep"


def test_one_step_size_for_learners_with_others_of_their_own(tmp_path):
    done = sweep(tmp_path, *SHORT, "learner=td,tc", "alpha=0.1")
    assert done.returncode == 0
    (line,) = (line for line in done.stderr.splitlines() if FORCED in line)
    assert line.startswith("tdl: warning: alpha=0.1 is")
    assert "whose own are td 0.1, tc 1;" in line
    assert "out=FOLDER" in line


@pytest.mark.parametrize(
    ("words", "warned"),
    [
        (("learner=td,tc", "learner.alpha=0.1"), True),
        (("experiment=learners_seconds", "budget.seconds=0.01", "seed=0", "learner.td_lambda=0", "alpha=0.5"), True),
        (("learner=td,tc", "alpha=0.1,1"), False),
        (("learner=td,tc", "alpha=null"), False),
        (("learner=td,tc",), False),
        (("learner=td,state", "alpha=0.5"), False),  # of the same step size
        (("learner=tc", "alpha=0.1,0.2"), False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_where_it_is_said(tmp_path, words, warned):
    done = sweep(tmp_path, *SHORT, *words)
    assert done.returncode == 0, done.stderr
    assert (FORCED in done.stderr) == warned
