"""The text of kernels for one game and network: constants, then headers.

Constants are what a GPU is fast by: which bits of a board are an index is known when the text is compiled.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tdl.errors import ConfigError
from tdl.game.lines import LineTables
from tdl.game.rules import DROP, Rules
from tdl.network.layout import Paired16, TableLayout
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

FOLDER = Path(__file__).parent
"""Of `boards.h` and `warps.h`."""

IMAGES = 8

_INCLUDE = re.compile(r'^#include "(.+)"$', re.MULTILINE)


def text_with(constants: Mapping[str, object], header: Path) -> str:
    """A header with all that it includes, from its folder or from this one, after constants named TDL_NAME."""
    lines = [f"#define TDL_{name} {value}" for name, value in constants.items()]
    return "\n".join([*lines, _with_includes(header)])


def _with_includes(header: Path) -> str:
    def included(match: re.Match[str]) -> str:
        beside = header.with_name(match[1])
        return _with_includes(beside if beside.exists() else FOLDER / match[1])

    return _INCLUDE.sub(included, header.read_text())


def constants_of(network: NTupleNetwork, tables: LineTables) -> dict[str, object]:
    """The constants of `boards.h`.

    Parameters
    ----------
    tables : of the network's rules.

    Raises
    ------
    ConfigError : a board or a network that the kernels are not made for.
    """
    check_shape(network.rules, network.tuples)
    if len(network.weights) >= 2**32:
        raise ConfigError("device=cuda: expected less than 2^32 weights")
    return _game(network.rules) | _rows(tables) | _stages(network) | _features(network)


def image_entries(network: NTupleNetwork) -> int:
    """TDL_ENTRIES: of one image of a board, at most."""
    return len(network.features[::IMAGES]) + len(network.orders[::IMAGES]) + -(-len(network.counts) // IMAGES)


def row_table(tables: LineTables) -> NDArray[np.uint32 | np.uint64]:
    """Each row slid to its first cell, and above its bits the reward in units, for the kernels' `rows`."""
    slid = tables.rows_slid.astype(np.uint64)
    packed = slid[:, 0] | slid[:, 2] // np.uint64(_reward_unit(tables)) << np.uint64(4 * tables.bits)
    return packed.astype(_row_type(tables))


def check_shape(rules: Rules, tuples: TupleSet) -> None:
    """Refuse boards and tuples that the kernels are not made for."""
    if rules.rows != 4 or rules.cols != 4:
        raise ConfigError(f"device=cuda: a board of {rules.rows}x{rules.cols} is not done; expected 4x4")
    if not (tuples.symmetries and tuples.share):
        raise ConfigError("device=cuda: expected tuples.symmetries=true and tuples.share=true")


def _game(rules: Rules) -> dict[str, object]:
    *drops, (last, _) = rules.thresholds
    dropped = "".join(f"low < {below}u ? {tile} : " for tile, below in drops)
    return {
        "BITS": rules.bits,
        "VALUES": list_text(rules.value(tile) for tile in range(2**rules.bits)),
        "FIRST": list_text(0 if tile == DROP else int(tile) for tile in rules.start),
        "DROPPED(low)": f"({dropped}{last})",
    }


def _rows(tables: LineTables) -> dict[str, object]:
    return {"ROW": f"{_row_type(tables).__name__}_t", "REWARD_UNIT": _reward_unit(tables)}


def _row_type(tables: LineTables) -> type[np.uint32 | np.uint64]:
    """As small as it can be: a GPU's caches hold more of it."""
    most = int(tables.rows_slid[:, 2].max()) // _reward_unit(tables)
    return np.uint32 if most >> (32 - 4 * tables.bits) == 0 else np.uint64


def _reward_unit(tables: LineTables) -> int:
    return int(np.gcd.reduce(tables.rows_slid[:, 2])) or 1


