"""Every mistake on the command line ends in one line that says what to do, and leaves nothing behind.

One case for each kind of mistake; values that are refused are in tests/config/test_refused.py, other names for keys in
tests/test_synonyms.py. Trusts the program alone. Every twentieth case is a whole process, as a user starts it; the
others begin at the program's `main`, at a fourth of the time. Exit code 2 is ours, 1 is Hydra's.
"""

import pytest
from support.programs import files, inside, program

HUGE = str([[*range(7), last] for last in range(7, 16)]).replace(" ", "")  # a table for each of 8 images: 1,152 GiB

CASES = [
    # words, exit code, what the line must say
    ("alhpa=0.1", 1, ["alhpa: no such key", "did you mean 'alpha'"]),
    ("+save.evry=3", 2, ["save.evry: no such key", "did you mean 'every'?"]),
    ("eval.games=1", 1, ["eval.games: no such key; did you mean 'evaluate.episodes'?"]),
    ("alpha.schedule=linear", 1, ["alpha.schedule: no such key; did you mean 'learner.schedule'?"]),
    ("learner.lambda=0.5", 1, ["learner.lambda: no such key; did you mean 'learner.td_lambda'?"]),
    ("agent=dqn agent.rate=1", 1, ["agent.rate: no such key; did you mean 'agent.learning_rate'?"]),
    ("TC=true", 1, ["TC: no such key; did you mean 'learner=tc'?"]),
    ("TC", 1, ["TC: a word without a value; did you mean 'learner=tc'?"]),
    ("8x6", 1, ["8x6: a word without a value; did you mean 'tuples=8x6'?"]),
    ("learner.order", 1, ["learner.order: a word without a value; expected learner.order=VALUE"]),
    ("tuples=4x7", 1, ["tuples=4x7: no such choice", "axe_box", "did you mean '4x6' or"]),
    ("experiment=nothing", 1, ["experiment=nothing: no such choice", "quick"]),
    ("game=Threes", 1, ["game=Threes: no such choice", "did you mean 'threes_law'?"]),
    ("game=pow2", 1, ["game=pow2: no such choice", "; did you mean '2048'?"]),
    ("game=20488", 1, ["game=20488: no such choice", "did you mean '2048'"]),
    ("learner=dqn", 1, ["learner=dqn: no such choice", "did you mean 'agent=dqn'?"]),
    ("alpha=abc", 1, ["alpha: 'abc' is not allowed; expected a number"]),
    ("episodes=1.5e0", 1, ["episodes: 1.5 is not allowed; expected a whole number"]),
    (
        "budget.seconds=5minutes",
        1,
        ["'5minutes' is not allowed; expected a number of seconds, or a time as 90s"],
    ),
    ("size=null", 1, ["size: None is not allowed; expected a value that is not null"]),
    ("tiles.drop=1", 1, ["tiles.drop: 1 is not allowed; expected a list"]),
    ("tiles.drop={1:0.9,2:0.1}", 1, ["tiles.drop={1:0.9,2:0.1}"]),
    ("save=3", 1, ["save: 3 is not allowed; expected one of its choices, or values for its keys"]),
    ("alpha=0.1,0.2", 1, ["alpha=0.1,0.2: several values are a sweep: add -m (tdl sweep)", "alpha='[0.1,0.2]'"]),
    ("seed=range(0,5)", 1, ["seed=range(0,5): several values are a sweep: add -m"]),
    ("alpha=-1", 2, ["alpha: -1.0 is not allowed", "above 0"]),
    ("learner.step=coherant", 2, ["learner.step: 'coherant' is not allowed", "did you mean 'coherent'"]),
    ("tuples=[[0,1,2,16]]", 2, ["tuples.cells: cell 16 of [0, 1, 2, 16] is not on the board"]),
    ("tuples.radix=17", 2, ["tuples.radix: 17 is not allowed", "at most 16"]),
    (f"tuples.cells={HUGE} tuples.share=false", 2, ["tuples:", "GiB of memory", "are free"]),
    ("seeds=5", 2, ["seeds=5: 5 seeds are 5 runs: add -m (tdl sweep)"]),
    ("seeds=1,2", 2, ["seeds: '1,2' is not allowed", "did you mean 'seed=1,2'?"]),
    ("seeds=1 seed=3", 2, ["seeds=1: the seeds are given already"]),
    ("name=a/b", 2, ["name: 'a/b' is not allowed", "out=FOLDER"]),
    ("out=a name=b", 2, ["out=a name=b: one of them says where the results go"]),
    ("out=a resume=b", 2, ["out=a: a resumed run stays in its folder"]),
    ("out=occupied/run", 2, ["occupied/run", "Not a directory"]),
    ("hydra.run.dir=occupied/run", 2, ["occupied/run", "Not a directory"]),
    (".", 2, [".: a folder; to go on with its run: resume=."]),
    ("--alpha=0.1", 2, ["--alpha=0.1: no such flag; keys have no dashes: alpha=0.1"]),
    ("--multi-run", 2, ["--multi-run: no such flag", "did you mean '--multirun'"]),
    ("--config-dir", 2, ["--config-dir", "expected one argument"]),
    ("--help lernr", 2, ["--help lernr: neither a group nor a key of this program; did you mean 'learner'"]),
    ("placer=adversary placer.network=missing", 2, ["missing", "no checkpoint here"]),
    ("evaluate.solution=missing", 2, ["missing", "no solution here"]),
    ("resume=missing", 2, ["missing/checkpoint", "no checkpoint here"]),
]


def begun(cwd, words, *, whole, monkeypatch):
    """The program with these words in the folder `cwd`, as a process or in this one."""
    if whole:
        return program(cwd, *words)
    monkeypatch.chdir(cwd)
    return inside(*words)


@pytest.mark.parametrize(
    ("number", "words", "code", "telling"),
    [(number, *case) for number, case in enumerate(CASES)],
    ids=[words[:40] for words, _, _ in CASES],
)
def test_one_line_and_nothing_left(tmp_path, monkeypatch, number, words, code, telling):
    (tmp_path / "occupied").write_text("a file where a folder is wanted\n")
    before = files(tmp_path)
    few = () if "episodes" in words else ("episodes=2", "evaluate.episodes=0")  # quick, should it be let through
    done = begun(tmp_path, [*few, *words.split()], whole=number % 20 == 0, monkeypatch=monkeypatch)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert "Traceback" not in done.stdout
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))
