"""The protocol of two players: what is said and what is done, by the rules; two programs play a whole game.

Trusts the engine, the adversary's reference implementation, and `record_game`.
"""

import io
import subprocess

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support import PATIENCE
from support.programs import inside, running, train
from support.shapes import RULES, few, random_boards, small_tuples

import tdl
from tdl.cli.match import main
from tdl.errors import ConfigError
from tdl.game.boards import pack
from tdl.game.engine import EVALUATION
from tdl.game.game_reference import Stream
from tdl.network.network_reference import ReferenceNetwork
from tdl.search.adversary_reference import ReferenceAdversary
from tdl.search.options import PlacerOptions, SearchOptions
from tdl.sessions.session import Session
from tdl.sessions.two_player_protocol import (
    MAX_CHARACTERS,
    MAX_MATCHES,
    NO_MOVE,
    Matches,
    TilePlacer,
    bounded_lines,
    converse,
)

FIB = tdl.Rules("2584", drop=((1, 0.75), (3, 0.25)))
PLACINGS = {
    "worst": PlacerOptions("adversary"),
    "two ahead": PlacerOptions("adversary", depth=2),
    "chosen": PlacerOptions("adversary", tile="chosen"),
    "chosen, two ahead": PlacerOptions("adversary", depth=2, tile="chosen"),
    "first empty": PlacerOptions("adversary", first_empty=True),
}


def greedy(rules):
    """Moves are worth their rewards."""
    return Session(rules).rewards


def both(rules=FIB, seed=1):
    return Matches(rules, greedy(rules), TilePlacer(rules, PlacerOptions(), seed=seed))


def answered(matches, *lines):
    """The last answers."""
    for line in lines:
        answers = matches.answers(line)
    return answers


def test_the_lines_of_a_match():
    """Worked out by hand: a 1 on cell 5 and a 3 on cell 6 do not merge, a 1 and a 2 do (fib 1 + 2 = 3, index 3)."""
    rules = tdl.Rules("2584", drop=((1, 0.9), (2, 0.1)))
    matches = both(rules)
    assert answered(matches, "match 7 open me:you") == ["match 7 play ready", "match 7 evil ready"]
    assert answered(matches, "match 7 play take turn") == ["match 7 play move ffffffff"]  # nothing to move
    assert answered(matches, "match 7 evil move 15", "match 7 evil move 26") == []  # tile 1 on cell 5, 2 on cell 6
    assert matches.boards["7"] == pack([0] * 5 + [1, 2] + [0] * 9, rules)
    assert answered(matches, "match 7 play take turn") == ["match 7 play move 1"]  # right earns 3, before left
    assert answered(matches, "match 7 play move 1") == []
    assert matches.boards["7"] == pack([0] * 7 + [3] + [0] * 8, rules)
    assert answered(matches, "match 7 close me") == []
    assert matches.boards == {}


def test_names_choose_sides():
    matches = Matches(FIB, greedy(FIB), TilePlacer(FIB, PlacerOptions()), ("me", "bad"))
    assert answered(matches, "match 1 open me:other") == ["match 1 play ready"]
    assert answered(matches, "match 2 open other:bad") == ["match 2 evil ready"]
    assert answered(matches, "match 3 open me:bad") == ["match 3 play ready", "match 3 evil ready"]
    assert answered(matches, "match 4 open some:body") == []
    assert answered(matches, "match 4 play take turn") == []
    alone = Matches(FIB, action_values=greedy(FIB))
    assert answered(alone, "match 1 open a:b") == ["match 1 play ready"]
    assert answered(alone, "match 1 evil take turn") == []


def test_the_arena_may_say_which_tile_drops():
    matches = both()
    answered(matches, "match 1 open a:b")
    codes = [int(answered(matches, "match 1 evil take turn, drop 3")[0].split()[-1], 16) for _ in range(20)]
    assert {code >> 4 for code in codes} == {3}
    assert len({code & 15 for code in codes}) > 5
    with pytest.raises(ConfigError, match="tile index 2 does not drop; the law has 1, 3"):
        answered(matches, "match 1 evil take turn, drop 2")


@pytest.mark.parametrize(
    ("line", "telling"),
    [
        ("hello", "no line of the protocol"),
        ("match 1 play take", "no line of the protocol"),
        ("match 1 open a:b", "match 1 is open already"),
        ("match 1 evil move 1f0", "tile index 31 does not drop"),
        ("match 1 evil move 10", "cell 0 of move 10 is not an empty one"),
        ("match 1 play move 0", "move 0 is not legal"),
        ("match 1 evil move 4", "tile index 0 does not drop"),
    ],
)
def test_what_is_against_the_rules_changes_nothing(line, telling):
    matches = both()
    answered(matches, "match 1 open a:b", "match 1 evil move 10")
    before = dict(matches.boards)
    with pytest.raises(ConfigError, match=telling):
        matches.answers(line)
    assert matches.boards == before


def test_small_boards():
    """No cell beyond the board; a full one leaves evil nothing."""
    matches = Matches(RULES["2x3"], greedy(RULES["2x3"]))
    answered(matches, "match 1 open a:b")
    with pytest.raises(ConfigError, match="cell 6 of move 16"):
        matches.answers("match 1 evil move 16")
    matches = both(RULES["2x2"])
    answered(matches, "match 1 open a:b", *(f"match 1 evil move {code}" for code in ("10", "21", "12", "23")))
    assert answered(matches, "match 1 evil take turn") == ["match 1 evil move ffffffff"]


