"""Files and values changed at random, as damage and malice change them; the same for the same `random.Random`."""

import contextlib
import copy
import hashlib
import json
import os
import shutil
import struct

import numpy as np

from support.forged import signed

NASTY = [
    None, True, False, 0, -1, 1, 2, 7, 2**31, 2**32, 2**63 - 1, 2**63, -(2**63), 10**18, 10**40, 0.0, -0.0, 0.5,
    1e-320, 1e300,
    -1e300, float("nan"), float("inf"), "", "x", "0", "1e3", "auto", "null", "../x", "/etc/passwd", "/dev/zero",
    "a\nb", "\x1b[2J", "\0", "\u202e", "é", "x" * 5000, "${oc.env:HOME}", "${now:%Y}", "???", "@x", "<script>", [], {},
    [[]], [[], []], [0], [1, 2], ["x"], [[0, 1]], {"a": 1}, {"": 0}, [0] * 3000, [[0, 1]] * 1500,
    {"x": {"y": {"z": []}}},
]  # fmt: skip

EXTREMES = [b"\0" * 8, b"\xff" * 8]
EXTREMES += [struct.pack("<Q", 2**power + by) for power in (15, 31, 32, 63) for by in (-1, 0)]


def places(value, above=()):
    """The paths to all entries of nested objects and lists."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield (*above, name)
        yield from places(item, (*above, name))


def at(value, place):
    """The entry of a path."""
    for name in place:
        value = value[name]
    return value


def changed_json(value, chance):
    """A copy with one entry, or a few, deleted, replaced, moved, wrapped or added."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        found = list(places(value))
        if not found:
            return value
        place = chance.choice(found)
        above, name = at(value, place[:-1]), place[-1]
        how = chance.randrange(8)
        if how == 0:
            del above[name]
        elif how == 1:
            above[name] = copy.deepcopy(at(value, chance.choice(found)))
        elif how == 2:
            depth = chance.choice((1, 2, 40, 2000))
            for _ in range(depth):
                above[name] = [above[name]]
            if depth > 2:
                return value
        elif how == 3 and isinstance(above, dict):
            above[chance.choice(("x", "", "..", "\n", "eval_x", "weights", "kind", "run"))] = chance.choice(NASTY)
        elif how == 4 and isinstance(above[name], int | float) and not isinstance(above[name], bool):
            above[name] = chance.choice((above[name] + 1, -above[name], above[name] * 1e9, above[name] / 3))
        else:
            above[name] = copy.deepcopy(chance.choice(NASTY))
    return value


def changed_bytes(content, chance):
    """A copy with bytes flipped, replaced, cut, inserted or repeated."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 3, 10))):
        place = chance.randrange(min(len(data), chance.choice((16, 200, len(data) or 1))) or 1)
        how = chance.randrange(7)
        if how == 0 and data:
            data[place] ^= 1 << chance.randrange(8)
        elif how == 1 and data:
            data[place] = chance.randrange(256)
        elif how == 2:
            del data[place:]
        elif how == 3:
            data[place:place] = chance.randbytes(chance.choice((1, 2, 8, 100)))
        elif how == 4:
            del data[place : place + chance.choice((1, 4, 100))]
        elif how == 5:
            data[place:place] = data[place : place + chance.choice((8, 100))]
        else:
            extreme = chance.choice(EXTREMES)
            data[place : place + len(extreme)] = extreme
    return bytes(data)


def change_file(path, outside, chance):
    """Put something else in the place of a file: another file, a link, a pipe, a folder, or nothing."""
    how = chance.randrange(9)
    if how == 0:
        path.unlink()
    elif how == 1:
        other = chance.choice([each for each in path.parent.rglob("*") if each.is_file()])
        spare = path.with_name("spare")
        shutil.copyfile(other, spare)
        if other != path:
            shutil.copyfile(path, other)
        os.replace(spare, path)
    elif how == 2:
        path.unlink()
        os.mkfifo(path)
    elif how == 3:
        path.unlink()
        path.mkdir()
    elif how == 4:
        path.unlink()
        path.symlink_to(chance.choice((outside / "file", "/dev/zero", "/dev/full", path.name, "missing", outside)))
    elif how == 5:
        path.unlink()
        os.link(outside / "file", path)
    elif how == 6:
        os.truncate(path, chance.choice((0, 1, path.stat().st_size // 2, path.stat().st_size + 1, 1 << 28)))
    elif how == 7:
        with contextlib.suppress(FileExistsError):
            name = chance.choice((".x.new", "kept", "weights-0000000030.npy", "train.log.new"))
            (path.parent / name).symlink_to(outside)
    else:
        path.write_bytes(changed_bytes(path.read_bytes(), chance))


def change_numbers(folder, name, chance):
    """Change numbers of a checkpoint's array, or its head, and make all digests anew."""
    meta = json.loads((folder / "meta.json").read_text())
    entry = meta["arrays"][name]
    path = folder / entry["file"]
    data = bytearray(path.read_bytes())
    offset, dtype = entry["data_offset"], np.dtype(entry["dtype"])
    if chance.random() < 0.3:
        data[:offset] = changed_bytes(data[:offset], chance)
    else:
        numbers = np.frombuffer(data, dtype, offset=offset)
        where = [chance.randrange(len(numbers)) for _ in range(chance.choice((1, 100, 5000)))] if len(numbers) else []
        kinds = {"f": (np.nan, np.inf, -1e38, 1e38, 1e9), "i": (-1, -(2**62), 2**62, 7), "u": (255, 1 << 31, 2**63)}
        for place in where:
            with np.errstate(all="ignore"):
                numbers[place] = np.array(chance.choice(kinds.get(dtype.kind, (1,)))).astype(dtype)
    path.write_bytes(data)
    entry["sha256"] = hashlib.sha256(data).hexdigest()
    if chance.random() < 0.8:
        entry["bytes"] = len(data)
    (folder / "meta.json").write_text(signed(meta))
