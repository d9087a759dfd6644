"""Weight files put together byte by byte, as other programs write them, and the program `tdl convert` run on them."""

import itertools
import struct
from pathlib import Path

import numpy as np

import tdl
from support.programs import inside
from tdl.cli import convert
from tdl.learning.state import ACCUMULATORS
from tdl.network.tuples import symmetries
from tdl.storage.checkpoint import read_array, read_meta, write_checkpoint

DATA = Path(__file__).parents[1] / "data"
PEER_FILE = DATA / "2x4patt_td.w"
PAIRS = [line.split("\t") for line in (DATA / "2x4patt_td.pairs.tsv").read_text().splitlines()]

TINY = np.finfo(np.float32).tiny
ENDED = struct.pack("<H", 0)


def floats(seed, size):
    return np.random.default_rng(seed).random(size, np.float32) * 200 - 100


def sums_of(seed, size):
    """E and A as learning leaves them: |E| at most A, some entries never moved."""
    absolute = np.abs(floats(seed, size))
    signed = absolute * np.linspace(-1, 1, size, dtype=np.float32)
    signed[::3] = absolute[::3] = TINY
    return [signed, absolute]


def block(*columns, dtype="<f4"):
    data = b"".join(np.asarray(column, dtype).tobytes() for column in columns)
    return struct.pack("<HQ", np.dtype(dtype).itemsize, sum(map(len, columns))) + data


def label(name, digits=None):
    return struct.pack("<IHH", int(name, 16), len(name) if digits is None else digits, 0)


def table(name, *columns, dtype="<f4", more=b""):
    """A table of a `.w` file. `name`: cells, or 8 bytes."""
    first, rest = columns[0], columns[1:]
    sums = block(*rest, dtype=dtype) if rest else b""
    named = name if isinstance(name, bytes) else label(name)
    return b"\x04" + named + block(first, dtype=dtype) + sums + more + ENDED


def container(*tables, tag=b""):
    return tag + struct.pack("<BI", 0, len(tables)) + b"".join(tables)


def pattern(name, weights, title=None):
    """A table of a `.bin` file."""
    title = (f"{len(name)}-tuple pattern {name}" if title is None else title).encode()
    return struct.pack("<i", len(title)) + title + struct.pack("<Q", len(weights)) + weights.tobytes()


def demo(*patterns):
    return struct.pack("<Q", len(patterns)) + b"".join(patterns)


SMALL_TC = container(*(table(name, floats(i, 256), *sums_of(i, 256)) for i, name in enumerate(("01", "59"))))
SMALL_TD = container(table("01", floats(0, 256)), table("012", floats(1, 4096)))
SMALL_DEMO = demo(pattern("01", floats(0, 256)), pattern("59a", floats(1, 4096)))


def written(path, data):
    path.write_bytes(data)
    return path


def _convert(words):
    return inside(program=lambda: convert.main([str(word) for word in words]))


def converted(*words):
    done = _convert(words)
    assert done.returncode is None, done.stderr
    return Path(words[1]), done.stdout


def complaint(*words):
    """The one line with which the program ends."""
    done = _convert(words)
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    return line


def stored(folder):
    """Description and arrays of a checkpoint that stands in its folder."""
    meta = read_meta(folder)
    return meta, {name: read_array(folder, meta, name) for name in meta["arrays"]}


def saved(folder, network, sums=None, **learner):
    """A checkpoint of a network."""
    meta = {"episode": 3, "rules": network.rules.to_dict(), "network": network.describe(),
            "learner": {"gamma": 1.0, "target": "afterstate", **learner}}  # fmt: skip
    write_checkpoint(folder, meta, {"weights": network.weights} | ({} if sums is None else {ACCUMULATORS: sums}))
    return folder


def network_of(cells, *, rules=None, kind=tdl.TupleSet, **more):
    """A network with random weights."""
    network = tdl.NTupleNetwork(rules, kind(cells, **more))
    for number in range(len(network.lengths)):
        network.set_table(number, floats(number, network.layout.size(number)))
    return network


def images(board):
    """A board, given as 16 tile indices, in all its symmetric images."""
    return [[board[cell] for cell in image] for image in symmetries(4, 4)]


def mono(board, lines):
    """The index of an order feature there, by its definition in the docstring of `tdl2048`."""
    index = bit = 0
    for line in lines:
        for first, second in itertools.combinations(line, 2):
            one, other = board[first], board[second]
            if one or other:
                index |= (one >= other) << bit | (other >= one) << bit + 1
            bit += 2
    return index


def boards():
    rng = np.random.default_rng(0)
    return [[int(tile) for tile in rng.integers(0, 16, 16) * (rng.random(16) < 0.6)] for _ in range(50)]


def packed(board):
    return sum(tile << 4 * cell for cell, tile in enumerate(board))
