"""Files of the first games of an evaluation, move by move, with what each move loses by a deeper search."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import numpy as np

from tdl.errors import TdlError, refuse
from tdl.game.rules import ACTION_NAMES
from tdl.players.player import Player
from tdl.runs.progress import Progress
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import save
from tdl.sessions.mistakes import mistakes, with_losses
from tdl.sessions.recorded_game import RecordedGame
from tdl.sessions.session import can_be_recorded, record_game
from tdl.storage.records import Records
from tdl.storage.run_folder import RunFolder
from tdl.training.options import PlayOptions


def check(player: Player, options: PlayOptions, games: int) -> None:
    """Refuse to record games whose moves could come out otherwise."""
    if games and not can_be_recorded(player, options.search):
        raise refuse(
            "evaluate.record", games, "0 for a network of states that looks ahead and was trained with a table of the "
            "drops (learner.expectation)"
        )  # fmt: skip


def record(
    player: Player,
    options: PlayOptions,
    records: Records,
    folder: RunFolder,
    checkpoint: str | None,
    stop: Callable[[], None],
) -> list[RecordedGame]:
    """Play the games of `records` once more and leave every move of each in a file.

    Each file says the digest `checkpoint`. `stop` is called after each move; it raises to give the games up.
    """
    progress, done = Progress("record", len(records), "moves"), 0
    games: list[RecordedGame] = []

    def between(moves: int) -> None:
        progress.update(len(games), done + moves)
        stop()

    with closing(progress):
        for row in records:
            game = record_game(
                player,
                options.seed,
                int(row["episode"]),
                search=options.search,
                checkpoint=checkpoint,
                on_progress=between,
            )
            if (game.score, len(game.moves), game.max_tile) != (row["score"], row["moves"], row["max_tile"]):
                raise TdlError(
                    f"game {row['episode']} was not recorded as it was played: score {game.score}, not {row['score']}"
                )
            save(folder.game(game.episode), game)
            games.append(game)
            done += len(game.moves)
            progress.update(len(games), done)
    return games


def judge(
    games: list[RecordedGame],
    player: Player,
    search: SearchOptions,
    folder: RunFolder,
    stop: Callable[[], None],
) -> dict[str, Any]:
    """Judge the moves of recorded games by a deeper search; their files then say what each loses.

    Returns
    -------
    `plies`, the number of `moves`, `mean_loss` of a move, `share` of the moves that lose anything, and the `largest`
    losses, each with the numbers of game and move, the action chosen, the better one, and the loss in points.
    """
    progress, losses = Progress("judge", sum(len(game.moves) for game in games), "moves"), []

    def between(moves: int) -> None:
        progress.update(done + moves)
        stop()

    done = 0
    with closing(progress):
        for game in games:
            losses.append(mistakes(game, player, search=search, on_progress=between))
            save(folder.game(game.episode), with_losses(game, losses[-1]))
            done += len(game.moves)
    every = np.concatenate(losses)
    numbers = np.repeat([game.episode for game in games], [len(rows) for rows in losses])
    order = np.argsort(-every["loss"], kind="stable")[:5]  # as many are printed
    largest = [
        {"game": int(numbers[i]), "move": int(every["move"][i]), "chosen": ACTION_NAMES[every["chosen"][i]],
         "best": ACTION_NAMES[every["best"][i]], "loss": float(every["loss"][i])}
        for i in order if every["loss"][i] > 0
    ]  # fmt: skip
    return {
        "plies": search.plies,
        "moves": len(every),
        "mean_loss": float(every["loss"].mean()) if len(every) else 0.0,
        "share": float(np.mean(every["loss"] > 0)) if len(every) else 0.0,
        "largest": largest,
    }


def recording_block(games: list[RecordedGame], folder: RunFolder, judged: dict[str, Any] | None) -> str:
    """What was recorded, for people: a line for each file, then the largest losses."""
    names = [folder.game(game.episode).name for game in games]
    lines = [
        f"{name:<{len(names[-1])}}  {len(game.moves):,} moves, score {game.score:,}, tile {game.max_tile}"
        for name, game in zip(names, games, strict=True)
    ]
    if judged is not None:
        lines.append(
            f"by {judged['plies']} plies {100 * judged['share']:.1f}% of the moves lose something, "
            f"{judged['mean_loss']:.1f} points a move; the largest losses:"
        )
        lines += [
            f"{row['loss']:11,.1f}  game {row['game']} move {row['move']}: {row['chosen']}, better {row['best']}"
            for row in judged["largest"]
        ]
    return "\n".join(lines) + "\n"
