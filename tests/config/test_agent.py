"""Keys without effect are refused. Which keys an agent has use for: `test_setup.py`."""

import pytest

from tdl.config.agent import dqn_choices, refuse_changed, refuse_unused
from tdl.errors import ConfigError


def test_a_key_without_effect_is_refused():
    refuse_unused({"query": "", "hydra.run.dir": ""}, ("query",), "only query counts")
    with pytest.raises(ConfigError, match=r"^size: only query counts$"):
        refuse_unused({"query": "", "size": ""}, ("query",), "only query counts")
    values = {"lanes": 2, "search": {"cutoff": 0.0, "by_empty": []}}
    refuse_changed(values, values, ("lanes", "search"), "no agent")
    for changed, message in (
        ({"lanes": 3}, "lanes: 3 would change nothing with no agent; leave lanes as it is"),
        ({"search": {"cutoff": 0.1, "by_empty": []}}, "search.cutoff: 0.1 would change nothing with no agent; leave"),
        ({"search": {"cutoff": 0.0, "by_empty": [1]}}, "search.by_empty: would change nothing with no agent; leave"),
    ):
        with pytest.raises(ConfigError, match=f"^{message}"):
            refuse_changed(values | changed, values, ("lanes", "search"), "no agent")


def test_options_of_a_deep_q_learner_by_name():
    assert dqn_choices("dqn").network == "published"
    with pytest.raises(ConfigError, match="agent: 'ntuple' is not allowed; expected dqn or dqn_modern"):
        dqn_choices("ntuple")
