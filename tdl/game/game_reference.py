"""The game in plain Python: the slow and obvious reference implementation that every kernel is tested against.

A board is a list of rows*cols tile indices, row by row. Random numbers come from `Stream`, which draws exactly
what the compiled engine draws, so both can play the same game.
"""

from collections.abc import Sequence

from tdl.game.boards import Board, drawn, lines
from tdl.game.rules import DROP, Rules

Law = Sequence[tuple[int, float]]
"""The tiles of a drop with their probabilities."""

MASK = 2**64 - 1


class Stream:
    """The random sequence of one (seed, role, episode): xoshiro256** seeded through SplitMix64.

    Sources: Blackman and Vigna, https://prng.di.unimi.it/xoshiro256starstar.c and splitmix64.c.
    """

    def __init__(self, seed: int, role: int, episode: int) -> None:
        key = 0
        for part in (seed, role, episode):
            key = splitmix(key ^ part & MASK)[1]
        self.state = []
        for _ in range(4):
            key, word = splitmix(key)
            self.state.append(word)

    def next(self) -> int:
        """The next 64-bit number."""
        s = self.state
        result = _rotate(s[1] * 5 & MASK, 7) * 9 & MASK
        t = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = _rotate(s[3], 45)
        return result


def splitmix(state: int) -> tuple[int, int]:
    state = state + 0x9E3779B97F4A7C15 & MASK
    z = (state ^ state >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return state, z ^ z >> 31


def _rotate(x: int, k: int) -> int:
    return (x << k | x >> 64 - k) & MASK


def slide(line: Board, rules: Rules) -> tuple[Board, int]:
    """Slide one line towards its first cell: (new line, reward).

    `[1, 1, 1, 0] -> [2, 1, 0, 0]` in 2048: merging starts at the wall, and a merged tile does not merge again.
    """
    tiles = [tile for tile in line if tile]
    out, reward = [], 0
    while tiles:
        tile = tiles.pop(0)
        merged = rules.merge(tile, tiles[0]) if tiles else 0
        if merged:
            tiles.pop(0)
            reward += rules.value(merged)
            tile = min(merged, rules.largest)
        out.append(tile)
    return out + [0] * (len(line) - len(out)), reward


def move(board: Board, action: int, rules: Rules) -> tuple[Board, int] | None:
    """The afterstate and reward of an action, or None when it changes nothing (an illegal move)."""
    after, reward = list(board), 0
    for cells in lines(action, rules):
        slid, gained = slide([board[cell] for cell in cells], rules)
        reward += gained
        for cell, tile in zip(cells, slid, strict=True):
            after[cell] = tile
    return None if after == board else (after, reward)


def legal(board: Board, rules: Rules) -> list[int]:
    """The legal actions, ascending."""
    return [action for action in range(4) if move(board, action, rules)]


def terminal(board: Board, rules: Rules) -> bool:
    """Whether no action is legal."""
    return not legal(board, rules)


def place(board: Board, stream: Stream, rules: Rules, tile: int | str = DROP) -> Board:
    """Put a tile (by the drop law, unless given) on a random empty cell. One draw serves cell and tile."""
    draw = stream.next()
    empty = [cell for cell, content in enumerate(board) if content == 0]
    cell = empty[(draw >> 32) * len(empty) >> 32]
    put = drawn(draw, rules) if tile == DROP else int(tile)
    return [put if i == cell else content for i, content in enumerate(board)]


def drops(board: Sequence[int], law: Law) -> list[tuple[tuple[int, ...], float]]:
    """What a drop makes of an afterstate, with probabilities: on each empty cell equally often, the tile by law."""
    empty = [cell for cell, tile in enumerate(board) if not tile]
    return [((*board[:cell], tile, *board[cell + 1 :]), share / len(empty)) for cell in empty for tile, share in law]


def step(board: Board, action: int, chance: Stream | int, rules: Rules) -> tuple[Board, int]:
    """The board after a legal action and a drop, which is drawn or has this number in `drops`; and the reward."""
    moved = move(board, action, rules)
    assert moved is not None
    after, reward = moved
    if isinstance(chance, Stream):
        return place(after, chance, rules), reward
    return list(drops(after, rules.drop)[chance][0]), reward


def start(stream: Stream, rules: Rules) -> Board:
    """The first board of a game."""
    board = [0] * rules.cells
    for tile in rules.start:
        board = place(board, stream, rules, tile)
    return board


def downgraded(board: Board, limit: int, rules: Rules) -> Board:
    """The board with `limit` as its largest tile index, or as near as downgrading comes (`downgrade.pxd`)."""
    while max(board) > limit:
        tiles = {tile for tile in board if tile}
        for gap in range(max(tiles) - 1, 0, -1):
            below = {tile: tile - (tile > gap) for tile in tiles}
            if gap not in tiles and all(
                bool(rules.merge(a, b)) == bool(rules.merge(below[a], below[b])) for a in tiles for b in tiles
            ):
                board = [below.get(tile, 0) for tile in board]
                break
        else:
            return board
    return board
