"""The checks of what every `meta.json` has, whatever it describes: the episode, and the arrays beside it."""

import math
import re
from functools import partial
from typing import Any

import numpy as np

from tdl.checks import (
    Check,
    check_file_name,
    check_list,
    check_mapping,
    check_object,
    check_text,
    check_true_or_false,
    check_whole,
)
from tdl.errors import ConfigError, refuse
from tdl.storage.array_head import MAGIC, MAX_HEAD

MAX_EPISODE = 10**12
"""Of a run: a hundred years of games."""

MAX_AXES = 4

_SIZE = partial(check_whole, least=0)


def check_description(meta: dict[str, Any]) -> None:
    """Refuse a description of which the checkpoint's own entries are missing, of another type, or out of range."""
    check_object("", meta, _ENTRIES, optional=("stays",))
    files = [array["file"] for array in meta["arrays"].values()]
    if len(set(files)) < len(files):
        raise ConfigError("arrays: two are of one file")


def _check_array(key: str, array: Any) -> None:
    check_object(key, array, _ARRAY)
    numbers = math.prod(array["shape"])
    if array["data_offset"] + numbers * np.dtype(array["dtype"]).itemsize != array["bytes"]:
        raise ConfigError(
            f"{key}.bytes: {array['bytes']} is not what {array['shape']} numbers {array['dtype']} take after the head"
        )


def _check_npy(key: str, name: Any) -> None:
    check_file_name(key, name)
    if not name.endswith(".npy"):  # what is no array is never deleted in the place of an old one
        raise refuse(key, name, "the name of a .npy file in this folder")


def _check_dtype(key: str, name: Any) -> None:
    if not isinstance(name, str) or not re.fullmatch(r"[|][b][1]|[|][iu]1|<[iu][248]|<f[248]", name):
        raise refuse(key, name, "a type of numbers, as <f4")


def _check_shape(key: str, shape: Any) -> None:
    check_list(key, shape, _SIZE)
    if len(shape) > MAX_AXES:
        raise refuse(key, shape, f"at most {MAX_AXES} axes")


def _check_sha256(key: str, digest: Any) -> None:
    if not isinstance(digest, str) or not re.fullmatch("[0-9a-f]{64}", digest):
        raise refuse(key, digest, "64 hex digits")


_ARRAY: dict[str, Check] = {
    "file": _check_npy,
    "dtype": _check_dtype,
    "shape": _check_shape,
    "bytes": _SIZE,
    "data_offset": partial(check_whole, least=len(MAGIC) + 2, below=MAX_HEAD + 1),
    "sha256": _check_sha256,
}

_ENTRIES: dict[str, Check] = {
    "format": check_text,
    "digest": _check_sha256,
    "episode": partial(check_whole, least=0, below=MAX_EPISODE + 1),
    "arrays": partial(check_mapping, check=_check_array),
    "stays": check_true_or_false,
}
