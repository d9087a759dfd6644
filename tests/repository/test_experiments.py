"""Every experiment's file and every cell of the notebook run, and every page has commands that compose."""

import json
import re
import shlex
from importlib import import_module

import matplotlib
import pytest
from hydra.core.override_parser.overrides_parser import OverridesParser
from omegaconf import OmegaConf
from support.programs import inside, result

from experiments.tools import EXPERIMENTS, ROOT, pages, run_all
from experiments.tools.run_all import REDUCED, commands, reduced
from tdl.cli import MODULES

CONF = ROOT / "conf" / "experiment"
FILES = sorted(path.stem for path in CONF.glob("*.yaml"))
NO_EXPERIMENTS = {"quick", "best", "record", "record_cpu"}
IN_STEP = {"batch", "standstill", "record"}
WITHOUT_FILE = {"best_searched", "from_milestones", "late_stage", "plies", "unlearning"}
"""Experiments with networks or settings of others."""

PAGES = sorted(path.parent.name for path in EXPERIMENTS.glob("*/commands.sh"))
CELLS = json.loads((EXPERIMENTS / "analysis.ipynb").read_text())["cells"]
CODE = [cell for cell in CELLS if cell["cell_type"] == "code"]
FEW = ("episodes=4", "evaluate.episodes=2", "budget.seconds=null", "budget.moves=null")


def swept(name):
    """Words for three runs: the values in the middle of those that the file sweeps over, the first and the last."""
    params = OmegaConf.select(OmegaConf.load(CONF / f"{name}.yaml"), "hydra.sweeper.params") or {}
    words = OverridesParser.create().parse_overrides([f"{key}={value}" for key, value in params.items()])
    columns = [[f"{word.key_or_group}={value}" for value in word.sweep_string_iterator()] for word in words]
    return [[column[round(share * (len(column) - 1))] for column in columns] for share in (0.5, 0, 1)]


@pytest.mark.parametrize("name", FILES)
def test_every_experiment_plays_a_few_games(name, tmp_path):
    """With tables of few symbols, since the large ones take a second each to be written. Others only compose."""
    if name == "published_dqn":
        pytest.importorskip("torch")
    smaller = [] if name in ("published_dqn", "baselines") else ["tuples.radix=6", "tuples.count_cap=1"]
    play, *others = swept(name)
    block = f"block={16384 if name in IN_STEP else 4}"  # moves of games in step
    cpu = ["device=cpu", "lanes=64"] if name == "record" else []
    words = (f"experiment={name}", *FEW, block, *smaller, *cpu, "hydra.mode=RUN", f"hydra.run.dir={tmp_path}")
    done = inside(*words, *play)
    assert done.returncode == 0, done.stderr
    assert result(tmp_path)["episodes"] >= 4
    assert [inside(*words, *other, "--cfg", "job").returncode for other in others] == [0, 0]


def test_every_file_begins_with_its_command_and_has_one_folder():
    for name in FILES:
        assert re.match(rf".*\n# tdl run (-m )?experiment={name}\b", (CONF / f"{name}.yaml").read_text()), name
    names = [path.parent.name for path in EXPERIMENTS.rglob("results.csv")]
    assert sorted(name for name in names if name not in WITHOUT_FILE) == sorted({*FILES} - NO_EXPERIMENTS)


def first_run(words):
    """The words of a command after its program, for the first run of its sweep."""
    words = [word for word in words if word != "-m" and "range(" not in word]
    return [word.split(",")[0] if "[" not in word else word for word in words]


