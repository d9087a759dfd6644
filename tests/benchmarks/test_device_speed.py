"""Speed by device: that both are measured, and what a move asks a card for, by counting it on another way."""

import json

import numpy as np
import pytest
from support.plain_device import PlainDevice, needs_compiler

from tdl.benchmarks.device import SECTOR, random_loads, sectors, text_of
from tdl.cli.bench import main
from tdl.game.boards import pack
from tdl.game.engine import Engine
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet
from tdl.players import cuda_games
from tdl.training.lane_state import lane_type

WORDS = "device --tuples 2x4 --lanes 8 9 --blank 300 --state 500 --games 5 --searched 1 --loads 100000"


def assert_whole(part, games):
    """The figures of a tuple set, with so many games that ended, greedy and searched."""
    assert [list(speeds) for speeds in part["lanes"].values()] == [["blank", "later"]] * 2
    assert part["learned_bytes"] == part["entries"] * 12
    for kind, finished in zip(("greedy", "searched"), games, strict=True):
        assert part[kind]["finished"] in finished
        assert part[kind]["moves_per_second"] == pytest.approx(
            part[kind]["moves"] / part[kind]["seconds"], rel=0.01, abs=1
        )


def test_a_cpu(bench):
    figures = json.loads(bench(*WORDS.split(), "--json"))
    assert (figures["device"], figures["learner"]) == ("cpu", "tc")
    assert_whole(figures["sets"]["2x4"], ({5}, {1}))
    assert "limit" not in figures["sets"]["2x4"]
    lines = bench(*WORDS.split(), "--learner", "td", "--state", "0").splitlines()
    assert lines[0] == "cpu, td: million moves a second from blank"
    assert [line.split()[0] for line in lines[1:]] == ["2x4:", "8", "9", "greedy:", "3"]


def test_a_card(bench, device, monkeypatch):
    """Searched games are given up after the first moves."""
    monkeypatch.setitem(cuda_games.TURNS, 3, 2)
    figures = json.loads(bench(*f"{WORDS} --device cuda --seconds 0.001 --json".split()))
    assert figures["device"] == device.name
    part = figures["sets"]["2x4"]
    assert_whole(part, (range(6), range(2)))
    limit = part["limit"]
    for lanes, shares in limit["shares"].items():
        asked = part["lanes"][lanes]["later"] * limit["sectors_a_move"]
        assert shares == {name: pytest.approx(asked / n, abs=1e-3) for name, n in limit["loads_per_second"].items()}
    lines = text_of(figures).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["2x4:", "8", "9", "limit:", "greedy:", "3"]


@needs_compiler
def test_what_does_not_fit_is_left_out(bench, monkeypatch):
    monkeypatch.setattr("tdl.cuda.device.open_device", lambda: PlainDevice(memory=10_000_000))
    lines = bench(
        *WORDS.split(), "--device", "cuda", "--tuples", "4x6", "2x4", "--games", "0", "--searched", "0"
    ).splitlines()
    assert lines[1].startswith("4x6: left out: device=cuda: the network and 8 lanes need 1.3 GiB")
    assert lines[2].startswith("2x4: 16 features")


def test_what_the_host_has_no_memory_for_is_left_out(bench, monkeypatch):
    """Weights, and weights and sums: more than each alone."""
    monkeypatch.setattr("tdl.base.machine.available_memory", lambda: 1_500_000)
    lines = bench(*WORDS.split(), "--tuples", "2x4", "--games", "0", "--searched", "0").splitlines()
    assert lines[1:] == ["2x4: left out: tuples: 2x4 and its learner need 0.0 GiB of memory; 0.0 GiB are free"]


def test_sectors_of_a_move():
    """Counted one by one, for lanes of one board."""
    network, engine = NTupleNetwork(Rules(), TupleSet(((0, 1, 2, 3), (4, 5, 6, 7)))), Engine(Rules())
    board, last = (pack(tiles, Rules()) for tiles in (list(range(16)), [1, 1, *[0] * 14]))
    lanes = np.zeros(3, lane_type(3, "empty"))
    lanes["board"][:, 0], lanes["moves"] = board, (0, 2, 5)
    lanes["path"][1:, 1, 0] = last
    afterstates = [after for _, after, _ in engine.afterstates(board)]

    def touched(boards, size):
        return len({entry * size // SECTOR for each in boards for entry in network.entries(each).tolist()})

    moved = 2 * touched([last], 4)
    asked = touched([last, *afterstates], 4) + moved
    assert sectors(network, lanes, sums=False) == asked + 3 * touched([last], 8)
    assert sectors(network, lanes, sums=True) == asked + 5 * touched([last], 8)


@needs_compiler
@pytest.mark.parametrize("loads", [1, 10_000, 100_000])
def test_random_loads_of_any_number(loads):
    assert random_loads(PlainDevice(), 1000, loads) > 0


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--lanes 0", "--lanes: 0 is not allowed"),
        ("--lanes 131073", "--lanes: 131073 is not allowed; expected a whole number from 1 to 131072"),
        ("--blank 0", "--blank: 0 is not allowed"),
        ("--seconds 0", "--seconds: 0.0 is not allowed"),
        ("--tuples 4x7", "tuples: '4x7' is not allowed"),
        ("--tuples 5x5_4x6", "numbered on a 5x5 board"),
        ("--episodes 1500", "--episodes: 1500 is not allowed; expected a multiple of 1000"),
        ("--tdl2048 nowhere", "--tdl2048: 'nowhere' is not allowed; expected a program"),
    ],
)
def test_errors_are_one_line(capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(["device", *words.split()])
    assert stopped.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tdl: ")]
    assert message in line
