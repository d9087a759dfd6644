"""Keywords of Python become the words of a command line, and what no word can say is refused."""

import functools
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tdl
from tdl.cli.keywords import KEYS, TYPES, seed_values, words_of
from tdl.config.compose import takes_list
from tdl.config.files import GROUPS, group_names
from tdl.errors import ConfigError
from tdl.network.tuples import TupleSet

STUB = Path(tdl.__file__).parent / "cli" / "run_keywords.pyi"

HEAD = '''\
"""The keywords of `tdl.train` with their types: keys of a run, those of sections with an underscore.

What each means stands beside it in `conf/run.yaml` and in the groups. `tests/cli/test_keywords.py` writes this file.
"""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias, TypedDict, TypeVar

from tdl.network.tuples import TupleSet

Value = TypeVar("Value")

Some: TypeAlias = Value | Iterable[Value]
"""A value, or several: then each is a run."""

class Keywords(TypedDict, total=False):
    """The keys of a run. Where a list is a value of its own there is but one."""

'''


@pytest.mark.parametrize(
    ("keywords", "words", "runs"),
    [
        ({"alpha": 0.1, "tuples": "4x6"}, ["tuples='4x6'", "alpha=0.1"], 1),  # groups first, as keys may change them
        ({"alpha": [0.1, 0.3], "seed": range(2)}, ["alpha=0.1,0.3", "seed=0,1"], 4),
        ({"alpha": np.array([0.5, 1])}, ["alpha=0.5,1.0"], 2),
        ({"episodes": 1e4, "block": np.int64(5)}, ["episodes=10000", "block=5"], 1),
        ({"learner_td_lambda": 0.5, "evaluate.plies": 2}, ["learner.td_lambda=0.5", "evaluate.plies=2"], 1),
        ({"tuples_cells": [[0, 1], [2, 3]]}, ["tuples.cells=[[0,1],[2,3]]"], 1),  # one value
        ({"tuples": ["2x4", "4x6"]}, ["tuples='2x4','4x6'"], 2),
        ({"game": 2048}, ["game='2048'"], 1),
        (
            {"alpha": [np.float32(0.5)], "learner_schedule": {np.int64(0): np.float32(0.5)}},
            ["learner.schedule={0:0.5}", "alpha=0.5"],
            1,
        ),
        ({"round": ["0:10", "100:20"]}, ["round=['0:10','100:20']"], 1),
        ({"save_moves": [1000, 5000]}, ["save.moves=[1000,5000]"], 1),
        ({"alpha": None, "learner_promotion": False}, ["learner.promotion=false", "alpha=null"], 1),
        ({"resume": Path("outputs/it's")}, [r"resume='outputs/it\'s'"], 1),
    ],
)
def test_words_of_keywords(keywords, words, runs):
    assert words_of(keywords) == (words, runs)


DEEP = functools.reduce(lambda value, _: [value], range(30_000), [])


@pytest.mark.parametrize(
    ("keywords", "telling"),
    [
        ({"alhpa": 0.1}, "alhpa: no such keyword of tdl.train; did you mean 'alpha'"),
        ({"learner_lambda": 0.5}, "did you mean 'learner_td_lambda'"),
        ({"alpha": []}, "alpha: [] is not allowed; expected at least one value"),
        ({"lr": 0.1}, "lr: no such keyword of tdl.train; did you mean 'alpha'?"),
        ({"lam": 0.1}, "lam: no such keyword of tdl.train; did you mean 'learner_td_lambda'?"),
        ({"save_dir": "here"}, "save_dir: no such keyword of tdl.train; did you mean 'out'?"),
        ({"tuples": 5}, "tuples: 5 is not allowed; expected a name, or several; single keys are tuples_cells"),
        ({"tuples": [[0, 1], ["a"]]}, "tuples.cells: 'a' is not allowed; expected whole numbers"),
        ({"learner_schedule": lambda episode: 0.1}, "; tdl.Trainer takes functions, which no run can save"),
        ({"alpha": 10**400}, "… is not allowed; expected a number of at most 308 digits"),
        ({"seed": [1, -(10**5000)]}, "seed: a number of more than 4,300 digits is not allowed; expected a number of"),
        ({"alpha": DEEP}, "alpha: a list in too many others is not allowed; expected a value"),
        ({"epochs": 1}, "epochs: no such keyword of tdl.train; did you mean 'agent_epochs' or 'replicas' or"),
        ({"alpha": object}, "expected a number, a text, None, or a list of these"),
    ],
)
def test_what_no_word_can_say_is_refused(keywords, telling):
    with pytest.raises(ConfigError) as caught:
        words_of(keywords)
    assert telling in str(caught.value)


@pytest.mark.parametrize("cells", [[[0, 1], [2, 3]], ((0, 1), (2, 3)), np.array([[0, 1], [2, 3]])], ids=repr)
def test_a_tuple_set_of_ones_own_is_its_single_keys(cells):
    words, runs = words_of({"tuples": cells, "tuples_share": False})
    assert runs == 1
    assert words[:3] == ["tuples.cells=[[0,1],[2,3]]", "tuples.symmetries=true", "tuples.share=false"]
    assert words_of({"tuples": TupleSet(cells, share=False)}) == (words, runs)


def typed_keywords():
    """The text of `tdl/cli/run_keywords.pyi`, by which editors and mypy know the keywords of `tdl.train`."""
    several = {"game": "Some[str | int]", "tuples": "Some[str] | TupleSet | Sequence[Sequence[int]]"}
    lines = [f"    {name}: {several.get(name) or _hint(key, TYPES[key])}" for name, key in KEYS.items()]
    return HEAD + "\n".join(lines) + "\n"


def _hint(key, kind):
    if takes_list(key, kind):
        return "Any" if kind is Any else "Sequence[Any]"
    names = getattr(kind, "__name__", "Any") if kind in (Any, bool, float, int, str) else str(kind)
    return f"Some[{names.replace(' |', ' | str |', 1) if key.endswith('seconds') else names}]"  # "5min"


def test_typed_keywords_are_those_of_the_schema():
    """A new key needs `PYTHONPATH=. python tests/cli/test_keywords.py`, which writes the file again."""
    assert STUB.read_text() == typed_keywords()


def test_every_group_is_a_keyword():
    assert all(group_names(group) for group in GROUPS)


def test_seeds_by_their_number():
    assert seed_values(3) == [0, 1, 2]
    assert seed_values([4, 2]) == [4, 2]
    for wrong in (0, -1, 1.5, "3", [1, -1]):
        with pytest.raises(ConfigError, match="seeds: "):
            seed_values(wrong)


if __name__ == "__main__":
    STUB.write_text(typed_keywords())
