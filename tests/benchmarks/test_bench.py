"""The benchmarks run and count rightly; what they measure is not judged here."""

import json
import stat
import sys

import numpy as np
import pytest
from support.programs import train
from support.shapes import each_rules

from tdl.bench import main
from tdl.benchmarks import engines
from tdl.benchmarks.engines import sampled
from tdl.benchmarks.environments import PlainGame
from tdl.benchmarks.operations import OPERATIONS
from tdl.benchmarks.peer_search import PEER_TABLE
from tdl.benchmarks.peer_training import Setting
from tdl.benchmarks.signature import LEARNERS, signature
from tdl.game.engine import Engine
from tdl.game.rules import GAMES, Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.tuples import TupleSet

PEER = f"""#!{sys.executable}
# Stands in for the peer: prints its lines for the episodes asked for, 100 ms and 2,000,000 moves/s each.
import sys
words = sys.argv[1:]
n = int(words[words.index("-t") + 1].split("x")[0])
if "-o" in words:
    open(words[words.index("-o") + 1], "w").write("state")
if "-d" in words:
    games, file = words[words.index("-e") + 1], words[words.index("-i") + 1]
    assert (n, games, words[words.index("-n") + 1]) == (0, "1x2", "0123") and open(file, "rb").read(1) == bytes(1)
    speed = 4000.0 if "-c" in words else 2000.0
    print(f"001/001 100ms {{speed:.2f}}ops")
    print(f"summary 100ms {{speed:.2f}}ops")
    print("total:  avg=12345 max=25160 tile=2048 win=0.10%")
elif "-i" in words:
    assert open(words[words.index("-i") + 1]).read() == "state"
for i in range(n):
    print(f"{{i + 1:03d}}/{{n:03d}} 100ms 2000000.00ops")
    print("local:  avg=7576 max=25160 tile=2048 win=0.10%")
"""


@pytest.fixture
def peer(tmp_path):
    path = tmp_path / "peer"
    path.write_text(PEER)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def test_signature_is_one_number_every_time(capsys, monkeypatch):
    monkeypatch.setattr("tdl.benchmarks.signature.LEARNERS", LEARNERS[::3])
    main(["signature"])
    number = int(capsys.readouterr().out)
    assert number == signature()
    main(["signature", "--json"])
    assert json.loads(capsys.readouterr().out) == {"signature": number}


@pytest.mark.parametrize("game", [game for game in GAMES if game != "pow2"])
def test_each_game_has_a_signature_of_its_own(capsys, game, monkeypatch):
    monkeypatch.setattr("tdl.benchmarks.signature.LEARNERS", LEARNERS[:2])
    main(["signature", "--game", game])
    number = int(capsys.readouterr().out)
    assert number == signature(game)
    assert number not in {signature(other) for other in GAMES if other != game}


