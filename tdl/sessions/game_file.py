"""Games as files: a line of JSON for the game, then one for each move; read again with every move checked.

The first line has `format`, `rules`, `start` (the first board), `seed`, `episode`, `plies`, `search` (how else the
player looked ahead), `checkpoint` (digest or null), `moves` (their number), `score` and `digest`, the SHA-256 of all
the rest. Each further line has `move` (its number, from 0), `board` (rows of tile values, before the move), `action`
(its name), `reward`, `values` (of up, right, down, left; null where illegal), `tile` (the value of the one that
dropped), `cell` (where), `score` (so far), `loss` where a deeper search judged the move, and `by` where a person chose
it. Of a game that was given up the first line says `"complete": false`.

Boards are rows of tile values because a packed board does not survive a reader that keeps numbers as doubles: it may
have more than 53 bits; no tile value has more than 27.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, NoReturn

from tdl.errors import CheckpointError, ConfigError
from tdl.game.engine import Engine
from tdl.game.rules import ACTION_NAMES, Rules
from tdl.search.options import SearchOptions
from tdl.sessions import game_file
from tdl.sessions.recorded_game import Game, Move, check_start, replayed
from tdl.storage.atomic import new_file

FORMAT = "tdl-game-1"

HEADER = ("format", "rules", "start", "seed", "episode", "plies", "search", "checkpoint", "moves", "score", "digest")

LINE = ("move", "board", "action", "reward", "values", "tile", "cell", "score")

OPTIONAL = {HEADER: ("complete",), LINE: ("loss", "by")}
"""Keys that are there only where they tell something."""


def save(path: str | Path, game: Game) -> None:
    """Write a game to a file, in one step.

    Raises
    ------
    ConfigError : a move is not by the rules.
    OSError : the file cannot be written.
    """
    content = text(game).encode()
    with new_file(Path(path)) as file:
        file.write(content)


def text(game: Game) -> str:
    """What a file of a game holds.

    Raises
    ------
    ConfigError : a move is not by the rules.
    """
    game.boards()  # a file that could not be read again is of no use
    engine, score, lines = Engine(game.rules), 0, []
    for number, move in enumerate(game.moves):
        score += move.reward
        lines.append(_dumped(_line(number, move, score, engine)))
    search = dataclasses.asdict(game.searching)
    head = {
        "format": FORMAT,
        "rules": game.rules.to_dict(),
        "start": engine.array(game.start).tolist(),
        "seed": game.seed,
        "episode": game.episode,
        "plies": search.pop("plies"),
        "search": search,
        "checkpoint": game.checkpoint,
        "moves": len(game.moves),
        "score": game.score,
    }
    if not game.complete:
        head["complete"] = False
    head["digest"] = _digest(head, "".join(lines))
    return _dumped(head) + "".join(lines)


def _line(number: int, move: Move, score: int, engine: Engine) -> dict[str, Any]:
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
    told = {"loss": move.loss} if move.loss is not None else {}
    return {**line, **told, **({"by": move.by} if move.by != "agent" else {})}


def _dumped(line: Mapping[str, Any]) -> str:
    return json.dumps(line, allow_nan=False) + "\n"


def _digest(head: Mapping[str, Any], lines: str) -> str:
    plain = {key: value for key, value in head.items() if key != "digest"}
    return hashlib.sha256((json.dumps(plain, sort_keys=True) + lines).encode()).hexdigest()


def load(path: str | Path, rules: Rules | None = None) -> Game:
    """Read a game; every move is held against the rules.

    Parameters
    ----------
    rules : that the game must be of; None: any.

    Raises
    ------
    CheckpointError : the file is missing, cut, corrupt, of other rules, or a move is not by them; names the line.
    """
    lines, reader = _lines(Path(path)), _Reader()
    try:
        return reader.game(lines, rules)
    except ConfigError as error:
        raise CheckpointError(f"{path}: line {reader.line}: {error}") from error


def told(path: str | Path) -> tuple[Rules, int]:
    """The rules and the score that the first line of a file tells; no move is held against them.

    Raises
    ------
    CheckpointError : the file is missing, or is no game.
    """
    try:
        with Path(path).open(encoding="utf-8") as file:
            head = _parsed(file.readline(1 << 20), HEADER)
        _whole("score", head["score"])
        return _begun(head, None).rules, int(head["score"])
    except (ConfigError, OSError, UnicodeDecodeError) as error:
        raise CheckpointError(f"{path}: {error}") from error


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_bytes().decode()
    except OSError as error:
        raise CheckpointError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError:
        raise CheckpointError(f"{path}: not a game of this program (not text)") from None
    lines = text.split("\n")
    if lines.pop():
        raise CheckpointError(f"{path}: line {len(lines) + 1}: cut: it does not end")
    if not lines:
        raise CheckpointError(f"{path}: line 1: cut: the file is empty")
    return [line + "\n" for line in lines]


def _parsed(line: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """The values of a line, which must have these keys and may have those of `OPTIONAL`."""
    try:
        values = json.loads(line, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise ConfigError("cut or corrupt (not JSON)") from None
    if not isinstance(values, dict) or (keys is HEADER and values.get("format") != FORMAT):
        raise ConfigError(f"not of a game of this program (expected format {FORMAT!r})")
    missing = [key for key in keys if key not in values]
    unknown = [key for key in values if key not in (*keys, *OPTIONAL[keys])]
    if missing or unknown:
        raise ConfigError(
            f"corrupt: no {missing[0]!r}" if missing else f"corrupt: {unknown[0]!r} does not belong here"
        )
    return values


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _begun(head: Mapping[str, Any], rules: Rules | None) -> Game:
    """The game of a first line, without its moves."""
    try:
        own = Rules.from_dict(head["rules"])
    except (KeyError, TypeError, AttributeError) as error:
        raise ConfigError(f"corrupt: rules: {error!r}") from error
    if rules is not None and own != rules:
        raise ConfigError(f"of other rules: {own.to_dict()}, not {rules.to_dict()}")
    for key in ("seed", "episode", "plies", "moves", "score"):
        _whole(key, head[key])
    if head["checkpoint"] is not None and not isinstance(head["checkpoint"], str):
        raise ConfigError(f"checkpoint: {head['checkpoint']!r} is not a digest")
    if not isinstance(complete := head.get("complete", True), bool):
        raise ConfigError(f"complete: {complete!r} is not true or false")
    start = _board("start", head["start"], Engine(own))
    check_start(start, own)
    return Game(own, start, (), _searching(head), head["seed"], head["episode"], head["checkpoint"], complete)


def _searching(head: Mapping[str, Any]) -> SearchOptions:
    try:
        by_empty = tuple(tuple(pair) for pair in head["search"]["by_empty"])
        searching = SearchOptions(head["plies"], **{**head["search"], "by_empty": by_empty})
    except (KeyError, TypeError) as error:
        raise ConfigError(f"corrupt: search: {error!r}") from error
    searching.check()
    return searching


class _Reader:
    """Reads a game line by line; `line` is the number of the one it reads."""

    def __init__(self) -> None:
        self.line, self.score = 1, 0
        self.read: list[Move] = []

    def game(self, lines: list[str], rules: Rules | None) -> Game:
        """The whole game, of any rules or of those given."""
        head = _parsed(lines[0], HEADER)
        game = _begun(head, rules)
        self.engine, self.tiles = Engine(game.rules), game.rules.tiles
        for _ in replayed(game.rules, game.start, self._moves(lines[1:]), complete=game.complete):
            pass
        self.line = 1
        _expect("moves", head["moves"], len(self.read))
        _expect("score", head["score"], self.score)
        if head["digest"] != _digest(head, "".join(lines[1:])):
            raise ConfigError("corrupt: its digest is not that of the lines")
        return dataclasses.replace(game, moves=tuple(self.read))

    def _moves(self, lines: list[str]) -> Iterator[Move]:
        """The moves; their types are checked, and what adds up."""
        for self.line, line in enumerate(lines, 2):
            told = _parsed(line, LINE)
            for key in ("move", "reward", "tile", "cell", "score"):
                _whole(key, told[key])
            _expect("move", told["move"], len(self.read))
            move = self._move(told)
            self.score += move.reward
            _expect("score", told["score"], self.score)
            self.read.append(move)
            yield move

    def _move(self, told: Mapping[str, Any]) -> Move:
        values, loss, by = told["values"], told.get("loss"), told.get("by", "agent")
        if told["action"] not in ACTION_NAMES:
            raise ConfigError(f"action: {told['action']!r} is not one of {', '.join(ACTION_NAMES)}")
        if told["cell"] >= self.engine.rules.cells:
            raise ConfigError(f"cell: {told['cell']} is not on the board")
        if told["tile"] not in self.tiles:
            raise ConfigError(f"tile: {told['tile']} is not a tile of the game")
        if not isinstance(values, list) or len(values) != 4 or not all(map(_is_value_or_null, values)):
            raise ConfigError(f"values: {values!r} are not four numbers or nulls")
        if not _is_value_or_null(loss) or (loss is not None and loss < 0):
            raise ConfigError(f"loss: {loss!r} is not a number of at least 0")
        if by not in ("agent", "person"):
            raise ConfigError(f"by: {by!r} is not agent or person")
        return Move(
            _board("board", told["board"], self.engine),
            ACTION_NAMES.index(told["action"]),
            told["reward"],
            tuple(values),
            told["cell"],
            1 + self.tiles.index(told["tile"]),
            loss,
            by,
        )


def _is_value_or_null(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12)


def _whole(key: str, value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**63:
        raise ConfigError(f"{key}: {value!r} is not a whole number of at least 0")


def _board(key: str, rows: object, engine: Engine) -> int:
    flat = [cell for row in rows for cell in row] if _is_rows(rows) else [None]  # type: ignore[attr-defined]
    if not all(type(cell) is int for cell in flat):
        raise ConfigError(f"{key}: {rows!r} are not rows of tile values")
    return engine.board(rows)  # type: ignore[arg-type]


def _is_rows(rows: object) -> bool:
    return isinstance(rows, list) and all(isinstance(row, list) for row in rows)


def _expect(key: str, given: object, right: object) -> None:
    if given != right:
        raise ConfigError(f"{key}: {given!r}, but {right!r} by the moves")


class GameFolder:
    """Where games are left, and which were.

    Parameters
    ----------
    folder : of the games; it is made when the first is left. None: nothing is left, and nothing is known.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def best(self, rules: Rules) -> int:
        """The best score of the games of these rules; 0 without one. What is no game is passed over."""
        best = 0
        for path in self.folder.glob("*.json") if self.folder is not None else ():
            try:
                played_by, score = game_file.told(path)
            except CheckpointError:
                continue
            if played_by == rules:
                best = max(best, score)
        return best

    def new_path(self, seed: int, episode: int) -> Path | None:
        """The file of a game that begins now: no other has its name. None where nothing is left."""
        if self.folder is None:
            return None
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        return self.folder / f"{now}_{seed}-{episode}_{os.getpid()}.json"

    def save(self, path: Path, game: Game) -> None:
        """Leave a game.

        Raises
        ------
        OSError : it cannot be written.
        """
        path.parent.mkdir(parents=True, exist_ok=True)
        game_file.save(path, game)
