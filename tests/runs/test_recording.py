"""`tdl evaluate evaluate.record=N`: the first games as files, and what their moves lost by a deeper search.

Trusts `record_game`, `mistakes` and `tdl.Player.evaluate`.
"""

import os
import signal
import threading

import numpy as np
import pytest
from support.programs import files, inside, result, train, wait_until

import tdl
import tdl.cli.evaluate as program
from tdl.errors import TdlError
from tdl.game.rules import ACTION_NAMES
from tdl.runs.recording import record
from tdl.search.options import SearchOptions
from tdl.sessions.game_file import load
from tdl.sessions.mistakes import mistakes
from tdl.storage.run_folder import RunFolder
from tdl.training.options import PlayOptions


def test_the_program_judges(tmp_path, run):
    done = evaluated(tmp_path / "out", run, "evaluate.record=2", "evaluate.plies=2", "evaluate.mistakes=3")
    assert done.returncode == 0, done.stderr
    player, outcome = tdl.load(run), result(tmp_path / "out")["mistakes"]
    games = [load(RunFolder(tmp_path / "out").game(number)) for number in range(2)]
    per_game = [mistakes(game, player, 3)["loss"] for game in games]
    losses = np.concatenate(per_game)
    assert [[move.loss for move in game.moves] for game in games] == [row.tolist() for row in per_game]
    assert (outcome["plies"], outcome["moves"], outcome["mean_loss"]) == (3, len(losses), losses.mean())
    assert outcome["share"] == np.mean(losses > 0)
    assert [row["loss"] for row in outcome["largest"]] == np.sort(losses)[::-1][:5].tolist()
    for row in outcome["largest"]:
        move = games[row["game"]].moves[row["move"]]
        assert (ACTION_NAMES[move.action], row["loss"]) == (row["chosen"], move.loss)
        assert player.best(move.board, plies=3) == ACTION_NAMES.index(row["best"])
        assert f"game {row['game']} move {row['move']}: {row['chosen']}, better {row['best']}\n" in done.stdout
    records = np.load(tmp_path / "out" / "evaluation.npy")
    expected = player.evaluate(20, seed=3, search=SearchOptions(2))
    assert records.tobytes() == expected.tobytes()


def test_states_that_look_ahead_are_not_recorded(tmp_path):
    folder = train(tmp_path / "run", "size=2x4", "episodes=60", "learner.target=state")
    words = ("evaluate.record=1", "evaluate.plies=2")
    done = evaluated(tmp_path / "out", folder, *words)
    assert done.returncode == 2
    assert "evaluate.record: 1 is not allowed; expected 0 for a network of states that looks ahead" in done.stderr
    assert evaluated(tmp_path / "greedy", folder, words[0]).returncode == 0
    assert evaluated(tmp_path / "deep", folder, words[1]).returncode == 0
    by_boards = ("learner.target=state", "learner.expectation=direct")
    direct = train(tmp_path / "direct", "size=2x4", "episodes=60", *by_boards)
    assert evaluated(tmp_path / "recorded", direct, *words).returncode == 0


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A short run on 2x4."""
    folder = tmp_path_factory.mktemp("games") / "run"
    return train(folder, "size=2x4", "episodes=60")


def evaluated(folder, run, *words):
    words = (f"checkpoint={run}", "evaluate.episodes=20", "seed=3", f"hydra.run.dir={folder}", *words)
    return inside(*words, program=program.main)


def test_the_program_leaves_the_first_games(tmp_path, run):
    done = evaluated(tmp_path / "out", run, "evaluate.record=3")
    assert done.returncode == 0, done.stderr
    names = [RunFolder(tmp_path).game(number).name for number in range(3)]
    assert names == ["game.jsonl", "game-0001.jsonl", "game-0002.jsonl"]
    assert set(names) == {path.name for path in (tmp_path / "out").glob("*.jsonl")}
    for number, row in enumerate(np.load(tmp_path / "out" / "evaluation.npy")[:3]):
        game = load(tmp_path / "out" / names[number], tdl.load(run).network.rules)
        assert (game.score, len(game.moves), game.max_tile) == (row["score"], row["moves"], row["max_tile"])
        assert game.checkpoint == result(tmp_path / "out")["checkpoints"][0]["digest"]
        assert (
            f"{names[number]:<15}  {len(game.moves)} moves, score {game.score:,}, tile {game.max_tile}\n"
            in done.stdout
        )
    values = evaluated(tmp_path / "plain", run)
    assert values.stdout.splitlines()[0] == done.stdout.splitlines()[0]
    assert (tmp_path / "plain" / "evaluation.npy").read_bytes() == (tmp_path / "out" / "evaluation.npy").read_bytes()


MISTAKES = [
    ("evaluate.record=21", "evaluate.record: 21 is not allowed; expected at most evaluate.episodes, 20"),
    ("evaluate.record=1 placer=adversary", "expected 0 unless placer.kind=random"),
    ("evaluate.plies=2 evaluate.record=1 search.seconds=1", "expected 0 unless search.seconds=null"),
    ("evaluate.mistakes=3", "evaluate.mistakes: 3 is not allowed; expected null unless evaluate.record is above 0"),
    (
        "evaluate.record=1 evaluate.mistakes=1",
        "evaluate.mistakes: 1 is not allowed; expected more than evaluate.plies",
    ),
]


@pytest.mark.parametrize(("words", "telling"), MISTAKES, ids=[words for words, _ in MISTAKES])
def test_what_cannot_be_recorded_is_said_before_the_first_game(tmp_path, run, words, telling):
    done = evaluated(tmp_path / "out", run, *words.split())
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert telling in done.stderr
    assert not list(tmp_path.rglob("*.npy"))


def test_a_signal_while_games_are_recorded(tmp_path, run):
    """The figures and the games recorded so far stay."""
    first = RunFolder(tmp_path / "out").game(0)
    person = threading.Thread(target=lambda: (wait_until(first.exists), os.kill(os.getpid(), signal.SIGINT)))
    person.start()
    done = evaluated(tmp_path / "out", run, "evaluate.episodes=2000", "evaluate.record=2000")
    person.join()
    assert done.returncode == 130
    assert done.stderr.splitlines()[-1] == "tdl: stopped before all was done"
    games = set(files(tmp_path / "out")) - {"evaluation.npy", "result.json"}
    assert games == {RunFolder(tmp_path).game(number).name for number in range(len(games))}
    assert 1 <= len(games) < 2000
    outcome = result(tmp_path / "out")
    assert (outcome["status"], outcome["evaluation"]["episodes"]) == ("interrupted", 2000)


def test_a_game_that_comes_out_otherwise_is_an_error(tmp_path, run):
    """Should a kernel ever choose otherwise than the player asked here, no file tells of games not played."""
    player, options = tdl.load(run), PlayOptions(3)
    records = player.evaluate(2, play=options)
    records["score"][1] += 4
    with pytest.raises(TdlError, match="game 1 was not recorded as it was played"):
        record(player, options, records, RunFolder(tmp_path), None, lambda: None)
    assert set(files(tmp_path)) == {RunFolder(tmp_path).game(0).name}
