"""The kit as a whole: conventions are told, and what is wrong can be met again.

Which wrong rules are found is tested in test_mutants.py, our own environment in test_own_environment.py.
"""

import contextlib
import io
import json
import re
import sys

import numpy as np
import pytest
from support.mutants import MUTANTS
from support.plain_2048 import Functions, Lanes, Plain

import tdl
import tdl.gym
from tdl.cli import check_rules
from tdl.config.files import named_rules
from tdl.conformance.located import located
from tdl.errors import ConfigError
from tdl.game.rules import Rules

RULES = Rules(rows=3, cols=3)


def findings(env, rules=RULES, steps=1000):
    """The findings by their checks."""
    table = tdl.rules_check(env, rules, steps=steps)
    return {row.check: row for row in table.itertuples()}


@pytest.mark.parametrize(
    "form",
    [
        {"max_episode_steps": 300, "start": ("drop",)},
        {"game": "2584", "size": "3x3", "tiles": "p75_25"},
        {"game": "threes_law", "size": "2x4"},
    ],
    ids=str,
)
def test_other_games_of_ours_are_right(form):
    words = {"game": "2048", "size": "4x4"} | {key: form[key] for key in ("game", "size", "tiles") if key in form}
    env = tdl.gym.GameVectorEnv(32, **form)
    table = tdl.rules_check(env, named_rules(**words), steps=3000)
    assert table[table.verdict == "wrong"].text.tolist() == []
    assert {"slides", "end", "score", "mask"} <= {*table[table.verdict == "conforms"].check}


def test_one_game_of_ours_is_right_and_the_generators_of_others_are_left_alone():
    state = np.random.get_state()[1].tolist()
    table = tdl.rules_check(tdl.gym.GameEnv, steps=1500)
    assert not (table.verdict == "wrong").any()
    assert np.random.get_state()[1].tolist() == state


def test_conventions_are_told():
    seen = findings(
        Plain(order=(3, 0, 1, 2), shown="planes", first=1, illegal="costs", paid=lambda gained: gained / 2)
    )
    assert seen["actions"].text == "0 left, 1 up, 2 right, 3 down"
    assert seen["observation"].text == "observation: one-hot, planes last, one for empty cells"
    assert seen["number of first tiles"].text.startswith("reset puts 1,")
    assert seen["illegal moves"].text.startswith("ignored; reward -1;")
    assert seen["rewards"].text.startswith("0.5 x the score")
    conventions = ("actions", "observation", "number of first tiles", "illegal moves", "rewards")
    assert {seen[check].verdict for check in conventions} == {"convention"}


@pytest.mark.parametrize(
    ("words", "check", "text"),
    [
        ({"illegal": "ends"}, "illegal moves", "ends the game; reward 0"),
        ({"illegal": "raises"}, "illegal moves", "raises ValueError: illegal move"),
        ({"paid": lambda gained: np.log2(gained) if gained else 0.0}, "rewards", "log2 of the score"),
        ({"paid": lambda gained: 1.0}, "rewards", "1 for each move"),
        ({"paid": lambda gained: float(gained % 7)}, "rewards", "of its own"),
        ({"goal": 5}, "end", "terminated when no move is legal"),
    ],
    ids=["ends", "raises", "log2", "constant", "modulo", "goal"],
)
def test_more_conventions(words, check, text):
    seen = findings(Plain(**words))[check]
    assert text in seen.text
    assert seen.verdict == "convention"


