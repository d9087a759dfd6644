"""A player as one HTML file, which needs no server: the page of `tdl serve`, with rules and network in JavaScript."""

import argparse
import base64
import hashlib
import json
import re
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np

from tdl.errors import ConfigError
from tdl.formats.compact import rounded
from tdl.formats.numpy_player import natural_weights
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.players.kinds import SMALL, checkpoint_folder, is_small, read_agent
from tdl.players.player import Player, player_of
from tdl.sessions.game_lines import header_of
from tdl.sessions.recorded_game import RecordedGame
from tdl.storage.atomic import new_file
from tdl.storage.planes import deflated
from tdl.storage.run_folder import CHECKPOINT
from tdl.web.site import SCRIPTS, rules_json, tile_rules

MAX_WEIGHTS = 70_000_000
"""Of a page: those of `tuples=4x6`, which take 256 MiB in the browser."""

OWN_SCRIPTS = ("game_text", "network", "open_game", "rules")
"""Beside those of `tdl serve`, of whose `requests` `answers` takes the place."""

OWN_HEAD = """<meta http-equiv="Content-Security-Policy" content="{policy}">
<style>{style}</style>
<script type="application/json" id="player">{player}</script>
<script type="text/plain" id="weights">{weights}</script>
<script type="importmap">{imports}</script>
<script type="module">{start}</script>
"""
"""In the head, in the place of the links to style sheets and modules."""

POLICY = (
    "default-src 'none'; script-src data: {imports} {start}; style-src {style}; img-src data:; base-uri 'none'; "
    "form-action 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
"""Modules are inside the page; nothing else is asked for, and no text becomes code."""

START = 'import "page.js";'


def export(source: str | Path, target: Path, options: argparse.Namespace | None = None) -> str:
    """Write the page of the player of a run or a checkpoint, and say how large it is.

    Raises
    ------
    CheckpointError : it has no n-tuple network.
    ConfigError : its network is too large for a page, reads lowered boards, or has weights beyond half precision.
    """
    folder = checkpoint_folder(source)
    meta = read_agent(folder)
    name = SMALL if is_small(source) else _name(folder)
    text, exact = page_of(player_of(folder, meta), name, str(meta["digest"]))
    with new_file(target) as file:
        file.write(text.encode())
    rounding = "" if exact else "; weights are rounded to half precision, and values are those of these"
    return f"{target}: {len(text) / 1e6:.1f} MB, opens in a browser without a server{rounding}"


def page_of(player: Player, name: str, digest: str | None = None) -> tuple[str, bool]:
    """The page of a player, and whether its weights are in it as they are, not rounded.

    Parameters
    ----------
    name : of the player, as the page shows it.
    digest : of its checkpoint, for the games that the page saves.
    """
    network = player.network
    if (count := len(network.weights)) > MAX_WEIGHTS:
        raise ConfigError(f"tuples: {count:,} weights; expected at most {MAX_WEIGHTS:,} in a page")
    exact = network.weights.dtype == np.float16
    weights = natural_weights(network if exact else rounded(network))
    return _page(_described(player, name, digest if exact else None), deflated(weights)), exact


def _page(described: dict[str, Any], weights: bytes) -> str:
    """The page of what is described, with its packed weights."""
    files = {name: name for name in (*SCRIPTS, *OWN_SCRIPTS)} | {"requests": "answers"}
    imports = {f"{name}.js": _script(f"{file}.js") for name, file in files.items()}
    inline = {
        "style": _read("page.css") + tile_rules(),
        "imports": json.dumps({"imports": imports}),
        "start": START,
    }
    own_head = OWN_HEAD.format(
        policy=POLICY.format(**{name: _hash(text) for name, text in inline.items()}),
        player=json.dumps(described, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c"),
        weights=base64.b64encode(weights).decode(),
        **inline,
    )
    page = _read("index.html").replace("/icon.svg", _data_url("image/svg+xml", _read("icon.svg")))
    head, body = re.split(r'<link rel="stylesheet".*(?=</head>)', page, flags=re.DOTALL)
    return head.replace("<html", '<html class="exported"') + own_head + body


def _read(name: str) -> str:
    return (resources.files("tdl.web") / "page" / name).read_text(encoding="utf-8")


def _script(name: str) -> str:
    """A module, which imports by the names of the import map: paths have no meaning inside a page."""
    return _data_url("text/javascript", re.sub(r'from "/(\w+\.js)"', r'from "\1"', _read(name)))


def _data_url(kind: str, text: str) -> str:
    return f"data:{kind};base64,{base64.b64encode(text.encode()).decode()}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _name(folder: Path) -> str:
    """What the page calls a checkpoint: as its folder, or that of its run."""
    path = folder.resolve()
    return path.parent.name if path.name == CHECKPOINT else path.name


def _described(player: Player, name: str, digest: str | None) -> dict[str, Any]:
    """All but the weights, as `tdl/web/page/answers.js` reads it."""
    rules, shown = player.rules, rules_json(player.rules)
    tiles = shown["tiles"] or ""
    game = {"name": rules.game, "tiles": tiles, "words": {tiles: shown["drops"]} if tiles else {}}
    return {
        "name": name,
        "start": {"games": [game], "sizes": [shown["size"]], "checkpoint": name, "rules": shown},
        "game": _game(rules),
        "network": _network(player.network),
        "gamma": float(np.float32(player.gamma)),
        "target": player.target,
        "record": _record(rules, digest),
    }


def _game(rules: Rules) -> dict[str, Any]:
    every = range(rules.largest + 1)
    return {
        "rows": rules.rows,
        "cols": rules.cols,
        "tiles": [rules.value(tile) for tile in range(rules.largest + 2)],  # merged ones may be one above
        "merge": [[rules.merge(a, b) for b in every] for a in every],
        "largest": rules.largest,
        "drops": rules.thresholds,
        "start": rules.start,
    }


def _network(network: NTupleNetwork) -> dict[str, Any]:
    sizes = [table.size for table in network.layout.tables]
    return {
        "radix": network.layout.radix,
        "tables": [sum(sizes[:table]) for table in range(len(sizes))],
        "stride": sum(sizes),
        "features": network.features,
        "orders": network.orders,
        "counts": network.counts,
        "cap": network.tuples.count_cap,
        "thresholds": network.stages.thresholds,
        "by": network.stages.by,
    }


def _record(rules: Rules, digest: str | None) -> dict[str, str]:
    """What the first lines of all its games share, each entry as JSON."""
    header = header_of(RecordedGame(rules, 0, (), checkpoint=digest, complete=False))
    names = ("format", "rules", "search", "checkpoint")
    return {name: json.dumps(getattr(header, name), sort_keys=True) for name in names}
