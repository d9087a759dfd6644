"""Files as somebody else may have written them: entries changed on purpose, or anything at random, as damage and
malice change it, with digests that fit; the same for the same `random.Random`.
"""

import contextlib
import copy
import hashlib
import json
import os
import shutil
import struct
import zlib
from pathlib import Path

import numpy as np

GONE = object()
"""The value of an entry that is deleted."""

NASTY = [
    None, True, False, 0, -1, 1, 2, 7, 2**31, 2**32, 2**63 - 1, 2**63, -(2**63), 10**18, 10**40, 0.0, -0.0, 0.5,
    1e-320, 1e300, -1e300, float("nan"), float("inf"), "", "x", "0", "1e3", "auto", "null", "../x", "/etc/passwd",
    "/dev/zero", "a\nb", "\x1b[2J", "\0", "\u202e", "\ud800", "é", "x" * 5000, "${oc.env:HOME}", "${now:%Y}", "???",
    "@x", "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "]]>",
    "{{7*7}}", "$\\frac$", "a$b$c", [], {}, [[]], [[], []], [0], [1, 2], ["x"], [[0, 1]], {"a": 1}, {"": 0},
    [0] * 3000, [[0, 1]] * 1500, {"x": {"y": {"z": []}}}, json.loads("[" * 40 + "]" * 40),
]  # fmt: skip

KEYS = ["x", "", "..", "\n", "eval_x", "weights", "kind", "run"]

EXTREMES = [b"\0" * 8, b"\xff" * 8]
EXTREMES += [struct.pack("<Q", 2**power + by) for power in (15, 31, 32, 63) for by in (-1, 0)]

NUMBERS = {"f": (np.nan, np.inf, -1e38, 1e38, 1e9), "i": (-1, -(2**62), 2**62, 7), "u": (255, 1 << 31, 2**63)}

BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]\n" for below, name in zip("abcdefgh", "bcdefghi", strict=True)
) + "m: &m {x: 1}\nn: &n {<<: [*m, *m, *m]}\n"  # fmt: skip
"""References to references: some hundred bytes of YAML that stand for gigabytes."""

POISON = [BOMB, "z: " + "[" * 50_000, "z: " + "{a: " * 50_000, "z: " + "9" * 200_000,
          "z: !!python/object/apply:os.mknod [OUTSIDE/made]\n"]  # fmt: skip
"""What makes a good file of YAML evil, at its end; OUTSIDE is a folder."""

PREPARED = [
    ".hydra", ".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "multirun.yaml", "report.html",
    "report.md", "result.json", "train.log", "blocks.csv", "episodes.npy", "checkpoint", "kept", "curve.png",
    "evaluation.npy", "sweep.csv", "sweep.png", ".result.json.new", "elsewhere", "job.log", "train.log.new", ".x.new",
    "weights-0000000030.npy",
]  # fmt: skip
"""Names in folders of runs, sweeps, reports and checkpoints."""


def forged(folder, entries):
    """Change entries of the description in a checkpoint's folder, named as `arrays.weights.file`; gives the folder."""
    path = Path(folder) / "meta.json"
    meta = json.loads(path.read_text())
    for key, value in entries.items():
        *above, last = key.split(".")
        place = meta
        for name in above:
            place = place[name]
        place[last] = value
        if value is GONE:
            del place[last]
    path.write_text(json.dumps(meta))
    sign(path)
    return Path(folder)


