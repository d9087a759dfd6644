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
    "a\nb", "\x1b[2J", "\0", "\u202e", "\ud800", "é", "x" * 5000, "${oc.env:HOME}", "${now:%Y}", "???", "@x",
    "</script><script>alert(1)</script>", "<img src=x onerror=alert(1)>", "javascript:alert(1)", "]]>", "{{7*7}}",
    "$\\frac$", "a$b$c", [], {},
    [[]], [[], []], [0], [1, 2], ["x"], [[0, 1]], {"a": 1}, {"": 0}, [0] * 3000, [[0, 1]] * 1500,
    {"x": {"y": {"z": []}}},
]  # fmt: skip

EXTREMES = [b"\0" * 8, b"\xff" * 8]
EXTREMES += [struct.pack("<Q", 2**power + by) for power in (15, 31, 32, 63) for by in (-1, 0)]


def nasty(chance):
    """One of these values, a copy: who changes it changes no later example."""
    return copy.deepcopy(chance.choice(NASTY))


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
            above[chance.choice(("x", "", "..", "\n", "eval_x", "weights", "kind", "run"))] = nasty(chance)
        elif how == 4 and isinstance(above[name], int | float) and not isinstance(above[name], bool):
            above[name] = chance.choice((above[name] + 1, -above[name], above[name] * 1e9, above[name] / 3))
        else:
            above[name] = nasty(chance)
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


def is_own(path):
    """Whether it is a file that has no other name elsewhere: what is written into it changes nothing else."""
    return path.is_file() and not path.is_symlink() and path.stat().st_nlink == 1


def change_file(path, outside, chance):
    """Put something else in the place of a file: another file, a link, a pipe, a folder, or nothing."""
    how = chance.randrange(9)
    if how == 0:
        path.unlink()
    elif how == 1:
        other = chance.choice([each for each in path.parent.rglob("*") if is_own(each)] or [path])
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


BOMB = "a: &a [x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"{name}: &{name} [{', '.join([f'*{below}'] * 9)}]\n" for below, name in zip("abcdefgh", "bcdefghi", strict=True)
) + "m: &m {x: 1}\nn: &n {<<: [*m, *m, *m]}\n"  # fmt: skip
"""References to references: some hundred bytes of YAML that stand for gigabytes."""


def change_text(path, outside, chance):
    """Change the text of a file: YAML, a table, a log."""
    content = path.read_bytes()
    how = chance.randrange(8)
    if how < 3:
        content = changed_bytes(content, chance)
    elif how == 3:
        lines = content.splitlines(keepends=True) or [b""]
        lines.insert(chance.randrange(len(lines) + 1), chance.choice(lines))
        content = b"".join(lines)
    elif how == 4:
        text = content.decode(errors="replace")
        words = [word for word in text.replace(",", " ").split() if len(word) < 40] or [" "]
        value = chance.choice([each for each in NASTY if each is None or isinstance(each, str | float | int)])
        content = text.replace(chance.choice(words), str(value), chance.choice((1, -1))).encode(errors="replace")
    elif how == 5:
        content += BOMB.encode()
    elif how == 6:
        content += b"z: " + chance.choice((b"[" * 50_000, b"{a: " * 50_000, b"-\n " * 100, b"9" * 200_000))
    else:
        content += f"z: !!python/object/apply:os.mknod [{outside}/made]\n".encode()
    path.write_bytes(content)


PREPARED = [
    ".hydra", ".hydra/config.yaml", ".hydra/hydra.yaml", ".hydra/overrides.yaml", "multirun.yaml", "report.html",
    "report.md", "result.json", "train.log", "blocks.csv", "episodes.npy", "checkpoint", "kept", "curve.png",
    "evaluation.npy", "sweep.csv", "sweep.png", ".result.json.new", "elsewhere", "job.log",
]  # fmt: skip
"""Names in folders of runs, sweeps and reports."""


def prepare(folder, outside, chance):
    """Put a link, a pipe, a folder or a file where a program may want to write; nothing where there is something."""
    path = folder / chance.choice(PREPARED)
    if path.parent.is_symlink():
        return
    with contextlib.suppress(FileExistsError, NotADirectoryError):
        path.parent.mkdir(parents=True, exist_ok=True)
        how = chance.randrange(5)
        if how < 2:
            path.symlink_to(chance.choice((outside, outside / "file", outside / "missing", "missing", path.name)))
        elif how == 2:
            os.link(outside / "file", path)
        elif how == 3:
            os.mkfifo(path)
        else:
            path.mkdir()


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
