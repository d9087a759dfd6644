"""`tdl.evaluate`: the games and figures of `tdl evaluate`, from Python; arguments, and Ctrl-C.

Trusts the command line (tests/runs/test_evaluate.py) and the agents it plays (tests/players).
"""

import json
import signal

import numpy as np
import pytest
from support.programs import inside

import tdl
import tdl.cli.evaluate as program
from tdl.errors import ConfigError, Interrupted
from tdl.statistics.summary import evaluation_block

TINY = tdl.Rules(rows=2, cols=2)
FIRST = {"episodes": 30, "seed": 5}


def first_legal(rules):
    engine = tdl.Engine(rules)
    return lambda board: engine.legal(board)[0]


def same_figures(some, others):
    """Whether two evaluations are alike in all but their speed."""
    timed = {"seconds": 0, "moves_per_second": 0}
    return json.loads(json.dumps(some | timed)) == json.loads(json.dumps(others | timed))


def test_games_figures_and_text_are_those_of_the_command(small_run, tmp_path, capsys):
    run = small_run("episodes=60", "evaluate.episodes=20", "seed=3")
    words = (f"checkpoint={run}", "evaluate.episodes=30", "seed=5", f"hydra.run.dir={tmp_path}")
    assert inside(*words, program=program.main).returncode == 0
    records = np.load(tmp_path / "evaluation.npy", allow_pickle=False)
    figures = json.loads((tmp_path / "result.json").read_text())["evaluation"]
    capsys.readouterr()
    best = tdl.load(run).best
    for policy in (run, str(run), run / "checkpoint", tdl.load(run), best):
        table = tdl.evaluate(policy, **FIRST)
        assert table.columns.tolist() == list(records.dtype.names)
        assert np.array_equal(table.to_records(index=False), records)
        assert same_figures(table.attrs, figures)
        out, err = capsys.readouterr()
        assert out == evaluation_block(table.attrs)
        assert "evaluate 30/30" in err


def test_options_of_an_agent_in_an_evaluation_that_prints_nothing(capsys):
    player = tdl.Player(tdl.NTupleNetwork(TINY, [[0, 1]]))
    deeper = tdl.evaluate(player, 3, seed=5, plies=2, progress=False)
    assert np.array_equal(deeper.to_records(index=False), player.evaluate(3, seed=5, plies=2))
    assert capsys.readouterr() == ("", "")
    with pytest.raises(ConfigError, match="size: '2x2' is not allowed; expected None with an agent"):
        tdl.evaluate(player, size="2x2")


@pytest.mark.parametrize(
    ("names", "rules"),
    [
        ({}, tdl.Rules()),
        ({"game": 2584, "size": "2x3"}, tdl.Rules("2584", 2, 3)),
        ({"size": "2x2", "tiles": "p80_20"}, tdl.Rules(rows=2, cols=2, drop=((1, 0.8), (2, 0.2)))),
    ],
)
def test_a_game_by_its_names_or_as_rules(names, rules):
    policy = first_legal(rules)
    tables = [tdl.evaluate(policy, 5, progress=False, **named) for named in (names, {"rules": rules})]
    assert tables[0].equals(tables[1])


@pytest.mark.parametrize(
    ("arguments", "telling"),
    [
        ({"policy": 3}, "policy: 3 is not allowed; expected a function of boards, a tdl.Player, or the folder"),
        ({"policy": tdl.Player}, "policy: <class 'tdl.players.player.Player'> is not allowed; expected a function"),
        ({"rules": "2x2"}, "rules: '2x2' is not allowed; expected Rules, as tdl.Rules"),
        ({"rules": TINY, "size": "2x2"}, "size: '2x2' is not allowed; expected None where rules are given"),
        ({"size": "9x9"}, "size: '9x9' is not allowed; .* did you mean '5x5'"),
        ({"game": "2049"}, "game: '2049' is not allowed; expected one of .* did you mean '2048'"),
        ({"tiles": "p90"}, "tiles: 'p90' is not allowed; expected one of .* did you mean 'p90_10'"),
        ({"boards": 0}, "boards: 0 is not allowed"),
        ({"episodes": 0}, "episodes: 0 is not allowed; expected a whole number of at least 1"),
        ({"episodes": 10**15}, "episodes: the records of 1,000,000,000,000,000 games need .* GiB are free"),
        ({"seed": "x"}, "seed: 'x' is not allowed"),
        ({"plies": 2}, "policy: of the games of a function only seed and engine can be chosen"),
        ({"ply": 2}, "ply: no such option; .* did you mean 'plies'"),
    ],
)
def test_a_wrong_call_is_refused(arguments, telling):
    with pytest.raises(ConfigError, match=telling) as caught:
        tdl.evaluate(**({"policy": first_legal(TINY), "episodes": 5} | arguments))
    assert "\n" not in str(caught.value)


def stopped(game, signal_number=signal.SIGINT):
    """A function that has a signal sent at the first move of a game, and plays on."""
    engine, starts = tdl.Engine(TINY), []

    def choose(board):
        if (board > 0).sum() == 2 and board.max() <= 4:
            starts.append(board)
            if len(starts) == game + 1:
                signal.raise_signal(signal_number)
        return engine.legal(board)[0]

    return choose


def test_ctrl_c_gives_the_games_so_far(capsys):
    every = tdl.evaluate(first_legal(TINY), 50, seed=5, rules=TINY, progress=False)
    handler = signal.getsignal(signal.SIGINT)
    table = tdl.evaluate(stopped(7), 50, seed=5, rules=TINY)
    assert 0 < len(table) < 50
    assert table.equals(every[: len(table)])
    out, err = capsys.readouterr()
    assert f"games    {len(table)}\n" in out
    assert "stopping with the games so far" in err
    assert signal.getsignal(signal.SIGINT) is handler


@pytest.mark.parametrize(("game", "number"), [(0, signal.SIGINT), (7, signal.SIGTERM)])
def test_without_a_game_and_by_another_signal_the_program_hears_of_it(game, number):
    with pytest.raises(Interrupted) as caught:
        tdl.evaluate(stopped(game, number), 50, seed=5, rules=TINY, progress=False)
    assert caught.value.exit_code == 128 + number