def test_train_says_radix_and_memory(capsys):
    words = [
        "train",
        "--game",
        "fib",
        "--radix",
        "21",
        "--tuples",
        "[[0,1,2],[4,5]]",
        "--blank",
        "100",
        "--state",
        "0",
    ]
    main([*words, "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert (figures["game"], figures["radix"]) == ("fib", 21)
    assert figures["weights_mib"] == pytest.approx(4 * (21**3 + 21**2 + 7936) / 2**20, abs=0.01)
    main(words)
    assert "radix 21, 0 MiB of weights" in capsys.readouterr().out


def test_train_counts_blank_and_later_state(capsys):
    main(["train", "--tuples", "2x4", "--blank", "1000", "--state", "2000", "--measured", "1000", "--json"])
    figures = json.loads(capsys.readouterr().out)
    for part in (figures["blank"], figures["after_2000"]):
        assert part["episodes"] == 1000
        assert part["moves_per_second"] == pytest.approx(part["moves"] / part["seconds"], rel=0.01)
    assert figures["after_2000"]["last_block_mean"] > figures["blank"]["last_block_mean"]


def test_peer_takes_turns_and_gives_ratios(capsys, peer):
    main(f"peer --tdl2048 {peer} --tuples 2x4 --pairs 3 --blank 4000 --state 2000 --json".split())
    figures = json.loads(capsys.readouterr().out)
    assert {order: list(parts) for order, parts in figures.items()} == {
        "forward": ["blank", "after_2000"],
        "backward": ["blank", "after_2000"],
    }
    for part in [*figures["forward"].values(), *figures["backward"].values()]:
        assert part["peer"] == [2_000_000] * 3
        assert part["ratio_min"] == pytest.approx(min(part["ours"]) / 2e6, rel=1e-4)
        assert part["ratio_min"] <= part["ratio_median"] <= part["ratio_max"]
    main(f"peer --tdl2048 {peer} --tuples 2x4 --order backward --pairs 1 --blank 1000 --state 0".split())
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("backward        blank: ours")
    assert "peer 2.00 M moves/s; ratio" in line


def test_peer_learns_the_same(tmp_path):
    """The words are those of the peer's own documentation."""
    assert Setting("4x6", "forward").peer_words() == ["-n", "4x6patt", "-a", "0.1", "-tt", "forward", "-e", "0"]
    tc = Setting("8x6", "backward", "tc", 0.5, 2)
    assert tc.peer_words() == ["-n", "8x6patt", "-a", "1.0", "coherence", "-l", "0.5", "-e", "0"]
    trainer = tc.trainer(NTupleNetwork(Rules(), TupleSet(((0, 1),))), 7)
    assert (trainer.episode, list(trainer.state)) == (7, ["sums"])


def test_peer_at_a_later_state_with_sums(capsys, peer):
    main(
        f"peer --tdl2048 {peer} --tuples 2x4 --order backward --learner tc --pairs 1 --blank 1000 --state 1000".split()
    )
    assert capsys.readouterr().out.count("peer 2.00 M moves/s; ratio") == 2


def test_peer_by_search_plays_the_same_weights(capsys, peer, tmp_path):
    """Each side with its faster setting: the stand-in is faster with a table."""
    run = train(tmp_path / "run", "tuples=2x4", "episodes=50")
    words = f"peer --tdl2048 {peer} --checkpoint {run} --plies 2 --pairs 3 --games 5"
    main([*words.split(), "--json"])
    part = json.loads(capsys.readouterr().out)["2"]
    assert part["peer"] == [4000] * 3
    assert part["tables"]["peer"] == PEER_TABLE
    assert part["games"] == {"ours": 15, "peer": 6}
    assert part["means"]["peer"] == 12345
    assert part["ratio_max"] == pytest.approx(max(part["ours"]) / 4000, rel=1e-3)
    assert 500 < part["means"]["ours"] < 20_000
    main(words.split())
    line = capsys.readouterr().out
    assert line.startswith("2-ply: ours")
    assert "12,345 of 6; tables" in line


def test_search_by_plies_tables_and_threads(capsys):
    words = "search --tuples [[0,1],[4,5]] --state 20 --plies 1 2 3 --games 2 --rounds 2 --threads 2"
    main([*words.split(), "--json"])
    one, two, three = json.loads(capsys.readouterr().out)
    assert [row["plies"] for row in (one, two, three)] == [1, 2, 3]
    assert len(two["none"]) == len(two["table"]) == 2
    assert two["ratio_max"] == pytest.approx(max(t / n for t, n in zip(two["table"], two["none"], strict=True)))
    assert 0 == one["boards"] < two["boards"] < three["boards"]
    assert 0 == one["found"] <= two["found"] < three["found"] < 1
    assert two["threads"]["ratio_min"] > 0
    main(words.split())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("16 features")
    assert "2 threads" in lines[2]


def test_what_a_sweep_costs(capsys):
    main(["sweep", "--jobs", "2", "--seconds", "0.05", "--json"])
    figures = json.loads(capsys.readouterr().out)
    for name in ("one core", "all cores"):
        assert 0.1 < figures[name]["played"] < figures[name]["wall"] * figures["cores"]
    one = figures["one core"]
    assert one["added"] == pytest.approx((one["wall"] - one["played"]) / 2)


def test_limit_takes_turns_and_gives_the_ratio(capsys):
    main(["limit", "--tuples", "2x4", "--state", "1000", "--pairs", "2", "--json"])
    figures = json.loads(capsys.readouterr().out)
    assert len(figures["run"]) == len(figures["limit"]) == 2
    ratios = [run / bound for run, bound in zip(figures["run"], figures["limit"], strict=True)]
    assert (figures["ratio_min"], figures["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-4)
    assert (figures["layout"], figures["lanes"]) == ("paired16", 3)
    main(["limit", "--tuples", "[[0,1,2],[4,5]]", "--lanes", "2", "--state", "0", "--pairs", "1"])
    assert "2 lanes\ntraining" in capsys.readouterr().out


def test_versus_takes_turns_and_gives_the_ratio(capsys):
    one, other = "tuples=[[0,1,2],[4,5]] target=state threads=2", "tuples=2x4 stages=[64] instructions=portable"
    main(["versus", one, other, "--blank", "300", "--pairs", "2", "--json"])
    figures = json.loads(capsys.readouterr().out)
    ratios = [mine / theirs for mine, theirs in zip(figures[one], figures[other], strict=True)]
    assert (figures["ratio_min"], figures["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-4)
    main(["versus", "tuples=2x4", "tuples=2x4 alpha=0.2", "--blank", "100", "--pairs", "1"])
    assert "tuples=2x4 alpha=0.2: " in capsys.readouterr().out


def test_gym_takes_turns_and_gives_the_ratios(capsys):
    words = ["gym", "--boards", "8", "--seconds", "0.001", "--rounds", "2"]
    main([*words, "--public", "CartPole-v1", "--json"])
    figures = json.loads(capsys.readouterr().out)
    speeds = figures["steps_per_second"]
    assert list(speeds) == ["batch", "vector", "single", "plain", "CartPole-v1"]
    assert all(len(each) == 2 for each in speeds.values())
    ratios = [ours / theirs for ours, theirs in zip(speeds["vector"], speeds["plain"], strict=True)]
    part = figures["ratios"]["vector/plain"]
    assert (part["ratio_min"], part["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-2)
    main(words)
    assert "single/plain: " in capsys.readouterr().out


def test_the_plain_game_is_2048():
    """Its board after each move and its rewards, against the engine; drops are its own."""
    game, engine, actions = PlainGame(1), Engine(), np.random.default_rng(2)
    for _ in range(3):
        board, over = game.reset(), False
        assert sorted(board.ravel().tolist())[13] == 0 < board.ravel().max()
        while not over:
            action = int(actions.integers(4))
            legal = engine.legal(board)
            after = engine.array(engine.move(board, action)[0]) if action in legal else board
            gained = engine.move(board, action)[1] if action in legal else 0
            board, reward, over = game.step(action)
            dropped = board - after
            assert reward == gained
            assert dropped[dropped != 0].tolist() in ([[2], [4]] if action in legal else [[]])
            assert over == engine.terminal(board)


def test_boards_compares_both_kinds(capsys, monkeypatch):
    monkeypatch.setattr(engines, "SAMPLE", 500)
    monkeypatch.setattr(engines, "SECONDS", 1e-4)
    words = ["boards", "--tuples", "[[0,1,2],[4,5]]", "--blank", "50", "--rounds", "2"]
    main([*words, "--json"])
    figures = json.loads(capsys.readouterr().out)
    for game in ("pow2", "fib"):
        parts = figures[game]["operations"]
        assert tuple(parts) == OPERATIONS
        for part in parts.values():
            ratios = [array / bits for array, bits in zip(part["array"], part["bits"], strict=True)]
            assert (part["ratio_min"], part["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-2)
        assert len(figures[game]["training"]["bits"]) == len(figures[game]["training"]["array"]) == 2
    main(words)
    assert len(capsys.readouterr().out.splitlines()) == 1 + 2 * (len(OPERATIONS) + 2)


@each_rules
@pytest.mark.parametrize("build", ["portable", None])
def test_operations_do_the_same_to_both_kinds_of_boards(rules, build):
    network = NTupleNetwork(rules, TupleSet(((0, 1), (2, 3, 0))))
    network.use_instructions(build)
    bits, array = sampled(network, 300).values()
    for operation in OPERATIONS:
        assert bits.run(operation, 2) == array.run(operation, 2) > 0, operation


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("peer --tdl2048 nowhere --blank 1000 --state 0 --tuples 2x4", "nowhere: cannot be run"),
        (f"peer --tdl2048 {sys.executable} --blank 1000 --state 0 --tuples 2x4", "cannot be run"),
        ("peer --tdl2048 x --order forward --td-lambda 0.5 --tuples 2x4", "--td-lambda: 0.5 is not allowed"),
        ("peer --tdl2048 x --pairs 0", "--pairs: 0 is not allowed"),
        ("peer --tdl2048 x --blank 1500", "--blank: 1500 is not allowed; expected a multiple of 1000"),
        ("train --tuples 4x7", "tuples: '4x7' is not allowed"),
        ("train --radix 33 --tuples 2x4", "tuples.radix: 33 is not allowed"),
        ("train --radix 17 --tuples 2x4", "tuples.radix: 17 is not allowed; expected at most 16"),
        ("train --tuples [[0,1]", "--tuples: '[[0,1]' is not allowed; expected a name, or cells"),
        ("limit --tuples [[0,16]]", "cell 16 of [0, 16] is not on the board"),
        ("limit --tuples 2x4 --pairs 0", "--pairs: 0 is not allowed"),
        ("train --lanes 65 --tuples 2x4", "lanes: 65 is not allowed"),
        ("boards --tuples 4x7", "tuples: '4x7' is not allowed"),
        ("boards --tuples 2x4 --rounds 0", "--rounds: 0 is not allowed"),
        ("boards --tuples 2x4 --blank 0", "--blank: 0 is not allowed"),
        ("search --tuples 2x4 --plies 13", "--plies: 13 is not allowed; expected a whole number from 1 to 12"),
        ("search --tuples 2x4 --state -1", "--state: -1 is not allowed"),
        ("search --tuples 2x4 --state 0 --games 0", "--games: 0 is not allowed"),
        ("gym --boards 0", "--boards: 0 is not allowed"),
        ("gym --seconds 0", "--seconds: 0.0 is not allowed"),
        ("gym --rounds 0", "--rounds: 0 is not allowed"),
        ("gym --public nowhere:Game-v0", "--public: nowhere:Game-v0 cannot be made"),
        ("gym --public Pendulum-v1", "--public: 'Pendulum-v1' is not allowed; expected an environment of Discrete"),
        ("gym --public Game-v0", "--public: Game-v0 cannot be made"),
        ("search --checkpoint missing", "missing: no checkpoint here"),
        ("peer --tdl2048 x --checkpoint missing", "missing: no checkpoint here"),
        ("peer --tdl2048 x --checkpoint missing --plies 0", "--plies: 0 is not allowed"),
        ("versus tuples=2x4 nonsense", "setting: 'nonsense' is not allowed; expected words as in \"tuples=8x6"),
        ("versus tuples=2x4 alhpa=0.1,tuples=2x4", "unexpected keyword argument 'alhpa'"),
        ("versus tuples=2x4 tuples=2x5", "tuples: '2x5' is not allowed"),
        ("versus tuples=2x4 tuples=2x4 --pairs 0", "--pairs: 0 is not allowed"),
    ],
)
def test_errors_are_one_line(capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(words.split())
    assert stopped.value.code == 2
    errors = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tdl: ")]
    assert len(errors) == 1
    assert message in errors[0]
