"""What a sweep goes over, and the warning at its start."""

import pytest
from omegaconf import OmegaConf
from support.sweeps import SHORT, sweep

from tdl.sweeps.sweep import forced_step_size, sweep_keys

FORCED = "is the step size of all learners of this sweep"


def of(*words, **params):
    """The part of Hydra's configuration that says what is swept."""
    return OmegaConf.create({"hydra": {"sweeper": {"params": params}, "overrides": {"task": [*words]}}})


def test_keys_of_several_values_and_learners_title_a_job():
    assert sweep_keys(of("learner=td", "gamma=0.9", "alpha=0.1", alpha="0.1,0.2", seed="0,1")) == ["learner", "seed"]


def test_one_step_size_for_learners_with_others_of_their_own(tmp_path):
    done = sweep(tmp_path, *SHORT, "learner=td,tc", "alpha=0.1")
    assert done.returncode == 0
    (line,) = (line for line in done.stderr.splitlines() if FORCED in line)
    assert line.startswith("tdl: warning: alpha=0.1 is")
    assert "whose own are td 0.1, tc 1;" in line
    assert "out=FOLDER" in line


@pytest.mark.parametrize(
    ("words", "params", "warned"),
    [
        (("learner=td,tc", "learner.alpha=0.1"), {}, True),
        (("alpha=0.5",), {"learner": "td,tc"}, True),
        (("learner=td,tc", "alpha=0.1,1"), {}, False),
        (("learner=td,tc", "alpha=null"), {}, False),
        (("learner=td,tc",), {}, False),
        (("learner=td,state", "alpha=0.5"), {}, False),  # of the same step size
        (("learner=tc", "alpha=0.1,0.2"), {}, False),
    ],
)
def test_where_it_is_said(words, params, warned):
    assert (FORCED in forced_step_size(of(*words, **params))) == warned