def run(lines, env):
    """What lines of Python print; `env` is there unless they make it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(lines, {"env": env})
    return out.getvalue()


@pytest.mark.parametrize(
    "name",
    ["MergesTwice", "MergesThree", "PaysTheFirstMerge", "EndsLate", "DropsAfterIllegalMoves", "NeverFillsTheBoard"],
)
def test_a_reproduction_shows_it_again(name):
    mutant, words, _ = MUTANTS[name]
    checks = {
        "EndsLate": "end",
        "NeverFillsTheBoard": "one drop",
        "DropsAfterIllegalMoves": "illegal moves",
        "PaysTheFirstMerge": "rewards",
    }
    row = findings(mutant(**words))[checks.get(name, "slides")]
    first, second, third = row.reproduction.splitlines()
    assert first.startswith("# env")
    assert second.startswith("env.reset(seed=")
    seen = third.split("seen ")[1]
    board, _, reward = seen.partition(", reward ")
    printed = run(row.reproduction, mutant(**words))
    cells = re.findall(r"\d+", printed.partition("]]")[0])
    assert cells == re.findall(r"\d+", board)
    assert f"), {float(reward)}, " in printed


class Adapter:
    """A wrong environment into which boards can be put."""

    def __init__(self, env):
        self.env = env

    def reset(self, *, seed=None):
        return self.env.reset(seed=seed)

    def step(self, action):
        return self.env.step(action)

    def set_board(self, rows):
        self.env.board = [value.bit_length() - 1 if value else 0 for row in rows for value in row]


class LosesTheLargest(Plain):
    """Wrong in one row of all, which no game of a few moves meets."""

    def slide(self, line):
        return ([9, 10, 0], 0) if line == (9, 10, 9) else super().slide(line)


def test_all_rows_are_met_where_boards_can_be_set():
    row = findings(Adapter(LosesTheLargest()))["slides"]
    assert (row.verdict, row.board) == ("wrong", "0 512 0 / 0 1024 0 / 0 512 0")
    assert "env.set_board([[0, 512, 0], [0, 1024, 0], [0, 512, 0]])" in row.reproduction
    run(row.reproduction, Adapter(LosesTheLargest()))
    assert "all 4,096 rows in all directions" in findings(Adapter(Plain()))["slides"].text


def test_functions_of_boards_are_placed_and_played():
    assert "all 4,096 rows in all directions" in findings(Functions())["slides"].text
    row = findings(Functions(MUTANTS["MergesTwice"][0]()))["slides"]
    assert row.verdict == "wrong"
    assert "8" in run(row.reproduction, Functions(MUTANTS["MergesTwice"][0]()))


class Breaks(Plain):
    def drop(self, before):
        super().drop(before)
        if max(self.board) > 3:
            raise RuntimeError("no such tile")


def test_what_an_environment_raises_is_a_finding():
    row = findings(Breaks())["errors"]
    assert (row.verdict, row.text) == ("wrong", "step raised RuntimeError: no such tile")
    with pytest.raises(RuntimeError, match="no such tile"):
        run(row.reproduction, Breaks())


@pytest.mark.parametrize(
    ("name", "telling"),
    [
        ("mine", "expected MODULE:ENV, as tdl.gym:tdl/Game-v0 or mine:MyEnv"),
        ("mine.py:Env", "env: 'mine.py:Env' is not allowed; expected MODULE:ENV"),
        ("./mine:Env", "env: './mine:Env' is not allowed; expected MODULE:ENV"),
        ("no_such_module:Env", "there is no module no_such_module; is its package installed?"),
        ("tdl.gym:tdl/Gane-v0", "did you mean 'tdl/Game-v0'"),
        ("tdl.gym:GameEnw", "did you mean 'GameEnv'"),
        ("tdl.gym:ID", "env: 'tdl/Game-v0' is not allowed; expected an environment with reset and step"),
    ],
)
def test_wrong_names_are_one_line(name, telling):
    with pytest.raises(ConfigError) as caught:
        tdl.rules_check(located(name)[0])
    assert telling in str(caught.value)
    assert "\n" not in str(caught.value)


def leaves(*_):
    sys.exit(0)


def test_an_environment_that_leaves_python_is_wrong(tmp_path, monkeypatch):
    assert (
        findings(type("Leaves", (Plain,), {"refused": leaves})())["errors"].text
        == "it cannot be played: SystemExit: 0"
    )
    with pytest.raises(ConfigError, match="making it raised SystemExit: 0"):
        tdl.rules_check(type("Leaves", (Plain,), {"__init__": leaves}))
    (tmp_path / "leaves_python.py").write_text("raise SystemExit(0)\n")
    monkeypatch.setattr("sys.path", [*sys.path, str(tmp_path)])
    with pytest.raises(ConfigError, match="import leaves_python raised SystemExit: 0"):
        located("leaves_python:Env")


def test_the_command(tmp_path, monkeypatch, capsys):
    (tmp_path / "mine_to_check.py").write_text(
        "from tdl.gym import GameVectorEnv\n\n\ndef right():\n    print('made')\n    return GameVectorEnv(16)\n\n\n"
        "def wrong():\n    return GameVectorEnv(16, tiles='p75_25')\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [*sys.path])
    for env, code in (("mine_to_check:right", 0), ("mine_to_check:wrong", 2)):
        with pytest.raises(SystemExit) as left:
            check_rules.main(["--json", env, "steps=2000"])
        assert left.value.code == code
        report = json.loads(capsys.readouterr().out)
        assert (report["environment"], report["error"]) == (env, 0.001)
        assert (code == 2) == any(finding["verdict"] == "wrong" for finding in report["findings"])


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        ("a:b sise=4x4", "sise: no such key; expected one of game, size, tiles, steps, seed; did you mean 'size'"),
        ("", "MODULE:ENV is missing; expected one MODULE:ENV, then KEY=VALUE"),
        ("a:b game", "a:b game; expected one MODULE:ENV, then KEY=VALUE"),
        ("a:b game=", "game=: a word without a value; expected game=VALUE"),
        ("a:b steps=many", "steps: 'many' is not allowed; expected a whole number"),
        ("a:b steps=1e-3", "steps: '1e-3' is not allowed; expected a whole number"),
        ("a:b game=2049", "did you mean '2048'"),
        ("tdl.gym:GameEnv steps=3", "steps: 3 is not allowed; expected a whole number from 1000 to 10000000"),
    ],
)
def test_wrong_words_are_one_line(words, telling, capsys):
    with pytest.raises(SystemExit) as left:
        check_rules.main(words.split())
    (line,) = capsys.readouterr().err.splitlines()
    assert left.value.code == 2
    assert telling in line


class Old(Plain):
    """As the older Gym: `reset` takes no seed and returns the observation alone, `step` returns four things."""

    def reset(self):
        return super().reset()[0]

    def step(self, action):
        observation, reward, terminated, truncated, info = super().step(action)
        return observation, reward, terminated, info | {"TimeLimit.truncated": truncated}

    def seed(self, seed=None):
        super().seed(seed)


class OldMergesTwice(Old, MUTANTS["MergesTwice"][0]):
    pass


def test_environments_of_the_older_gym_are_played():
    seen = findings(Adapter(Old()).env)
    assert {check for check, row in seen.items() if row.verdict == "wrong"} == {"interface"}
    row = findings(OldMergesTwice())["slides"]
    assert "\nenv.seed(" in row.reproduction
    assert run(row.reproduction, OldMergesTwice())


def test_games_of_vector_environments_are_met_again():
    env = Lanes(env=MUTANTS["MergesTwice"][0])
    row = findings(env)["slides"]
    assert f"]) * {env.num_envs}" in row.reproduction or f"] * {env.num_envs}" in row.reproduction
    lane = int(re.search(r"# game (\d+):", row.reproduction)[1])
    boards = run(row.reproduction, Lanes(env=MUTANTS["MergesTwice"][0])).split("\n\n")
    seen = row.reproduction.split("seen ")[1].partition(",")[0]
    assert re.findall(r"\d+", boards[lane].partition("]]")[0]) == re.findall(r"\d+", seen)


class ResetsOnce(Plain):
    resets = 0

    def reset(self, **words):
        self.resets += 1
        if self.resets > 1:
            raise OSError("gone")
        return super().reset(**words)


class NeverSteps(Plain):
    def step(self, action):
        raise OSError("gone")


class ReturnsThree(Plain):
    def step(self, action):
        return super().step(action)[:3]


class ChangesItsMind(Plain):
    """Shows something else after many steps."""

    count = 0

    def observed(self):
        self.count += 1
        return super().observed() if self.count < 3000 else {"other": super().observed()}


@pytest.mark.parametrize("broken", [ResetsOnce, NeverSteps, ReturnsThree, ChangesItsMind])
def test_broken_environments_have_findings_and_no_traceback(broken):
    row = findings(broken())["errors"]
    assert row.verdict == "wrong"
