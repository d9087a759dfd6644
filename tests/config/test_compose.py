"""Keys made of options, what OmegaConf makes of them, and options made of values.

Trusts the checks of single values, which the options call.
"""

import pickle
from dataclasses import dataclass

import pytest
from omegaconf import MISSING, OmegaConf
from omegaconf.errors import ConfigAttributeError, ConfigKeyError, ValidationError

from tdl.base.checks import above_zero, check_fields, choice, flag, share, whole
from tdl.config.compose import Key, Schema, changeable, key_hash, keys, options_of, word_of
from tdl.errors import ConfigError


@dataclass(frozen=True)
class Options:
    network: str
    depth: int = whole(1, least=1, most=4)
    cutoff: float = share(0.0)
    seconds: float | None = above_zero(None, null=True)
    pairs: tuple[tuple[int, int], ...] = ()
    table: int | str = "auto"
    kind: str = choice("drawn", ("drawn", "chosen"))
    shared: bool = flag(False)

    def __post_init__(self) -> None:
        check_fields(self)


@dataclass(frozen=True)
class Nullable:
    width: int = whole(3, least=1)


SCHEMA = Schema(
    __name__,
    {
        **keys(Options, "deep", without=("kind",), names={"shared": "share"}),
        **keys(Nullable, "maybe", null=True),
        "seed": Key(int),
    },
)

VALUES = {"deep": {"network": "net", "depth": 2, "cutoff": 0.1, "seconds": None, "pairs": [[2, 4]], "table": 3,
                   "share": True}, "maybe": {"width": None}, "seed": 5}  # fmt: skip


def test_each_field_of_options_is_a_key():
    names = ["network", "depth", "cutoff", "seconds", "pairs", "table", "share"]
    assert list(SCHEMA.keys) == [*(f"deep.{name}" for name in names), "maybe.width", "seed"]
    assert SCHEMA.sections == ("deep", "maybe")
    values = OmegaConf.to_container(SCHEMA.types)
    assert values["deep"] == {"network": MISSING, "depth": 1, "cutoff": 0.0, "seconds": None, "pairs": [],
                             "table": "auto", "share": False}  # fmt: skip
    assert (values["maybe"], values["seed"]) == ({"width": None}, MISSING)


def test_types_are_checked_while_hydra_composes():
    composed = OmegaConf.merge(SCHEMA.types, VALUES)
    assert SCHEMA.read(composed) == VALUES
    assert SCHEMA.read({**VALUES, "deep": {**VALUES["deep"], "cutoff": 1}})["deep"]["cutoff"] == 1.0
    assert pickle.loads(pickle.dumps(composed)) == composed  # as for another process
    with pytest.raises(ValidationError, match="'deep' of type 'str' could not be converted to Integer"):
        OmegaConf.merge(SCHEMA.types, {"deep": {"depth": "deep"}})
    for unknown in ({"deep": {"dept": 2}}, {"sed": 2}):
        with pytest.raises((ConfigKeyError, ConfigAttributeError)):
            OmegaConf.merge(SCHEMA.types, unknown)


def test_a_file_of_an_older_version_lacks_keys_that_have_a_default():
    older = {**VALUES, "deep": {"network": "net", "depth": 2}}
    assert SCHEMA.read(older)["deep"] == {"network": "net", "depth": 2, "cutoff": 0.0, "seconds": None, "pairs": [],
                                          "table": "auto", "share": False}  # fmt: skip


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({**VALUES, "sed": 1}, "sed: no such key; expected one of deep, maybe, seed; did you mean 'seed'?"),
        ({**VALUES, "maybe": {"widht": 1}}, "maybe.widht: no such key; expected one of width; did you mean 'width'?"),
        ({**VALUES, "deep": 3}, "deep: 3 is not allowed; expected values for its keys"),
        ({"deep": {"network": "net"}, "seed": 1}, "maybe: missing; a configuration of this version has it"),
        ({**VALUES, "deep": {}}, "deep.network: missing; a configuration of this version has it"),
    ],
)
def test_keys_that_there_are_not_are_refused(values, message):
    with pytest.raises(ConfigError) as error:
        SCHEMA.read(values)
    assert str(error.value) == message


def test_options_are_made_of_a_section_and_say_its_keys():
    names = {"shared": "share"}
    options = options_of(Options, "deep", VALUES["deep"], names=names, kind="chosen", pairs=())
    assert options == Options("net", 2, 0.1, None, (), 3, "chosen", True)
    for value, message in (
        ({"depth": 5}, "deep.depth: 5 is not allowed; expected a whole number from 1 to 4"),
        ({"cutoff": 1.5}, "deep.cutoff: 1.5 is not allowed; expected a number from 0 to 1"),
        ({"seconds": 0.0}, "deep.seconds: 0.0 is not allowed; expected a number above 0"),
    ):
        with pytest.raises(ConfigError) as error:
            options_of(Options, "deep", {**VALUES["deep"], **value}, names=names)
        assert str(error.value) == message


def test_some_keys_are_not_part_of_a_configurations_identity():
    assert (
        key_hash({"seed": 1, "resume": "there", "logger": "wandb"}) == key_hash({"seed": 1}) != key_hash({"seed": 2})
    )


def test_a_device_is_part_of_it_where_bits_depend_on_it():
    table, deep = ({"agent": {"kind": kind}, "device": "cpu"} for kind in ("ntuple", "dqn"))
    assert key_hash(table) == key_hash(table | {"device": "cuda"})
    assert key_hash(deep) != key_hash(deep | {"device": "cuda"})
    assert "device" in changeable(table)
    assert set(changeable(table)) - set(changeable(deep)) == {"device"}


@pytest.mark.parametrize(
    ("text", "word"),
    [("outputs/a", "out=outputs/a"), ("a b", "out='a b'"), ("it's", r"out='it\'s'"), ("a,b", "out='a,b'")],
)
def test_words_that_hydra_takes_letter_by_letter(text, word):
    assert word_of("out", text) == word
