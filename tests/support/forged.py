"""Checkpoints as somebody else may have written them: any entry of `meta.json` changed, with a digest that fits."""

import hashlib
import json
from pathlib import Path

GONE = object()
"""The value of an entry that is deleted."""


def forged(folder, entries):
    """Change entries of the description in a checkpoint's folder, named as `arrays.weights.file`; gives the folder."""
    path = Path(folder) / "meta.json"
    meta = json.loads(path.read_text())
    for key, value in entries.items():
        put(meta, key, value)
    path.write_text(signed(meta))
    return Path(folder)


def put(meta, key, value):
    """Change one entry of nested objects and lists."""
    *above, last = key.split(".")
    place = meta
    for name in above:
        place = place[int(name)] if isinstance(place, list) else place[name]
    name = int(last) if isinstance(place, list) else last
    if value is GONE:
        del place[name]
    else:
        place[name] = value


def signed(meta):
    """The text of a description, with the digest that it should have."""
    content = {key: value for key, value in meta.items() if key != "digest"}
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    return json.dumps(content | {"digest": digest})
