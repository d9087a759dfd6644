"""Sections derived from options: fields, types and checks of the options, and what OmegaConf makes of them."""

import pickle
from dataclasses import dataclass, fields
from typing import Any

import pytest
from omegaconf import MISSING, OmegaConf
from omegaconf.errors import ConfigKeyError, MissingMandatoryValue, ValidationError

from tdl.base.checks import above_zero, check_fields, choice, flag, share, whole
from tdl.config.options import options_of
from tdl.config.schema import LearnerConfig
from tdl.config.sections import section
from tdl.config.unused import refuse_changed, refuse_unused
from tdl.errors import ConfigError


@dataclass(frozen=True)
class Options:
    depth: int = whole(1, least=1, most=4)
    cutoff: float = share(0.0)
    seconds: float | None = above_zero(None, null=True)
    pairs: tuple[tuple[int, int], ...] = ()
    table: int | str = "auto"
    kind: str = choice("drawn", ("drawn", "chosen"))
    shared: bool = flag(False)

    def deep(self) -> bool:
        return self.depth > 1


@section("kind", optional=("pairs", "shared"))
class Keys(Options):
    """What is configured."""

    network: str | None = MISSING


@section(null=True)
class Nullable(Options):
    own: str = MISSING


@dataclass
class Program:
    keys: Any = None
    seed: int = whole(MISSING, least=0)


VALUES = {"depth": 2, "cutoff": 0.1, "seconds": None, "table": 3, "network": None}


def test_a_section_has_the_fields_of_its_options_and_its_own():
    names = ["depth", "cutoff", "seconds", "pairs", "table", "shared", "network"]
    assert [each.name for each in fields(Keys)] == names
    assert (Keys.__name__, Keys.__module__, Keys.__doc__) == ("Keys", __name__, "What is configured.")
    assert not hasattr(Keys, "deep")


def test_values_stand_in_files_but_for_optional_ones():
    plain = Keys()
    assert {plain.depth, plain.cutoff, plain.seconds, plain.table, plain.network} == {MISSING}
    assert (plain.pairs, plain.shared) == ([], False)
    with pytest.raises(MissingMandatoryValue):
        OmegaConf.to_object(OmegaConf.structured(Keys))
    assert all(getattr(Nullable(), each.name) is None for each in fields(Nullable) if each.name != "own")


def test_types_are_checked_while_hydra_composes():
    keys = OmegaConf.structured(Keys)
    merged = OmegaConf.merge(keys, VALUES | {"pairs": [[2, 4]]})
    assert (merged.depth, merged.pairs, merged.table) == (2, [[2, 4]], 3)
    with pytest.raises(ValidationError, match="'deep' of type 'str' could not be converted to Integer"):
        OmegaConf.merge(keys, {"depth": "deep"})
    with pytest.raises(ConfigKeyError):
        OmegaConf.merge(keys, {"dept": 2})
    assert OmegaConf.merge(OmegaConf.structured(Nullable), {"depth": None, "cutoff": 0.5}).cutoff == 0.5


def test_options_are_made_of_a_section():
    section = OmegaConf.to_object(OmegaConf.merge(OmegaConf.structured(Keys), VALUES))
    assert options_of(Options, "keys", section, kind="chosen", pairs=()) == Options(
        2, 0.1, None, (), 3, "chosen", False
    )


def test_sections_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(LearnerConfig())) == LearnerConfig()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ({"depth": 0}, "keys.depth: 0 is not allowed; expected a whole number from 1 to 4"),
        ({"depth": 5}, "keys.depth: 5 is not allowed; expected a whole number from 1 to 4"),
        ({"depth": True}, "keys.depth: True is not allowed; expected a whole number from 1 to 4"),
        ({"cutoff": 1.5}, "keys.cutoff: 1.5 is not allowed; expected a number from 0 to 1"),
        ({"seconds": 0.0}, "keys.seconds: 0.0 is not allowed; expected a number above 0"),
        ({"shared": 1}, "keys.shared: 1 is not allowed; expected true or false"),
        ({"kind": "chose"}, "keys.kind: 'chose' is not allowed; expected drawn or chosen; did you mean 'chosen'?"),
    ],
)
def test_each_field_is_checked(value, message):
    for options in [Options(**value)] + ([] if "kind" in value else [Keys(**VALUES | value)]):
        with pytest.raises(ConfigError) as error:
            check_fields(Program(options, seed=0))
        assert str(error.value) == message
    check_fields(Program(Options(), seed=3))


def test_a_key_without_effect_is_refused():
    refuse_unused({"query": "", "hydra.run.dir": ""}, ("query",), "only query counts")
    with pytest.raises(ConfigError, match=r"^size: only query counts$"):
        refuse_unused({"query": "", "size": ""}, ("query",), "only query counts")
    plain = {"lanes": 2, "search": {"cutoff": 0.0, "by_empty": []}}
    refuse_changed(plain, plain, ("lanes", "search"), "no agent")
    for changed, message in (
        ({"lanes": 3}, "lanes: 3 would change nothing with no agent; leave lanes as it is"),
        ({"search": {"cutoff": 0.1, "by_empty": []}}, "search.cutoff: 0.1 would change nothing with no agent; leave"),
        ({"search": {"cutoff": 0.0, "by_empty": [1]}}, "search.by_empty: would change nothing with no agent; leave"),
    ):
        with pytest.raises(ConfigError, match=f"^{message}"):
            refuse_changed(plain | changed, plain, ("lanes", "search"), "no agent")