def _stages(network: NTupleNetwork) -> dict[str, object]:
    stages, rules = network.stages, network.rules
    names: dict[str, object] = {"STAGES": stages.count, "STRIDE": f"{network.stride}u"}
    if stages.count > 1:
        names |= {"THRESHOLDS": list_text(stages.thresholds), "BY_SUM": int(stages.by == "sum")}
    names["LOWERED"] = stages.downgrade or 0
    if stages.downgrade:
        tiles = range(2**rules.bits)
        mates = ([b for b in tiles[1:] if max(a, b) <= rules.largest and rules.merge(a, b)] for a in tiles)
        names["MATES"] = list_text(f"{sum(2**b for b in each_mates)}u" for each_mates in mates)
    return names


def _features(network: NTupleNetwork) -> dict[str, object]:
    """How many entries a board has, and the text of each: X(number, index)."""
    imaged, counted = [*_tuples(network), *_orders(network)], list(_counts(network))
    return {
        "RADIX": f"{network.layout.radix}u",
        "COUNT_CAP": network.tuples.count_cap,
        "IMAGED": len(imaged),
        "COUNTED": len(counted),
        "IMAGED_ENTRIES(X, seen, turned)": " ".join(f"X({k}, {index})" for k, index in enumerate(imaged)),
        "COUNTED_ENTRIES(X, board)": " ".join(f"X({k}, {index})" for k, index in enumerate(counted)),
    }


def _tuples(network: NTupleNetwork) -> Iterator[str]:
    """The index of each tuple on one image, `seen`; `turned` is that image by half a turn."""
    halves = isinstance(network.layout, Paired16)
    for table, cells in network.features[::IMAGES]:
        where = network.layout.tables[table]
        digits = [cells[i] for i in where.order]
        if halves and network.rules.bits == 4:
            index = " | ".join(_runs(digits))
        else:
            index = " + ".join(f"tdl_digit(seen, {c}) * {network.layout.radix**k}u" for k, c in enumerate(digits))
        yield f"{_placed(index, where) if halves else index} + {where.base}u"


def _placed(index: str, where: TableLayout) -> str:
    """The steps of `Paired16` after the order."""
    if where.paired:
        index = f"tdl_paired({index})"
    elif len(where.order) > 1:
        index = f"tdl_packed({index})"
    return f"tdl_folded({index})"


def _runs(digits: Sequence[int]) -> Iterator[str]:
    """Digits that are neighbours on the board, or on the board by half a turn, are moved together."""
    k = 0
    while k < len(digits):
        ways = [(_run(digits[k:], 1), "seen", digits[k]), (_run(digits[k:], -1), "turned", 15 - digits[k])]
        length, board, cell = max(ways, key=lambda way: way[0])
        yield f"((uint32_t)({board} >> {4 * cell}) & {16**length - 1}u) << {4 * k}"
        k += length


def _run(digits: Sequence[int], step: int) -> int:
    """How many of the first digits are cells that follow each other."""
    return next((i for i, cell in enumerate(digits) if cell != digits[0] + step * i), len(digits))


def _orders(network: NTupleNetwork) -> Iterator[str]:
    for table, pairs in network.orders[::IMAGES]:
        bits = (f"tdl_pair(seen, {a}, {b}, {p}, {len(pairs)})" for p, (a, b) in enumerate(pairs))
        yield f"({' | '.join(bits)}) + {network.layout.tables[table].base}u"


def _counts(network: NTupleNetwork) -> Iterator[str]:
    base = network.tuples.count_cap + 1
    for table, tiles in network.counts:
        there = ((k, tile) for k, tile in enumerate(tiles) if tile <= network.rules.largest)
        digits = [f"tdl_counted(board, {tile}) * {base**k}u" for k, tile in there]
        yield " + ".join([*digits, f"{network.layout.tables[table].base}u"])


def list_text(items: Iterator[object] | Sequence[object]) -> str:
    return f"{{{', '.join(map(str, items))}}}"
