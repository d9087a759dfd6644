"""The lines of a game's file: from values to JSON and back, with the type and range of every value checked.

The first line has `format`, `rules`, `start` (the first board), `seed`, `episode`, `plies`, `search` (how else the
player looked ahead), `checkpoint` (digest or null), `moves` (their number), `score` and `digest`, the SHA-256 of all
the rest. Each further line has `move` (its number, from 0), `board` (rows of tile values, before the move), `action`
(its name), `reward`, `values` (of up, right, down, left; null where illegal), `tile` (the value of the one that
dropped), `cell` (where), `score` (so far), `loss` where a deeper search is known, and `by` where a person chose the
move. Of a game that was given up the first line says `"complete": false`.

Boards are rows of tile values because a packed board does not survive a reader that keeps numbers as doubles: it may
have more than 53 bits; no tile value has more than 27.
"""

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from tdl.errors import ConfigError, shown
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions.recorded_game import Move, RecordedGame, check_start

FORMAT = "tdl-game-1"

HEADER = ("format", "rules", "start", "seed", "episode", "plies", "search", "checkpoint", "moves", "score", "digest")

LINE = ("move", "board", "action", "reward", "values", "tile", "cell", "score")

OPTIONAL = {HEADER: ("complete",), LINE: ("loss", "by")}
"""Keys that a line has only where they differ from what is usual."""

Line = Mapping[str, Any]


def header_of(game: RecordedGame) -> dict[str, Any]:
    """The first line of a game, without its digest."""
    search = dataclasses.asdict(game.search)
    header = {
        "format": FORMAT,
        "rules": game.rules.to_dict(),
        "start": Engine(game.rules).array(game.start).tolist(),
        "seed": game.seed,
        "episode": game.episode,
        "plies": search.pop("plies"),
        "search": search,
        "checkpoint": game.checkpoint,
        "moves": len(game.moves),
        "score": game.score,
    }
    return header if game.complete else header | {"complete": False}


def line_of(number: int, move: Move, score: int, engine: Engine) -> dict[str, Any]:
    """The line of a move; `score` is that of the game after it."""
    line = {
        "move": number,
        "board": engine.array(move.board).tolist(),
        "action": ACTION_NAMES[move.action],
        "reward": move.reward,
        "values": list(move.values),
        "tile": engine.rules.value(move.tile),
        "cell": move.cell,
        "score": score,
    }
    if move.loss is not None:
        line["loss"] = move.loss
    return line if move.by == "agent" else line | {"by": move.by}


def to_text(line: Line) -> str:
    """A line as JSON, with its end."""
    return json.dumps(line, allow_nan=False) + "\n"


def digest_of(header: Line, lines: str) -> str:
    """The SHA-256 of a header, without the digest it may have, and all further lines."""
    rest = {key: value for key, value in header.items() if key != "digest"}
    return hashlib.sha256((json.dumps(rest, sort_keys=True) + lines).encode()).hexdigest()


def parse(line: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The values of a line, which must have these keys and may have those of `OPTIONAL`."""
    try:
        values = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise ConfigError("cut or corrupt (not JSON)") from None
    if not isinstance(values, dict) or (keys is HEADER and values.get("format") != FORMAT):
        raise ConfigError(f"not of a game of this program (expected format {shown(FORMAT)})")
    missing = [key for key in keys if key not in values]
    unknown = [key for key in values if key not in (*keys, *OPTIONAL[keys])]
    if missing or unknown:
        raise ConfigError(
            f"corrupt: no {shown(missing[0])}" if missing else f"corrupt: {shown(unknown[0])} does not belong here"
        )
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def game_of(header: Line, rules: Rules | None = None) -> RecordedGame:
    """The game of a first line, without its moves."""
    own = Rules.from_dict(header["rules"])
    if rules is not None and own != rules:
        raise ConfigError(f"of other rules: {own.to_dict()}, not {rules.to_dict()}")
    for key in ("seed", "episode", "plies", "moves", "score"):
        _check_whole(key, header[key])
    if header["checkpoint"] is not None and not isinstance(header["checkpoint"], str):
        raise ConfigError(f"checkpoint: {shown(header['checkpoint'])} is not a digest")
    if not isinstance(complete := header.get("complete", True), bool):
        raise ConfigError(f"complete: {shown(complete)} is not true or false")
    start = _board("start", header["start"], Engine(own))
    check_start(start, own)
    search, seed, episode = _search(header), header["seed"], header["episode"]
    return RecordedGame(own, start, (), search, seed, episode, header["checkpoint"], complete)


def _search(header: Line) -> SearchOptions:
    try:
        by_empty = tuple(tuple(pair) for pair in header["search"]["by_empty"])
        return SearchOptions(header["plies"], **{**header["search"], "by_empty": by_empty})
    except (KeyError, TypeError) as error:
        raise ConfigError(f"corrupt: search: {shown(error)}") from error


def move_of(line: Line, engine: Engine) -> Move:
    """The move of a line; whether the rules allow it is not checked."""
    for key in ("move", "reward", "tile", "cell", "score"):
        _check_whole(key, line[key])
    values, loss, by, tiles = line["values"], line.get("loss"), line.get("by", "agent"), engine.rules.tiles
    if line["action"] not in ACTION_NAMES:
        raise ConfigError(f"action: {shown(line['action'])} is not one of {', '.join(ACTION_NAMES)}")
    if line["cell"] >= engine.rules.cells:
        raise ConfigError(f"cell: {line['cell']} is not on the board")
    if line["tile"] not in tiles:
        raise ConfigError(f"tile: {line['tile']} is not a tile of the game")
    if not isinstance(values, list) or len(values) != 4 or not all(map(_is_value_or_null, values)):
        raise ConfigError(f"values: {shown(values)} are not four numbers or nulls")
    if not _is_value_or_null(loss) or (loss is not None and loss < 0):
        raise ConfigError(f"loss: {shown(loss)} is not a number of at least 0")
    if by not in ("agent", "person"):
        raise ConfigError(f"by: {shown(by)} is not agent or person")
    board, action, tile = _board("board", line["board"], engine), ACTION_NAMES.index(line["action"]), line["tile"]
    return Move(board, action, line["reward"], tuple(values), line["cell"], 1 + tiles.index(tile), loss, by)


def _is_value_or_null(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12)


def _check_whole(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ConfigError(f"{key}: {shown(value)} is not a whole number of at least 0")


def _board(key: str, rows: object, engine: Engine) -> int:
    is_rows = isinstance(rows, list) and all(isinstance(row, list) for row in rows)
    if not is_rows or not all(type(cell) is int for row in rows for cell in row):  # type: ignore[attr-defined]
        raise ConfigError(f"{key}: {shown(rows)} are not rows of tile values")
    return engine.board(rows)  # type: ignore[arg-type]