def test_matches_are_bounded():
    matches = both()
    for number in range(MAX_MATCHES):
        matches.answers(f"match {number} open a:b")
    with pytest.raises(ConfigError, match="more than 1000 matches"):
        matches.answers("match x open a:b")
    matches.answers("match 0 close a")
    assert matches.answers("match x open a:b")


@few
@given(
    st.lists(
        st.text(max_size=40) | st.from_regex(r"match [12] (play|evil) (move [0-9a-f]{1,9}|take turn)", fullmatch=True)
    )
)
def test_whatever_is_written_the_boards_stay_boards(lines):
    matches, complaints = both(), []
    converse(matches, ["match 1 open a:b", *lines, "match 1 close a", "x" * 2000], list, complaints.append)
    assert set(matches.boards) <= {"1", "2"}
    assert complaints[-1] == f"line {len(lines) + 3}: longer than 1000 characters"
    for board in matches.boards.values():
        assert matches.engine.board(board) == board


def test_a_line_without_end_is_not_kept():
    """Nor are bytes that are no text an error of the program."""
    said = b"match 1 open a:b\n" + b"x" * 10_000 + b"\nmatch 1 open " + "é".encode() * 600 + b"\n\xff\nmatch 1 close a"
    lines = list(bounded_lines(io.BytesIO(said)))
    assert [line.strip() for line in (lines[0], *lines[3:])] == ["match 1 open a:b", "\ufffd", "match 1 close a"]
    assert all(MAX_CHARACTERS < len(line) <= MAX_CHARACTERS + 1 for line in lines[1:3])


@pytest.mark.parametrize("placing", PLACINGS.values(), ids=PLACINGS)
@pytest.mark.parametrize("shape", ["2x3", "2584-2x2"])
@pytest.mark.parametrize("target", ["afterstate", "state"])
def test_an_adversary_is_its_reference(placing, shape, target):
    rules = RULES[shape]
    network = tdl.NTupleNetwork(rules, small_tuples(rules)["mixed"])
    tdl.Trainer(network, alpha=0.1, seed=3, target=target).train(200)
    reference_network = ReferenceNetwork(rules, network.tuples)
    for number in range(len(network.lengths)):
        reference_network.tables[number] = dict(enumerate(network.table(number)))
    reference = ReferenceAdversary(placing, reference_network, target=target)
    ours, drops = TilePlacer(rules, placing, tdl.Player(network, target=target), 9), Stream(9, EVALUATION, 0)
    for board in random_boards(rules, 12, 4):
        if 0 not in board:
            continue
        cell, tile = ours.put(pack(board, rules))
        expected = reference.place(board, drops)
        assert (cell, tile) == next(
            (i, new) for i, (old, new) in enumerate(zip(board, expected, strict=True)) if old != new
        )


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return train(tmp_path_factory.mktemp("match") / "run", "game=2584", "tiles=p75_25", "episodes=300",
                 "evaluate.episodes=0")  # fmt: skip


def test_a_program_plays_both_sides_of_a_game(run, tmp_path):
    """Each line is answered before the next; the player's moves are its checkpoint's, the tiles its adversary's."""
    player, line_count = tdl.load(run), 0
    placer = TilePlacer(FIB, PlacerOptions("adversary"), player, 4)
    matches = Matches(FIB, player.action_values(SearchOptions()), placer)
    words = (f"checkpoint={run}", "announce=me", "evil=true", "placer=adversary", f"placer.network={run}", "seed=4")
    with running(tmp_path, *words, command="match", stdin=subprocess.PIPE, bufsize=1) as program:
        assert program.stdout.readline() == "name me\n"

        def answers(line):
            program.stdin.write(line + "\n")
            expected = matches.answers(line)
            assert [program.stdout.readline() for _ in expected] == [text + "\n" for text in expected]
            return expected

        answers("match 1 open me:you")
        code = ""
        while code != NO_MOVE:
            role, best = "evil" if line_count < 2 or line_count % 2 else "play", player.best(matches.boards["1"])
            code = answers(f"match 1 {role} take turn")[0].split()[-1]
            assert role == "evil" or code == (NO_MOVE if best is None else f"{best:x}")
            if code != NO_MOVE:
                answers(f"match 1 {role} move {code}")
            line_count += 1
        answers("match 1 close you")
        _, errors = program.communicate(timeout=PATIENCE)
        assert (program.returncode, errors, line_count > 10) == (0, "", True)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        ((), "checkpoint: None is not allowed; expected the folder of a run or of a checkpoint, unless evil=true"),
        (("evil=true", "placer=adversary"), "placer.network: None is not allowed"),
        (("evil=true", "size=5x4"), "size: '5x4' is not allowed; expected a board of at most 16 cells"),
        (("evil=true", "play_name=a:b"), "play_name: 'a:b' is not allowed; expected a name without spaces and colons"),
        (("checkpoint={run}", "search.seconds=1"), "search.seconds: 1.0 is not allowed; expected null unless plies"),
        (("checkpoint={run}", "game=2048", "tiles=p90_10"), "checkpoint: 'a network of 2584 4x4' is not allowed"),
    ],
)  # fmt: skip
def test_mistakes_are_named_before_the_first_line(run, words, telling):
    done = inside(*(word.format(run=run) for word in words), program=main)
    assert done.returncode == 2
    assert telling in done.stderr
    assert done.stderr.count("\n") == 1
