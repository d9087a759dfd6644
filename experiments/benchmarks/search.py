"""Games by the plies looked ahead: with a table of searched boards against without, several threads against one."""

from collections.abc import Iterator
from functools import partial

from experiments.benchmarks.harness import Row, main, per_second
from tdl.benchmarks.peer import GAMES
from tdl.benchmarks.versus import in_turn
from tdl.game.engine import EVALUATION
from tdl.game.lines import LineTables
from tdl.learning.options import LearnerOptions
from tdl.players.player import Player, load
from tdl.search.options import AUTO_TABLE, SearchOptions
from tdl.statistics.intervals import ratio_range
from tdl.training.options import PlayOptions
from tdl.training.threads import kernel


def measure(
    checkpoint: str, plies: tuple[int, ...] = (1, 2, 3), rounds: int = 3, threads: int = 1, games: int = 0
) -> Iterator[Row]:
    """Moves per second without a table of searched boards (none) and with one (table); above 1 the table is faster.

    boards: valued for a move without a table; found: the share of the searched afterstates that the table had;
    threads: the speed of several over that of one, without a table.

    checkpoint: whose network plays
    rounds: turns of each
    threads: compare so many with one; 1: no comparison
    games: of each turn; 0: by the plies
    """
    player = load(checkpoint, copy=True)
    for depth in plies:
        number = games or GAMES.get(depth, 1)
        turns = in_turn((0, AUTO_TABLE), rounds, partial(play, player, depth, number))
        none, table = ([turn["speed"] for turn in side] for side in turns.values())
        row = {"plies": depth, "none": none, "table": table, "ratio": ratio_range(table, none)}
        row |= {"boards": turns[0][0]["boards"], "found": turns[AUTO_TABLE][0]["found"]}
        if threads > 1:
            speeds = in_turn((threads, 1), rounds, partial(threaded, player, depth, number))
            row["threads"] = ratio_range(*speeds.values())
        yield row


def play(player: Player, plies: int, games: int, table: int, turn: int) -> dict[str, float]:
    """Moves per second with a table of so many MiB, boards valued for a move, and the share found in the table."""
    network, options = player.network, PlayOptions(search=SearchOptions(plies, table=table))
    learner = LearnerOptions(gamma=player.gamma, target=player.target)
    selfplay = kernel(network)(network, LineTables(network.rules), learner, options, role=EVALUATION, learns=False)
    speed = per_second(lambda: selfplay.play(0, games)["moves"].sum())
    counts = selfplay.search.counts if selfplay.search else {"leaves": 0, "nodes": 0, "found": 0}
    share = counts["found"] / max(1, counts["nodes"] + counts["found"])
    return {"speed": speed, "boards": counts["leaves"] / selfplay.moves, "found": share}


def threaded(player: Player, plies: int, games: int, threads: int, turn: int) -> float:
    """Moves per second of as many games for each thread, without a table."""
    search = SearchOptions(plies, table=0)
    return per_second(lambda: player.evaluate(games * threads, threads=threads, search=search)["moves"].sum())


if __name__ == "__main__":
    main(measure)
