"""The two-player protocol of the courses on 2584: the answers of a player and an adversary to an arena's lines.

The course program of the 2584 series has it as "shell". The arena writes, one a line,

    match ID open PLAY:EVIL                 a game between two names begins, on an empty board
    match ID play|evil take turn            it is this side's turn; `, drop TILE` tells evil the index of the tile
    match ID play|evil move HEX             this move was made
    match ID close WIN                      the game is over

and gets `match ID ROLE ready` for each side that plays here, and `match ID ROLE move HEX` when it is its turn. HEX is
0 to 3 for up, right, down, left, and 16 * (index of the tile) + (number of the cell) for a tile. Who has no legal move
answers ffffffff. Lines of matches that are none of ours are passed over.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import BinaryIO

import numpy as np

from tdl.errors import ConfigError, printable, refuse
from tdl.game.boards import drawn, unpack
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.game.rules import Rules
from tdl.players.kinds import ActionValues
from tdl.players.player import Player
from tdl.search.options import PlacerOptions
from tdl.sessions.recorded_game import dropped

NO_MOVE = "ffffffff"
"""-1 in 32 bits: the course program's answer of who cannot move."""

MAX_MATCHES = 1000
"""At a time."""

MAX_CHARACTERS = 1000
"""Of a line."""

OPEN = re.compile(r"match (\S+) open ([^\s:]+):([^\s:]+)")
TURN = re.compile(r"match (\S+) (play|evil) take turn(?:, drop (\d{1,2}))?")
MOVE = re.compile(r"match (\S+) (play|evil) move ([0-9a-fA-F]{1,8})")
CLOSE = re.compile(r"match (\S+) close (\S+)")


class TilePlacer:
    """Chooses cell and tile for a board, by the drop law or where an adversary leaves the player least.

    What it draws comes from one stream.

    Parameters
    ----------
    rules : of the game.
    placer : random, or an adversary of some kind.
    evaluator : the player whose values an adversary uses; not needed with `placer.first_empty`.
    seed : of the stream.
    """

    def __init__(self, rules: Rules, placer: PlacerOptions, evaluator: Player | None = None, seed: int = 0) -> None:
        if placer.kind == "adversary" and not placer.first_empty and evaluator is None:
            raise refuse("evaluator", None, "a player whose values an adversary goes by")
        self.rules, self.placer, self.evaluator = rules, placer, evaluator
        self.engine, self._drops = Engine(rules), Stream(seed, EVALUATION, 0)

    def put(self, board: int, tile: int | None = None) -> tuple[int, int]:
        """Cell and tile index on a packed board with an empty cell.

        Parameters
        ----------
        tile : index of the tile that has to be put; None: the placer chooses.
        """
        if self.placer.kind == "random":
            return dropped(board, self.engine.place(board, self._drops, tile or 0), self.rules)
        drop = drawn(self._drops.next(), self.rules) if tile is None else tile
        empty = [cell for cell, content in enumerate(unpack(board, self.rules)) if not content]
        if self.placer.first_empty:
            return empty[0], drop
        chosen = tile is None and self.placer.tile == "chosen"
        tiles = [index for index, _ in self.rules.drop] if chosen else [drop]
        options = [(cell, option) for option in tiles for cell in empty]
        return min(options, key=lambda option: self._value(board | option[1] << self.rules.bits * option[0]))

    def _value(self, board: int) -> float:
        """The player's value of a board; the reference implementation is `tdl.search.adversary_reference`."""
        evaluator, depth = self.evaluator, self.placer.depth
        assert evaluator is not None
        if self.engine.terminal(board):
            return 0.0
        if depth == 1:
            return evaluator.value(board) if evaluator.target == "state" else float(np.nanmax(evaluator.values(board)))
        return float(np.nanmax(evaluator.values(board, depth, placer=self.placer)))


