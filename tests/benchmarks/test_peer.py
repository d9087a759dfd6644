"""The comparison with TDL2048+ runs both programs alike; a script stands in for the binary."""

import json
import stat
import sys
from argparse import Namespace

import pytest
from support.programs import train

from tdl.benchmarks import device
from tdl.benchmarks.peer import PEER_TABLE, our_words, peer_words
from tdl.cli.bench import main

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


def test_peer_takes_turns_and_gives_ratios(capsys, peer):
    main(f"peer --tdl2048 {peer} --tuples 2x4 --pairs 2 --blank 2000 --state 1000 --json".split())
    figures = json.loads(capsys.readouterr().out)
    assert {order: list(parts) for order, parts in figures.items()} == {
        "forward": ["blank", "after_1000"],
        "backward": ["blank", "after_1000"],
    }
    for part in [*figures["forward"].values(), *figures["backward"].values()]:
        assert part["peer"] == [2_000_000] * 2
        assert part["ratio_min"] == pytest.approx(min(part["ours"]) / 2e6, rel=1e-4)
        assert part["ratio_min"] <= part["ratio_median"] <= part["ratio_max"]
    main(
        f"peer --tdl2048 {peer} --tuples 2x4 --order backward --learner tc --pairs 1 --blank 1000 --state 1000".split()
    )
    blank, later = capsys.readouterr().out.splitlines()
    assert blank.startswith("backward        blank: ours")
    assert "peer 2.00 M moves/s; ratio" in blank
    assert later.startswith("backward   after_1000: ours")


def test_peer_beside_games_in_step(capsys, peer, monkeypatch):
    monkeypatch.setattr(device, "PEER_SETS", ("2x4",))
    words = f"device --tuples 2x4 --lanes 8 --blank 1000 --state 0 --games 0 --searched 0 --tdl2048 {peer}"
    main([*words.split(), "--json"])
    part = json.loads(capsys.readouterr().out)["sets"]["2x4"]["peer"]
    assert (part["lanes"], part["peer"], len(part["ours"])) == (8, [2_000_000] * 2, 2)
    main(words.split())
    assert "TDL2048+:    2.000; ours with 8 lanes" in capsys.readouterr().out


def test_peer_learns_the_same():
    """The words are those of the peer's own documentation."""
    td = Namespace(tuples="4x6", learner="td", td_lambda=0.0, lanes="auto")
    assert peer_words(td, "forward") == ["-n", "4x6patt", "-a", "0.1", "-tt", "forward", "-e", "0"]
    tc = Namespace(tuples="8x6", learner="tc", td_lambda=0.5, lanes=2)
    assert peer_words(tc, "backward") == ["-n", "8x6patt", "-a", "1.0", "coherence", "-l", "0.5", "-e", "0"]
    words = {"tuples": "8x6", "alpha": 1.0, "step": "coherent", "order": "backward", "td_lambda": 0.5, "lanes": 2}
    assert our_words(tc, "backward") == words


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