def sign(path):
    """Make the digests fit a changed file of a checkpoint, or a changed game."""
    if path.suffix == ".jsonl":
        first, *further = path.read_text().splitlines(keepends=True)
        path.write_text(json.dumps(_signed(json.loads(first), "".join(further))) + "\n" + "".join(further))
        return
    description = path.with_name("meta.json")
    if is_own(description):
        meta = json.loads(description.read_text())
        for entry in meta["arrays"].values() if path.suffix in (".npy", ".planes") else ():
            if entry["file"] == path.name:
                data = path.read_bytes()
                entry |= {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
        description.write_text(json.dumps(_signed(meta)))


def _signed(content, further=""):
    rest = {key: value for key, value in content.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True) + further
    return rest | {"digest": hashlib.sha256(text.encode()).hexdigest()}


def changed_json(value, chance):
    """A copy with one entry, or a few, deleted, replaced, moved, nested, added or made another number."""
    value = copy.deepcopy(value)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        entries = list(_entries(value))
        if not entries:
            break
        (around, name), (other, its_name) = chance.choice(entries), chance.choice(entries)
        old, nasty, how = around[name], copy.deepcopy(chance.choice(NASTY)), chance.randrange(7)
        if how == 0:
            del around[name]
        elif how == 1:
            around[name] = copy.deepcopy(other[its_name])
        elif how == 2:
            around[name] = [old]
        elif how == 3 and isinstance(around, dict):
            around[chance.choice(KEYS)] = nasty
        elif how == 4 and type(old) in (int, float):
            around[name] = chance.choice((old + 1, -old, old * 1e9, old / 3))
        else:
            around[name] = nasty
    return value


def _entries(value):
    """Each entry of nested objects and lists, as what it is in and its name or number there."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, item in items:
        yield value, name
        yield from _entries(item)


def changed_bytes(content, chance):
    """A copy with bytes flipped, replaced, cut, inserted or repeated."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 1, 3, 10))):
        start = chance.randrange(min(len(data), chance.choice((16, 200, len(data) or 1))) or 1)
        end = chance.choice((start, start + 1, start + 4, start + 100, len(data)))
        data[start:end] = chance.choice((
            b"", chance.choice(EXTREMES), chance.randbytes(end - start), chance.randbytes(9), data[start:end] * 2,
            bytes(byte ^ 1 << chance.randrange(8) for byte in data[start:end]),
        ))  # fmt: skip
    return bytes(data)


def is_own(path):
    """Whether it is a file that has no other name elsewhere: what is written into it changes nothing else."""
    return path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1


def change(files, outside, chance):
    """Change one of these files in one of all ways, with digests that fit most often."""
    files = sorted(path for path in files if is_own(path))
    if not files:  # other changes have put something else there
        return
    kinds = sorted({path.suffix for path in files})
    kind = chance.choice(kinds + [".json"] * (".json" in kinds))  # has the most that can be wrong
    path = chance.choice([path for path in files if path.suffix == kind])
    if path.stat().st_size > 1 << 20 or chance.random() < 0.2:
        _replace(path, outside, chance)
        return
    ways = {".json": _change_json, ".jsonl": _change_game, ".npy": _change_array, ".planes": _change_packed}
    way = ways.get(kind, _change_bytes if kind in (".w", ".bin", ".png") else _change_text)
    with contextlib.suppress(Exception):  # what another change has left
        (_change_bytes if chance.random() < 0.1 else way)(path, outside, chance)
        if chance.random() < 0.9:
            sign(path)


def _replace(path, outside, chance):
    """Put another file, one of another length, or what is none in the place of a file."""
    how = chance.randrange(4)
    if how == 0:
        os.truncate(path, chance.choice((0, 1, path.stat().st_size // 2, path.stat().st_size + 1, 1 << 28)))
    elif how == 1:
        other = chance.choice(sorted(other for other in path.parent.rglob("*") if is_own(other)))
        with contextlib.suppress(shutil.SameFileError):
            shutil.copyfile(other, path)
    else:
        path.unlink()
        _put(path, outside, chance)


def prepare(folder, outside, chance):
    """Put something where a program may want to write; nothing where there is something."""
    path = folder / chance.choice(PREPARED)
    if not path.parent.is_symlink():
        with contextlib.suppress(FileExistsError, NotADirectoryError):
            path.parent.mkdir(parents=True, exist_ok=True)
            _put(path, outside, chance)


def _put(path, outside, chance):
    """Make a link, a pipe, a folder, or nothing."""
    how = chance.randrange(6)
    if how < 2:
        aims = (outside, outside / "file", outside / "missing", "missing", path.name, "/dev/zero", "/dev/full")
        path.symlink_to(chance.choice(aims))
    elif how == 2:
        os.link(outside / "file", path)
    elif how == 3:
        os.mkfifo(path)
    elif how == 4:
        path.mkdir()


def _change_json(path, outside, chance):
    path.write_text(json.dumps(changed_json(json.loads(path.read_text()), chance)))


def _change_game(path, outside, chance):
    """A line of a recorded game, the first one half of the time."""
    lines = path.read_text().splitlines(keepends=True)
    number = chance.choice((0, chance.randrange(len(lines))))
    lines[number] = json.dumps(changed_json(json.loads(lines[number]), chance)) + "\n"
    path.write_text("".join(lines))


def _change_text(path, outside, chance):
    """YAML, a table, a log: a line repeated, a word replaced, poison added."""
    content, how = path.read_text(errors="replace"), chance.randrange(3)
    if how == 0:
        lines = content.splitlines(keepends=True)
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
        content = "".join(lines)
    elif how == 1:
        words = [word for word in content.replace(",", " ").split() if len(word) < 40]
        value = chance.choice([value for value in NASTY if isinstance(value, str | float | int | None)])
        content = content.replace(chance.choice(words), str(value), chance.choice((1, -1)))
    else:
        content += chance.choice(POISON).replace("OUTSIDE", str(outside))
    path.write_text(content, errors="replace")


def _change_array(path, outside, chance):
    """Numbers of an array, or any bytes of its file."""
    if chance.random() < 0.3:
        return _change_bytes(path, outside, chance)
    numbers = np.load(path, mmap_mode="r+").reshape(-1)
    numbers = numbers[chance.choice(numbers.dtype.names)] if numbers.dtype.names else numbers
    for _ in range(chance.choice((1, 100, 5000)) if len(numbers) else 0):
        with np.errstate(all="ignore"):
            number = np.array(chance.choice(NUMBERS.get(numbers.dtype.kind, (1,)))).astype(numbers.dtype)
        numbers[chance.randrange(len(numbers))] = number


def _change_packed(path, outside, chance):
    """What is packed, or any bytes of its file."""
    if chance.random() < 0.3:
        return _change_bytes(path, outside, chance)
    path.write_bytes(zlib.compress(changed_bytes(zlib.decompress(path.read_bytes()), chance)))


def _change_bytes(path, outside, chance):
    path.write_bytes(changed_bytes(path.read_bytes(), chance))
