"""The command line of the benchmarks: what each takes and prints, and its errors."""

import json
import subprocess
import sys

import pytest

from tdl.benchmarks import BENCHMARKS
from tdl.cli.bench import main


@pytest.mark.parametrize("name", BENCHMARKS)
def test_each_benchmark_has_its_options(capsys, name):
    with pytest.raises(SystemExit) as stopped:
        main([name, "--help"])
    assert stopped.value.code == 0
    assert "--json" in capsys.readouterr().out


def test_figures_are_json_or_text(capsys):
    words = ["versus", "tuples=[[0,1]]", "tuples=[[0,1]] alpha=0.2", "--blank", "10", "--pairs", "1"]
    main(["--json", *words])
    before = json.loads(capsys.readouterr().out)
    main([*words, "--json"])
    after = json.loads(capsys.readouterr().out)
    assert list(before) == list(after) == [*words[1:3], "ratio_median", "ratio_min", "ratio_max"]
    main(words)
    assert capsys.readouterr().out.startswith("tuples=[[0,1]]: ")


def test_only_the_benchmark_that_runs_is_imported():
    """Nor pandas, which takes half a second."""
    code = "import sys; from tdl.cli.bench import main; main(sys.argv[1:])"
    code += "; sys.exit(' '.join({'tdl.benchmarks.peer', 'pandas'} & set(sys.modules)))"
    words = [sys.executable, "-c", code, "versus", "tuples=[[0,1]]", "tuples=[[0,1]]", "--blank", "10", "--pairs", "1"]
    process = subprocess.run(words, capture_output=True, text=True, check=False)
    assert process.stderr.strip() == ""


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
        ("search --tuples 2x4", "bench search: in a checkout it is python -m experiments.benchmarks.search"),
        ("train --lanes 65 --tuples 2x4", "lanes: 65 is not allowed"),
        ("peer --tdl2048 x --checkpoint missing", "missing: no checkpoint here"),
        ("peer --tdl2048 x --checkpoint missing --plies 0", "--plies: 0 is not allowed"),
        ("peer --tdl2048 x --checkpoint missing --games 0", "--games: 0 is not allowed"),
        ("versus tuples=2x4 nonsense", "setting: 'nonsense' is not allowed; expected words as in \"tuples=8x6"),
        ("versus tuples=2x4 alhpa=0.1,tuples=2x4", "alhpa: no such option"),
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