@pytest.mark.parametrize("page", PAGES)
def test_commands_compose_and_write_below_outputs_reduced_where_they_are_reduced(page):
    written = commands(page)
    smaller = [reduced(words) for words in written]
    assert any(smaller)
    for words in filter(None, smaller):
        assert REDUCED in "".join(words)
        assert "outputs/" not in shlex.join(words).replace(REDUCED, "")
        assert any(word.startswith((*run_all.FOLDERS, "into=")) for word in words)
    for whole, fewer in zip(written, smaller, strict=True):
        program, *words = fewer or whole
        if program != "tdl":
            import_module(program)
        elif not any(word.startswith("resume=") for word in words):
            done = inside(*first_run(words[1:]), "--cfg", "job", program=import_module(MODULES[words[0]]).main)
            assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("line", "more"),
    [
        ("tdl run experiment=td_states_alpha out=outputs/a  # x", "episodes=200 evaluate.episodes=200 seed=0,1,2"),
        ("tdl run experiment=curve hydra.mode=RUN budget.moves=2e9 out=outputs/a",  # one run stays one
         "episodes=200000 budget.moves=40000000 evaluate.episodes=200"),
        ("tdl run resume=outputs/a budget.moves=100", None),
        ("tdl run experiment=fib_unshared out=outputs/a", None),  # too large for any number of games
        ("tdl evaluate -m checkpoint=outputs/a/kept/0000002000 out=outputs/b", None),
        ("tdl evaluate checkpoint=outputs/a,outputs/b out=outputs/c", "evaluate.episodes=10"),
        ("tdl solve size=2x3 tile=32", "out=outputs/2x3_32"),
        ("experiments.tools.collect page/one outputs/a outputs/b", "into=outputs/page/one"),
        ("experiments.tools.collect one outputs/a into=outputs/b", ""),
        ("experiments.values.analyse outputs/a", "into=outputs/values"),
        ("experiments.tools.branch outputs/a 7 outputs/b", None),
    ],
)  # fmt: skip
def test_a_command_is_reduced(tmp_path, line, more):
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "commands.sh").write_text(f"# A comment\n\n{'' if 'tdl' in line else 'python -m '}{line}\n")
    (words,) = commands("one", tmp_path)
    expected = f"{line.partition('  #')[0]} {more}".replace("outputs/", REDUCED)
    assert reduced(words) == (None if more is None else expected.split())


def test_a_reduced_table_is_made_without_the_runs_that_are_too_large():
    words = ["experiments.tools.collect", "one", "outputs/a", "outputs/fib_unshared_2"]
    assert reduced(words) == ["experiments.tools.collect", "one", f"{REDUCED}a", f"into={REDUCED}one"]


def test_a_page_is_run_reduced_and_without_its_checkpoints(tmp_path, capsys):
    home = tmp_path / "experiments"
    (home / "quick").mkdir(parents=True)
    written = home / "quick" / "commands.sh"
    wrong = "tdl run experiment=quick tuples=2x out=outputs/quick\n"
    written.write_text(f"tdl run experiment=quick out=outputs/quick\n{wrong}")
    assert run_all.main("quick", home=home) == 1
    folder = tmp_path / "outputs" / "reduced" / "quick"
    assert result(folder)["episodes"] == 100
    assert not (folder / "checkpoint").exists()
    assert "2x4" in capsys.readouterr().out  # the nearest name, from the run's own message


def test_the_numbers_of_pages_are_those_of_the_csv_files():
    assert pages.main("--check") == 0


def test_every_cell_of_the_notebook_runs(tmp_path, monkeypatch):
    """With fewer games; each cell's last expression is evaluated as a notebook does."""
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    fewer = {"episodes=2000": "episodes=100", '"block=200"': '"block=20", "evaluate.episodes=20"',
             "alpha=0.1,0.3,0.9": "alpha=0.1,0.3", "seed=0,1,2": "seed=0,1"}  # fmt: skip
    names = {}
    for cell in CODE:
        source = "".join(cell["source"])
        for words, less in fewer.items():
            source = source.replace(words, less)
        exec(source, names)
    from matplotlib import pyplot as plt

    assert names["table"]["status"].tolist() == ["finished"] * 8
    assert names["keys"] == ["alpha", "tuples"]
    assert plt.get_fignums()
    plt.close("all")
    outputs = [output for cell in CODE for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2  # stored, for readers on the web
