"""What Hydra composes of the files of `conf/`: every choice is allowed, and stands for what its file says.

Trusts OmegaConf as the reader of a file as it stands there.
"""

import re
from importlib import resources

import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf
from support.composing import composed_once

import tdl
from tdl.config.files import group_file
from tdl.config.setup import Setup
from tdl.errors import ConfigError
from tdl.network.tuples import TupleSet, symmetries

CONF = resources.files("tdl.conf")

NAMES = {group: sorted(path.name.removesuffix(".yaml") for path in (CONF / group).iterdir()) for group in
         ("agent", "experiment", "game", "learner", "placer", "tiles", "tuples")}  # fmt: skip


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("alpha=0.5", "tuples.cells=[[0,1]]", "+more=1", "hydra.run.dir=there"),
        ("game=2584", "learner=tc", "tiles=p75_25", "learner.td_lambda=0.5"),
        ("experiment=learners", "seed=3"),
        ("agent=dqn", "hydra/launcher=basic"),
        ("learner={step:coherent}",),
    ],
    ids=" ".join,
)
def test_what_tests_remember_of_hydra_is_what_it_composes(anew, words):
    """Also when another value was given before, and when what was remembered was changed by whom it was given to."""
    expected = anew(*words, return_hydra_config=True)
    with pytest.MonkeyPatch.context() as patch:
        composed_once(patch)
        anew(*words, "episodes=77").episodes = 78
        assert anew(*words, return_hydra_config=True) == expected
        remembered = anew(*words, return_hydra_config=True)
    assert OmegaConf.to_yaml(remembered) == OmegaConf.to_yaml(expected)
    assert {key: OmegaConf.get_type(remembered, key) for key in expected} == {
        key: OmegaConf.get_type(expected, key) for key in expected
    }


@pytest.mark.parametrize("name", NAMES["tuples"])
def test_every_tuple_set_composes(composed, name):
    board = group_file("tuples", name)["board"]
    shape = Setup.of(composed(f"tuples={name}", f"size={board}")).network.tuples
    assert shape == tdl.tuple_set(name)
    sizes = re.match(r"(\d+)x(\d+)(?!.*full)", name if board == "4x4" else name.removeprefix(f"{board}_"))
    if sizes:
        tuples, length = int(sizes[1]), int(sizes[2])
        assert [len(cells) for cells in shape.cells[:tuples]] == [length] * tuples
        assert len(shape.cells) == tuples or name.endswith("_redundant")
    assert bool(shape.orders) == ("order" in name)
    assert bool(shape.counts) == ("count" in name)


def test_cells_of_ones_own_are_those_of_the_board_of_the_run(composed):
    """Not of the board of the set that they stand in the place of; and this board is no part of the set."""
    setup = Setup.of(composed("tuples.cells=[[0,1,2,3,4,5]]", "size=2x3"))
    assert setup.network.tuples == TupleSet(((0, 1, 2, 3, 4, 5),))
    assert (setup.rules.rows, setup.rules.cols) == (2, 3)
    assert "board" not in setup.network.tuples.to_dict()
    with pytest.raises(ConfigError, match="cells of 4x6 are numbered on a 4x4 board, and size is 4x5"):
        Setup.of(composed("size=4x5"))
    taken = Setup.of(composed("size=4x5", "tuples.board=null"))
    assert taken.network.tuples == tdl.tuple_set("4x6")


def test_redundant_tuples_are_parts_of_the_others():
    """Straight lines of 4 and squares of 2x2, in some image a part of a 6-tuple, and no two alike."""
    cells = tdl.tuple_set("4x6_redundant").cells
    large, small = cells[:4], cells[4:]
    assert large == tdl.tuple_set("4x6").cells
    images = [[frozenset(image[cell] for cell in each) for image in symmetries(4, 4)] for each in small]
    assert all(any(image <= set(each) for image in seen for each in large) for seen in images)
    assert len({frozenset(seen) for seen in images}) == len(small)


@pytest.mark.parametrize(("group", "name"), [(group, name) for group in ("agent", "game", "learner", "placer", "tiles")
                                             for name in NAMES[group]])  # fmt: skip
def test_every_choice_composes(composed, group, name):
    Setup.of(composed(f"{group}={name}", "budget.moves=1000"))


def test_tile_rules_are_data(composed):
    for rule in ("tiles=p75_25", "tiles.drop=[[1,0.75],[3,0.25]]"):
        for game in NAMES["game"]:
            rules = Setup.of(composed(f"game={game}", rule, "tiles.start=[drop,3]")).rules
            assert (rules.game, rules.drop, rules.start) == (game, ((1, 0.75), (3, 0.25)), ("drop", 3))


def _swept(name: str) -> dict[str, object]:
    """The sweep of an experiment's file over those of the experiments that it goes on from."""
    file = OmegaConf.load(CONF / "experiment" / f"{name}.yaml")
    bases = [base for base in file.get("defaults", []) if isinstance(base, str) and base != "_self_"]
    own = OmegaConf.select(file, "hydra.sweeper.params", default={})
    return {key: value for sweep in (*map(_swept, bases), own) for key, value in sweep.items()}


@pytest.mark.parametrize("name", NAMES["experiment"])
def test_every_experiment_wins_over_the_defaults(composed, name):
    """Each value in its file is the value of the composed configuration; each value of its sweep is allowed.

    One that goes on from another sweeps what that one sweeps, too.
    """
    cfg = composed(f"experiment={name}", return_hydra_config=True)
    file = OmegaConf.load(CONF / "experiment" / f"{name}.yaml")
    for key in set(file) - {"defaults", "hydra"}:
        assert OmegaConf.merge(cfg[key], file[key]) == cfg[key] if OmegaConf.is_config(file[key]) else file[key]
        assert OmegaConf.is_config(file[key]) or cfg[key] == file[key]
    chosen = OmegaConf.to_container(cfg.hydra.runtime.choices)
    for override in OmegaConf.to_container(file.get("defaults", OmegaConf.create([]))):
        if isinstance(override, str):  # another experiment that this one goes on from
            assert override == "_self_" or override in NAMES["experiment"]
            continue
        ((group, choice),) = override.items()
        assert chosen[group.removeprefix("override").strip(" /")] == choice
    sweep = _swept(name)
    assert OmegaConf.to_container(cfg.hydra.sweeper)["params"] == (sweep or None)
    for key, values in sweep.items():
        for value in OverridesParser.create().parse_override(f"{key}={values}").sweep_string_iterator():
            Setup.of(composed(f"experiment={name}", f"{key}={value}"))
