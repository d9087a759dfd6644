"""The first games of an evaluation move by move, left as files, and what their moves lost by a deeper search."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tdl.errors import TdlError, refuse
from tdl.game.rules import ACTION_NAMES
from tdl.runs.evaluation import Evaluation, NetworkEvaluation
from tdl.runs.progress import Progress
from tdl.sessions.action_values import can_be_recorded
from tdl.sessions.game_file import save
from tdl.sessions.mistakes import mistakes, with_losses
from tdl.sessions.recorded_game import RecordedGame
from tdl.sessions.recorder import record_game
from tdl.storage.records import Records

LARGEST = 5
"""Losses printed."""


def file_name(episode: int) -> str:
    """The file of a game: that of the first is `game.json`, however many there are."""
    return f"game-{episode:04}.json" if episode else "game.json"


def check(evaluation: Evaluation, games: int) -> None:
    """Refuse to record games whose moves could come out otherwise.

    Raises
    ------
    ConfigError : says why.
    """
    if not isinstance(evaluation, NetworkEvaluation):  # of other agents no game is asked to be recorded
        return
    if games and not can_be_recorded(evaluation.player, evaluation.searching, evaluation.expectation):
        raise refuse(
            "evaluate.record", games, "0 for a network of states that looks ahead and was trained with a table of the "
            "drops (learner.expectation)"
        )  # fmt: skip


def record(
    evaluation: NetworkEvaluation, records: Records, folder: Path, checkpoint: str | None, stop: Callable[[], None]
) -> list[RecordedGame]:
    """Play the games of `records` once more and leave every move of each in a file.

    Parameters
    ----------
    evaluation : how they were played.
    checkpoint : digest of the player's checkpoint, if it is one.
    stop : called after each move; it raises to give the games up.

    Raises
    ------
    TdlError : a game came out otherwise than it is on record.
    """
    player = evaluation.player
    progress, done = Progress("record", 0, len(records)), 0
    games: list[RecordedGame] = []

    def between(moves: int) -> None:
        progress.update(len(games), done + moves)
        stop()

    try:
        for row in records:
            game = record_game(
                player,
                evaluation.seed,
                int(row["episode"]),
                search=evaluation.searching,
                expectation=evaluation.expectation,
                checkpoint=checkpoint,
                on_progress=between,
            )
            if (game.score, len(game.moves), game.max_tile) != (row["score"], row["moves"], row["max_tile"]):
                raise TdlError(
                    f"game {row['episode']} was not recorded as it was played: score {game.score}, not {row['score']}"
                )
            save(folder / file_name(game.episode), game)
            games.append(game)
            done += len(game.moves)
            progress.update(len(games), done)
    finally:
        progress.close()
    return games


def judge(
    games: list[RecordedGame], evaluation: NetworkEvaluation, plies: int, folder: Path, stop: Callable[[], None]
) -> dict[str, Any]:
    """Evaluator the moves of recorded games by a deeper search, else like that of the games; their files then say it.

    Returns
    -------
    `plies`, the number of `moves`, `mean_loss` of a move, `share` of the moves that lose anything, and the `largest`
    losses, each with the numbers of game and move, the action chosen, the better one, and the loss in points.
    """
    player = evaluation.player
    searching = dataclasses.replace(evaluation.searching, plies=plies, by_empty=())
    progress, found = Progress("judge", 0, sum(len(game.moves) for game in games)), []

    def between(moves: int) -> None:
        progress.update(done + moves, done + moves)
        stop()

    done = 0
    try:
        for game in games:
            found.append(
                mistakes(game, player, search=searching, expectation=evaluation.expectation, on_progress=between)
            )
            save(folder / file_name(game.episode), with_losses(game, found[-1]))
            done += len(game.moves)
    finally:
        progress.close()
    every, numbers = np.concatenate(found), np.repeat([game.episode for game in games], [len(each) for each in found])
    order = np.argsort(-every["loss"], kind="stable")[:LARGEST]
    largest = [
        {"game": int(numbers[i]), "move": int(every["move"][i]), "chosen": ACTION_NAMES[every["chosen"][i]],
         "best": ACTION_NAMES[every["best"][i]], "loss": float(every["loss"][i])}
        for i in order if every["loss"][i] > 0
    ]  # fmt: skip
    return {
        "plies": plies,
        "moves": len(every),
        "mean_loss": float(every["loss"].mean()) if len(every) else 0.0,
        "share": float(np.mean(every["loss"] > 0)) if len(every) else 0.0,
        "largest": largest,
    }


def recording_block(games: list[RecordedGame], judged: dict[str, Any] | None) -> str:
    """What was recorded, for people: a line for each file, then the largest losses."""
    width = len(file_name(games[-1].episode))
    lines = [
        f"{file_name(game.episode):<{width}}  {len(game.moves):,} moves, score {game.score:,}, tile {game.max_tile}"
        for game in games
    ]
    if judged is not None:
        lines.append(
            f"by {judged['plies']} plies {100 * judged['share']:.1f}% of the moves lose something, "
            f"{judged['mean_loss']:.1f} points a move; the largest losses:"
        )
        lines += [
            f"{each['loss']:11,.1f}  game {each['game']} move {each['move']}: {each['chosen']}, better {each['best']}"
            for each in judged["largest"]
        ]
    return "\n".join(lines) + "\n"