class Matches:
    """All matches of a connection.

    Parameters
    ----------
    rules : of the game.
    action_values : of the player of this side; None: others play.
    placer : puts the tiles of this side; None: others do.
    names : of this side's player and adversary, `play` and `evil`; None: any.
    """

    def __init__(
        self,
        rules: Rules,
        action_values: ActionValues | None = None,
        placer: TilePlacer | None = None,
        names: tuple[str | None, str | None] = (None, None),
    ) -> None:
        self.rules, self.action_values, self.placer, self.names = rules, action_values, placer, names
        self.engine = Engine(rules)
        self.boards: dict[str, int] = {}

    def answers(self, line: str) -> list[str]:
        """The answers to a line of the arena.

        Raises
        ------
        ConfigError : it is no line of the protocol, or against the rules; it has changed nothing.
        """
        handlers: tuple[tuple[re.Pattern[str], Callable[..., list[str]]], ...] = (
            (OPEN, self._open), (TURN, self._turn), (MOVE, self._move), (CLOSE, self._close),
        )  # fmt: skip
        for pattern, handler in handlers:
            if (match := pattern.fullmatch(line)) is not None:
                if handler != self._open and match[1] not in self.boards:
                    return []
                return handler(*match.groups())
        raise ConfigError("no line of the protocol")

    def _open(self, match: str, play: str, evil: str) -> list[str]:
        if match in self.boards:
            raise ConfigError(f"match {match} is open already")
        if len(self.boards) >= MAX_MATCHES:
            raise ConfigError(f"more than {MAX_MATCHES} matches at a time")
        sides = (("play", self.action_values, play, self.names[0]), ("evil", self.placer, evil, self.names[1]))
        roles = [role for role, side, name, ours in sides if side is not None and ours in (None, name)]
        if roles:
            self.boards[match] = 0
        return [f"match {match} {role} ready" for role in roles]

    def _turn(self, match: str, role: str, drop: str | None) -> list[str]:
        board = self.boards[match]
        if role == "play" and self.action_values is not None:
            values = self.action_values(board)
            code = NO_MOVE if np.isnan(values).all() else f"{int(np.nanargmax(values)):x}"
        elif role == "evil" and self.placer is not None:
            tile = None if drop is None else self._tile(int(drop))
            cell, tile = (0, 0) if not self.engine.empty(board) else self.placer.put(board, tile)
            code = f"{tile << 4 | cell:x}" if tile else NO_MOVE
        else:
            return []
        return [f"match {match} {role} move {code}"]

    def _move(self, match: str, role: str, code: str) -> list[str]:
        board, number = self.boards[match], int(code, 16)
        if number < 4:
            if number not in self.engine.legal(board):
                raise ConfigError(f"match {match}: move {code} is not legal")
            self.boards[match] = self.engine.move(board, number)[0]
        else:
            tile, shift = self._tile(number >> 4), self.rules.bits * (number & 15)
            if number & 15 >= self.rules.cells or board >> shift & self.rules.cell_mask:
                raise ConfigError(f"match {match}: cell {number & 15} of move {code} is not an empty one")
            self.boards[match] = board | tile << shift
        return []

    def _tile(self, tile: int) -> int:
        """A tile of the drop law."""
        allowed = [index for index, _ in self.rules.drop]
        if tile not in allowed:
            raise ConfigError(f"tile index {tile} does not drop; the law has {', '.join(map(str, allowed))}")
        return tile

    def _close(self, match: str, win: str) -> list[str]:
        del self.boards[match]
        return []


def bounded_lines(stream: BinaryIO) -> Iterator[str]:
    """The lines of a stream, whatever bytes they have; of a longer one than is allowed only the beginning."""
    while line := stream.readline(MAX_CHARACTERS + 1):
        text, rest = line.decode(errors="replace"), line
        while len(rest) > MAX_CHARACTERS and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_CHARACTERS + 1)
            text = text.ljust(MAX_CHARACTERS + 1)  # never taken for a shorter one
        yield text


def converse(
    matches: Matches, lines: Iterable[str], say: Callable[[str], None], complain: Callable[[str], None]
) -> None:
    """Answer line by line until the lines end; `complain` gets what is wrong with a line that has no answer."""
    for number, line in enumerate(lines, 1):
        try:
            if len(line) > MAX_CHARACTERS:
                raise ConfigError(f"longer than {MAX_CHARACTERS} characters")
            for answer in matches.answers(line.strip()) if line.strip() else []:
                say(answer)
        except ConfigError as error:
            complain(f"line {number}: {printable(str(error))}")
