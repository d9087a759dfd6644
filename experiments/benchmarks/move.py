"""`tdl move --stdin`: lines a second where all wait in a pipe, and where each waits for the answer before it."""

import subprocess
import sys
import time
from collections.abc import Iterator

from experiments.benchmarks.harness import Row, main
from tdl.game.engine import EVALUATION, Engine, Stream
from tdl.players.kinds import load_agent

COMMAND = (sys.executable, "-m", "tdl", "move", "--stdin")


def measure(checkpoint: str, lines: int = 300_000, rounds: int = 3) -> Iterator[Row]:
    """Boards of random games in three notations, a line each; the program's start is not counted.

    checkpoint: whose agent answers
    lines: that wait; a tenth of them are asked one by one
    rounds: of each
    """
    engine = load_agent(checkpoint).engine
    boards = _boards(engine, lines)
    rows = [engine.array(board).tolist() for board in boards]
    digits = [f"{board:x}".zfill(engine.rules.cells)[::-1] for board in boards]
    notations = {
        "numbers": [" ".join(str(value) for row in board for value in row) for board in rows],
        "rows by slashes": ["/".join(" ".join(map(str, row)) for row in board) for board in rows],
        **({"hexadecimal": digits} if engine.rules.bits == 4 else {}),
    }
    for name, texts in notations.items():
        together = [_together(checkpoint, texts) for _ in range(rounds)]
        single = [_one_by_one(checkpoint, texts[: lines // 10]) for _ in range(rounds)]
        yield {"notation": name, "together, lines/s": together, "one by one, lines/s": single}


def _boards(engine: Engine, count: int) -> list[int]:
    """The boards of games with the first legal move."""
    boards: list[int] = []
    for episode in range(count):
        if len(boards) >= count:
            break
        drops = Stream(1, EVALUATION, episode)
        board = engine.start(drops)
        while moves := engine.afterstates(board):
            boards.append(board)
            board = engine.place(moves[drops.next() % len(moves)][1], drops)
    return boards[:count]


def _together(checkpoint: str, texts: list[str]) -> float:
    """Lines a second, from the first answer to the end of the program."""
    with _started(checkpoint, texts[0]) as program:
        start = time.perf_counter()
        program.communicate("\n".join(texts).encode())
        return len(texts) / (time.perf_counter() - start)


def _one_by_one(checkpoint: str, texts: list[str]) -> float:
    """Lines a second, each written when the answer to the one before is read."""
    with _started(checkpoint, texts[0]) as program:
        start = time.perf_counter()
        for text in texts:
            _ask(program, text)
        speed = len(texts) / (time.perf_counter() - start)
        program.communicate()
        return speed


def _started(checkpoint: str, text: str) -> subprocess.Popen[bytes]:
    """The program when it has answered a line."""
    program = subprocess.Popen([*COMMAND, checkpoint], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    _ask(program, text)
    return program


def _ask(program: subprocess.Popen[bytes], text: str) -> None:
    assert program.stdin
    assert program.stdout
    program.stdin.write(f"{text}\n".encode())
    program.stdin.flush()
    program.stdout.readline()


if __name__ == "__main__":
    main(measure)
