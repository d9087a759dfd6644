"""The command line of the benchmarks: what each takes and prints, and its errors; speeds are not judged here."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import tdl
from tdl.benchmarks import BENCHMARKS
from tdl.benchmarks.signature import IN_STEP, LEARNERS, signature
from tdl.cli.bench import main
from tdl.game.rules import GAMES


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_has_its_options(capsys, name):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_only_the_benchmark_that_runs_is_imported():
    """Nor pandas, which takes half a second."""
    code = "import sys; from tdl.cli.bench import main; main(sys.argv[1:])"
    code += "; sys.exit(' '.join({'tdl.benchmarks.peer', 'pandas'} & set(sys.modules)))"
    words = [sys.executable, "-c", code, "versus", "tuples=[[0,1]]", "tuples=[[0,1]]", "--blank", "10", "--pairs", "1"]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    assert process.stderr.strip() == ""


def test_versus_takes_turns_and_gives_the_ratio(bench):
    sides = ["tuples=[[0,1,2],[4,5]] target=state threads=2", "tuples=2x4 stages=[64] instructions=portable"]
    words = ["versus", *sides, "--blank", "300", "--pairs", "2"]
    figures = json.loads(bench("--json", *words))
    assert list(figures) == list(json.loads(bench(*words, "--json")))
    ratios = [first / second for first, second in zip(*(figures[side] for side in sides), strict=True)]
    assert (figures["ratio_min"], figures["ratio_max"]) == pytest.approx((min(ratios), max(ratios)), rel=1e-4)
    assert bench(*words).startswith(f"{sides[0]}: ")


def test_train_says_radix_and_memory(bench):
    words = ["train", "--game=2584", "--radix=21", "--tuples=[[0,1,2],[4,5]]", "--blank=100", "--state=0"]
    figures = json.loads(bench(*words, "--json"))
    assert (figures["game"], figures["radix"]) == ("2584", 21)
    source = Path(tdl.__file__).parents[1]
    assert (figures["commit"] is not None) == (source / ".git").exists()
    assert figures["weights_mib"] == pytest.approx(4 * (21**3 + 21**2 + 7936) / 2**20, abs=0.01)
    assert "radix 21, 0 MiB of weights" in bench(*words)


def test_train_counts_blank_and_later_state(bench):
    words = "train --tuples 2x4 --blank 1000 --state 2000 --measured 1000 --json"
    figures = json.loads(bench(*words.split()))
    for part in (figures["blank"], figures["after_2000"]):
        assert part["episodes"] == 1000
        assert part["moves_per_second"] == pytest.approx(part["moves"] / part["seconds"], rel=0.01)
    assert figures["after_2000"]["last_block_mean"] > figures["blank"]["last_block_mean"]


def test_each_game_has_a_signature_of_its_own_every_time():
    numbers = {game: signature(game, LEARNERS[:1]) for game in GAMES}
    assert len({*numbers.values()}) == len(GAMES)
    assert signature("2584", LEARNERS[:1]) == numbers["2584"]
    assert signature("2584", IN_STEP[:1]) not in numbers.values()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("peer --tdl2048 nowhere --blank 1000 --state 0 --tuples 2x4", "nowhere: cannot be run"),
        (f"peer --tdl2048 {sys.executable} --blank 1000 --state 0 --tuples 2x4", "cannot be run"),
        ("peer --tdl2048 x --order forward --td-lambda 0.5 --tuples 2x4", "--td-lambda: 0.5 is not allowed"),
        ("peer --tdl2048 x --pairs 0", "--pairs: 0 is not allowed"),
        ("peer --tdl2048 x --blank 1500", "--blank: 1500 is not allowed; expected a multiple of 1000"),
        ("train --tuples 4x7", "tuples: '4x7' is not allowed"),
        ("train --radix 17 --tuples 2x4", "tuples.radix: 17 is not allowed; expected at most 16"),
        ("train --tuples [[0,1]", "--tuples: '[[0,1]' is not allowed; expected a name, or cells"),
        ("search --tuples 2x4", "bench search: in a checkout it is python -m experiments.benchmarks.search"),
        ("peer --tdl2048 x --checkpoint missing", "missing: no checkpoint here"),
        ("peer --tdl2048 x --checkpoint missing --plies 0", "--plies: 0 is not allowed"),
        ("peer --tdl2048 x --checkpoint missing --games 0", "--games: 0 is not allowed"),
        ("versus tuples=2x4 nonsense", "setting: 'nonsense' is not allowed; expected words as in \"tuples=8x6"),
        ("versus tuples=2x4 alhpa=0.1,tuples=2x4", "alhpa: no such option"),
        ("versus tuples=2x4 tuples=2x4 --pairs 0", "--pairs: 0 is not allowed"),
    ],
)
def test_errors_are_one_line(capsys, words, message):
    with pytest.raises(SystemExit) as stopped:
        main(words.split())
    assert stopped.value.code == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("tdl: ")]
    assert message in line
