"""A recorded game as a file of JSON lines: one for the game, then one for each move; every move is checked when read.

The keys of the lines: `tdl.sessions.game_lines`.
"""

import dataclasses
import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from tdl.errors import CheckpointError, ConfigError, shown
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.sessions.game_lines import Header, Line, digest_of, game_of, header_of, line_of, move_of, parse, to_text
from tdl.sessions.recorded_game import Move, RecordedGame, boards_after
from tdl.storage.atomic import new_file
from tdl.storage.reading import reading

ENDINGS = (".jsonl", ".json")
"""Of the names of files: JSON lines. Older programs wrote the second."""

MAX_BYTES = 1 << 28
"""Of a file: a game of a hundred thousand moves has some 40 MiB."""


def save(path: str | Path, game: RecordedGame) -> None:
    """Write a game to a file, in one step."""
    content = text(game).encode()
    with new_file(Path(path)) as file:
        file.write(content)


def text(game: RecordedGame) -> str:
    """The content of a game's file."""
    game.boards()  # a file that could not be read again is of no use
    engine, score, lines = Engine(game.rules), 0, ""
    for number, move in enumerate(game.moves):
        score += move.reward
        lines += to_text(line_of(number, move, score, engine))
    header = header_of(game)
    return to_text(dataclasses.replace(header, digest=digest_of(header, lines))) + lines


def load(path: str | Path, rules: Rules | None = None) -> RecordedGame:
    """Read a game; every move is held against the rules.

    Parameters
    ----------
    rules : that the game must be of; None: any.

    Raises
    ------
    CheckpointError : the file is missing, cut, corrupt, of other rules, or a move is not by them; names the line.
    """
    return parsed(_content(Path(path)), path, rules)


def parsed(content: str, name: object, rules: Rules | None = None) -> RecordedGame:
    """The game of a file's content; `name` is that of the file, for errors, which are those of `load`."""
    lines, reader = _lines(content, name), _Reader()
    try:
        return reader.game(lines, rules)
    except ConfigError as error:
        raise CheckpointError(f"{name}: line {reader.line}: {error}") from error


def head(path: str | Path) -> tuple[RecordedGame, int]:
    """The game in the first line of a file, without its moves, and its score; the moves are not checked."""
    with reading(Path(path)) as file:
        header = parse(file.readline(1 << 20).decode(errors="replace"), Header)
        return game_of(header), header.score


def _content(path: Path) -> str:
    with reading(path) as file:
        content = file.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise CheckpointError(f"{path}: not a game of this program (more than {MAX_BYTES >> 20} MiB)")
    return content.decode(errors="replace")  # what is no text is no JSON of ours, or has another digest


def _lines(content: str, name: object) -> list[str]:
    lines = content.split("\n")
    if lines.pop():
        raise CheckpointError(f"{name}: line {len(lines) + 1}: cut: it does not end")
    if not lines:
        raise CheckpointError(f"{name}: line 1: cut: the file is empty")
    return [line + "\n" for line in lines]


class _Reader:
    """Reads a game line by line; `line` is the number of the one it reads."""

    def __init__(self) -> None:
        self.line, self.score = 1, 0
        self.moves: list[Move] = []

    def game(self, lines: list[str], rules: Rules | None) -> RecordedGame:
        """The whole game."""
        header = parse(lines[0], Header)
        game = game_of(header, rules)
        for _ in boards_after(game, self._moves(lines[1:], game.rules)):
            pass
        self.line = 1
        _expect("moves", header.moves, len(self.moves))
        _expect("score", header.score, self.score)
        if header.digest != digest_of(header, "".join(lines[1:])):
            raise ConfigError("corrupt: its digest is not that of the lines")
        return dataclasses.replace(game, moves=tuple(self.moves))

    def _moves(self, lines: list[str], rules: Rules) -> Iterator[Move]:
        """The moves; their numbers and the scores must be those of a game."""
        engine = Engine(rules)
        for self.line, text in enumerate(lines, 2):
            line = parse(text, Line)
            move = move_of(line, engine)
            _expect("move", line.move, len(self.moves))
            self.score += move.reward
            _expect("score", line.score, self.score)
            self.moves.append(move)
            yield move


def _expect(key: str, value: object, by_moves: object) -> None:
    if value != by_moves:
        raise ConfigError(f"{key}: {shown(value)}, but {shown(by_moves)} by the moves")


class GameFolder:
    """Keeps recorded games.

    Parameters
    ----------
    folder : of the games; it is made with the first one. None: no game is kept, and none is known.
    """

    def __init__(self, folder: str | Path | None) -> None:
        self.folder = None if folder is None else Path(folder)

    def best(self, rules: Rules) -> int:
        """The best score of the games of these rules, from their start law on; 0 without one.

        Files that are no games are passed over.
        """
        best = 0
        for path in self.folder.glob("*.json*") if self.folder is not None else ():
            if path.suffix not in ENDINGS:
                continue
            try:
                game, score = head(path)
            except CheckpointError:
                continue
            if game.rules == rules and not game.own_start:
                best = max(best, score)
        return best

    def new_path(self, seed: int, episode: int) -> Path | None:
        """The file of a game that begins now: no other has its name. None where no game is kept."""
        if self.folder is None:
            return None
        now = datetime.now().strftime("%Y-%m-%d_%H-%M-%S")
        return self.folder / f"{now}_{seed}-{episode}_{os.getpid()}{ENDINGS[0]}"

    def save(self, path: Path, game: RecordedGame) -> None:
        """Write a game, in the folder or in another one."""
        path.parent.mkdir(parents=True, exist_ok=True)
        save(path, game)
