"""Every mistake on the command line ends in one line that says what to do, and leaves nothing behind.

Trusts the program alone. Every fortieth case is a whole process, as a user starts it; the others begin at the
program's `main`, at a fourth of the time. Exit code 2 is ours, 1 is Hydra's.
"""

import pytest
from support.programs import files, inside, program

from tdl import old_names

HUGE = str([[*range(7), last] for last in range(7, 16)]).replace(" ", "")  # a table for each of 8 images: 1,152 GiB

CASES = [
    # override(s), exit code, what the line must say
    ("alhpa=0.1", 1, ["alhpa: no such key", "did you mean 'alpha'"]),
    ("+alpah=0.1", 2, ["alpah: no such key", "did you mean 'alpha'"]),
    ("save.evry=3", 1, ["save.evry: no such key", "'save.every'"]),
    ("+save.evry=3", 2, ["save.evry: no such key", "did you mean 'every'?"]),
    ("learner.order", 1, ["learner.order: a word without a value; expected learner.order=VALUE"]),
    ("tuples=9x9", 1, ["tuples=9x9: no such choice", "4x6", "axe_box"]),
    ("tuples=4x7", 1, ["tuples=4x7: no such choice", "did you mean '4x6' or"]),
    ("experiment=nothing", 1, ["experiment=nothing: no such choice", "quick"]),
    ("alpha=abc", 1, ["alpha: 'abc' is not allowed; expected a number"]),
    ("alpha=-1", 2, ["alpha: -1.0 is not allowed", "above 0"]),
    ("alpha=nan", 2, ["alpha: nan is not allowed", "above 0"]),
    ("alpha=inf", 2, ["alpha: inf is not allowed", "at most"]),
    ("alpha=0", 2, ["alpha: 0.0 is not allowed", "above 0"]),
    ("alpha=0.1,0.2", 1, ["alpha=0.1,0.2: several values are a sweep: add -m (tdl sweep)", "alpha='[0.1,0.2]'"]),
    ("seed=range(0,5)", 1, ["seed=range(0,5): several values are a sweep: add -m"]),
    ("lr=0.1", 1, ["lr: no such key; did you mean 'alpha'?"]),
    ("learning_rate=0.1", 1, ["learning_rate: no such key; did you mean 'alpha'?"]),
    ("lambda=0.5", 1, ["lambda: no such key; did you mean 'learner.td_lambda'?"]),
    ("learner.lambda=0.5", 1, ["learner.lambda: no such key; did you mean 'learner.td_lambda'?"]),
    ("learner=TC", 1, ["learner=TC: no such choice", "did you mean 'tc'?"]),
    ("TC=true", 1, ["TC: no such key; did you mean 'learner=tc'?"]),
    ("TC", 1, ["TC: a word without a value; did you mean 'learner=tc'?"]),
    ("8x6", 1, ["8x6: a word without a value; did you mean 'tuples=8x6'?"]),
    ("game=Threes", 1, ["game=Threes: no such choice", "did you mean 'threes_law'?"]),
    ("episodes=1.5e0", 1, ["episodes: '1.5' is not allowed; expected a whole number"]),
    ("seeds=5", 2, ["seeds=5: 5 seeds are 5 runs: add -m (tdl sweep)"]),
    ("seeds=1,2", 2, ["seeds: '1,2' is not allowed", "did you mean 'seed=1,2'?"]),
    ("seeds=1 seed=3", 2, ["seeds=1: the seeds are given already"]),
    ("name=a/b", 2, ["name: 'a/b' is not allowed", "out=FOLDER"]),
    ("out=a name=b", 2, ["out=a name=b: one of them says where the results go"]),
    ("out=a resume=b", 2, ["out=a: a resumed run stays in its folder"]),
    ("out=occupied/run", 2, ["occupied/run", "Not a directory"]),
    (".", 2, [".: a folder; to go on with its run: resume=."]),
    ("--alpha=0.1", 2, ["--alpha=0.1: no such flag; keys have no dashes: alpha=0.1"]),
    ("--multi-run", 2, ["--multi-run: no such flag", "did you mean '--multirun'"]),
    ("--config-dir", 2, ["--config-dir", "expected one argument"]),
    ("--help lernr", 2, ["--help lernr: neither a group nor a key of this program; did you mean 'learner'"]),
    ("gamma=2", 2, ["gamma: 2.0 is not allowed", "from 0 to 1"]),
    ("learner.order=backwards", 2, ["learner.order: 'backwards' is not allowed", "did you mean 'backward'"]),
    (
        "search.seconds=1",
        2,
        ["search.seconds: 1.0 is not allowed", "unless search.plies, evaluate.plies or the plies of"],
    ),
    ("learner=ts", 1, ["learner=ts: no such choice", "tc"]),
    ("learner.step=coherant", 2, ["learner.step: 'coherant' is not allowed", "did you mean 'coherent'"]),
    ("learner.td_lambda=1.5", 2, ["learner.td_lambda: 1.5 is not allowed", "from 0 to 1"]),
    ("learner.td_lambda=1 learner.order=forward", 2, ["learner.td_lambda: 1.0 is not allowed", "order=backward"]),
    ("learner.td_lambda=.9999 learner.order=delayed", 2, ["learner.td_lambda: 0.9999 is not allowed", "at most 4096"]),
    ("learner.td_lambda=.5 learner.n_step=2", 2, ["learner.n_step: 2 is not allowed", "learner.td_lambda=0"]),
    ("learner.order=delayed learner.n_step=2", 2, ["learner.n_step: 2 is not allowed", "backward or forward"]),
    ("learner.n_step=0", 2, ["learner.n_step: 0 is not allowed", "from 1 to 4096"]),
    ("learner.target=states", 2, ["learner.target: 'states' is not allowed", "did you mean 'state'"]),
    ("learner.epsilon=2", 2, ["learner.epsilon: 2.0 is not allowed", "from 0 to 1"]),
    ("alpha_per=entries", 2, ["alpha_per: 'entries' is not allowed", "did you mean 'entry'"]),
    ("learner.schedule=halfing:5", 2, ["learner.schedule: 'halfing:5' is not allowed", "halving:EPISODES"]),
    ("learner.schedule=[5:.1,3:.2]", 2, ["learner.schedule: ['5:.1', '3:.2'] is not allowed", "ascending"]),
    ("learner.schedule=[5:-1]", 2, ["learner.schedule: -1.0 is not allowed", "above 0"]),
    ("learner.schedule=[[5]]", 2, ["learner.schedule: [5] is not allowed", "list of episode:alpha"]),
    ("learner.fixed_share=1.5", 2, ["learner.fixed_share: 1.5 is not allowed", "from 0 to 1"]),
    ("learner.stages=[512,256]", 2, ["learner.stages: [512, 256] is not allowed", "ascending"]),
    ("learner.stages=[a]", 2, ["learner.stages: 'a' is not allowed", "tile values"]),
    ("learner.stage_by=tile", 2, ["learner.stage_by: 'tile' is not allowed", "largest or sum"]),
    ("learner.stage_downgrade=13", 2, ["learner.stage_downgrade: 13 is not allowed", "learner.stages is empty"]),
    ("learner.stages=[64] learner.stage_downgrade=radix", 2, ["learner.stage_downgrade: 'radix'", "from 2 to 31"]),
    ("learner.promotion_share=0.5", 2, ["learner.promotion_share: 0.5 is not allowed", "learner.stages is empty"]),
    ("learner.stages=[64] learner.promotion_share=0", 2, ["learner.promotion_share: 0.0", "above 0 and at most 1"]),
    ("learner.stages=[64] learner.promotion=false learner.promotion_share=0.5", 2, ["where learner.promotion=false"]),
    ("learner.start=carousel", 2, ["learner.start: 'carousel' is not allowed", "learner.stages is empty"]),
    ("learner.restart_at=0", 2, ["learner.restart_at: 0.0 is not allowed", "above 0 and at most 1"]),
    ("learner.start=restarts", 2, ["learner.start: 'restarts' is not allowed", "did you mean 'restart'"]),
    ("learner.target=state learner.expectation=shared learner.stages=[64]", 2, ["learner.expectation: 'shared'"]),
    ("learner.reward_shift=true", 2, ["learner.reward_shift: True is not allowed", "learner.target=state"]),
    ("learner.stored_value=true learner.order=forward", 2, ["learner.stored_value: True", "learner.order=backward"]),
    ("learner.running_value=true learner.order=forward", 2, ["learner.running_value: True", "learner.order=backward"]),
    ("learner.running_value=true learner.step=coherent", 2, ["learner.running_value: True", "learner.step=coherent"]),
    ("learner.rechoose=true learner.target=state", 2, ["learner.rechoose: True", "learner.target=afterstate"]),
    ("learner.clear_last=none", 2, ["learner.clear_last: 'none' is not allowed; expected false, afterstate or state"]),
    ("learner.clear_last=state learner.target=state", 2, ["learner.clear_last: 'state'", "learner.target=afterstate"]),
    ("learner.update_symmetries=false learner.target=state", 2, ["learner.update_symmetries: False is not allowed"]),
    ("threads=0", 2, ["threads: 0 is not allowed", "from 1 to 256"]),
    ("learner.initial_value=nan", 2, ["learner.initial_value: nan is not allowed"]),
    ("learner.initial_value=1e9", 2, ["learner.initial_value: 1000000000.0 is not allowed"]),
    ("tuples.cells=[[0,1,16]]", 2, ["tuples.cells: cell 16 of [0, 1, 16]", "0 to 15"]),
    ("tuples.cells=[[0,1,1]]", 2, ["tuples.cells: repeated cell 1"]),
    ("tuples.cells=[]", 2, ["tuples.cells", "the set is empty"]),
    ("tuples.cells=[[0,1,2,3,4,5,6,7,8]]", 2, ["tuples.cells", "at most 8 cells"]),
    ("tuples.radix=17", 2, ["tuples.radix: 17 is not allowed", "at most 16"]),
    ("tuples.orders=[[[0,1],[15,16]]]", 2, ["tuples.orders: cell 16 of [15, 16] is not on the board", "0 to 15"]),
    ("tuples.orders=[[0,1,2,3]]", 2, ["tuples.orders: 0 is not allowed", "a line of at least 2 cells"]),
    ("tuples.orders=[[[0,1,2,3],[4,5,6,7],[8,9]]]", 2, ["tuples.orders", "13 pairs of cells", "at most 12"]),
    ("tuples.counts=[[0,1,1]]", 2, ["tuples.counts: repeated tile 1"]),
    ("tuples.counts=[[3,16]]", 2, ["tuples.counts: 16 is not allowed", "at most 15"]),
    ("tuples.counts=[[0,1,2,3,4,5,6,7,8]]", 2, ["tuples.counts", "134,217,728 entries", "at most 16,777,216"]),
    ("tuples.count_cap=17", 2, ["tuples.count_cap: 17 is not allowed", "1 to 16"]),
    (f"tuples.cells={HUGE} tuples.share=false", 2, ["tuples:", "GiB of memory", "are free"]),
    ("tiles.drop=[[1,0.5],[2,0.4]]", 2, ["tiles.drop: the probabilities sum to 0.9"]),
    ("tiles.drop=[[1,0.3333333],[2,0.3333333],[3,0.3333333]]", 2, ["the probabilities sum to 0.9999999; expected"]),
    ("tiles.drop=[[1,1.25],[3,-0.25]]", 2, ["tiles.drop: 1.25 is not allowed", "above 0 and at most 1"]),
    ("tiles.drop=[[1,0.75],[3,-0.25]]", 2, ["tiles.drop: -0.25 is not allowed", "above 0 and at most 1"]),
    ("tiles.drop=[[1,75],[3,25]]", 2, ["tiles.drop: 75 is not allowed", "above 0 and at most 1"]),
    (
        "tiles.drop=[[1,0.75],[16,0.25]]",
        2,
        ["tiles.drop: 16 is not allowed", "1 to 15", "did you mean 4, the index of"],
    ),
    ("tiles.drop=[[1,0.75],[32,0.25]] game=2584", 2, ["tiles.drop: 32 is not allowed", "a tile index from 1 to 31"]),
    ("tiles.drop=[[1,0.75],[27,0.25]] size=5x5 tuples=5x5_4x6", 2, ["tiles.drop: 27 is not allowed", "from 1 to 26"]),
    ("tiles.drop=[[0.75,1],[0.25,3]]", 2, ["tiles.drop: 0.75 is not allowed", "a tile index from 1 to 15"]),
    ("tiles.drop=[1,2]", 2, ["tiles.drop: 1 is not allowed", "pairs [tile index, probability]"]),
    ("tiles.drop=[[1,0.5,2],[2,0.5]]", 2, ["tiles.drop: [1, 0.5, 2] is not allowed", "pairs"]),
    ("tiles.drop=[[1,half],[2,half]]", 2, ["tiles.drop: 'half' is not allowed", "probabilities"]),
    ("tiles.drop=[[1,0.5],[1,0.5]]", 2, ["tiles.drop: [[1, 0.5], [1, 0.5]] is not allowed", "each tile index once"]),
    ("tiles.drop=[]", 2, ["tiles.drop: [] is not allowed", "at least one pair"]),
    ("tiles.drop={1:0.9,2:0.1}", 1, ["tiles.drop={1:0.9,2:0.1}"]),
    ("tiles.drop=1", 1, ["tiles.drop=1"]),
    ("tiles.start=[drop,doubled]", 2, ["tiles.start: 'doubled' is not allowed", "from 1 to 15, or drop"]),
    ("tiles.start=[1,0]", 2, ["tiles.start: 0 is not allowed", "from 1 to 15, or drop"]),
    ("tiles.start=[2048]", 2, ["tiles.start: 2048 is not allowed", "did you mean 11, the index of tile 2048?"]),
    ("tiles.start=[]", 2, ["tiles.start: [] is not allowed", "between 1 and 15 tiles"]),
    ("tiles.start=[1,1,1,1] size=2x2 tuples.cells=[[0,1]]", 2, ["tiles.start", "between 1 and 3 tiles"]),
    ("tiles=p90_01", 1, ["tiles=p90_01: no such choice", "did you mean 'p90_10'"]),
    ("tuples=[[0,1,2,16]]", 2, ["tuples.cells: cell 16 of [0, 1, 2, 16] is not on the board"]),
    ("learner=dqn", 1, ["learner=dqn: no such choice", "did you mean 'agent=dqn'?"]),
    ("alpha.schedule=linear", 1, ["alpha.schedule: no such key; did you mean 'learner.schedule'?"]),
    *[
        (f"{word}=1", 1, [f"{word}: no such key; did you mean {key!r}?"])
        for word, key in {
            "games": "episodes",
            "time": "budget.seconds",
            "moves": "budget.moves",
            "eval.games": "evaluate.episodes",
            "eval.depth": "evaluate.plies",
            "train.plies": "search.plies",
            "agent.lr": "agent.learning_rate",
            "search.time": "search.seconds",
            "recipe": "experiment",
            "log_every": "block",
            "p4": "tiles.drop",
        }.items()
    ],
    ("game=20488", 1, ["game=20488: no such choice", "did you mean '2048'"]),
    ("game.name=20488", 2, ["game.name: '20488' is not allowed", "did you mean '2048'"]),
    ("size=6x6", 2, ["size: '6x6' is not allowed", "ROWSxCOLS from 2x2 to 5x5", "did you mean '5x5'?"]),
    ("size=44", 2, ["size: '44' is not allowed", "did you mean '4x4'?"]),
    ("size=null", 1, ["size=null"]),
    ("size=5x5", 2, ["cells of 4x6 are numbered on a 4x4 board, and size is 5x5", "(5x5_4x6)", "tuples.board=null"]),
    ("tuples=2x3_full", 2, ["the cells of 2x3_full are numbered on a 2x3 board, and size is 4x4", "4x6"]),
    ("tuples=8x6_order_count size=3x3 tuples.cells=[[0,1]]", 2, ["the cells of 8x6_order_count", "(3x3_2x6)"]),
    ("size=2x3 tuples.cells=[[0,1,6]]", 2, ["tuples.cells: cell 6 of [0, 1, 6]", "0 to 5 of a 2x3 board"]),
    ("tuples.cells=[[0,1,2],[3,7,11]]", 2, ["tuples.cells: [3, 7, 11] is an image of [0, 1, 2]", "expected one"]),
    ("tuples.cells=[[0,1],[1,0]] tuples.symmetries=false", 2, ["[1, 0] has the same cells as [0, 1]"]),
    ("tuples.board=4x6 size=5x5", 2, ["tuples.board: '4x6' is not allowed", "did you mean '4x5'?"]),
    ("engine=arrays", 2, ["engine: 'arrays' is not allowed", "bits or array", "did you mean 'array'"]),
    ("episodes=-5", 2, ["episodes: -5 is not allowed", "at least 0"]),
    ("block=0", 2, ["block: 0 is not allowed", "at least 1"]),
    ("seed=1.5", 1, ["seed: '1.5' is not allowed; expected a whole number"]),
    (
        "budget.seconds=5minutes",
        1,
        ["'5minutes' is not allowed; expected a number of seconds, or a time as 90s, 5min"],
    ),
    ("seed=-1", 2, ["seed: -1 is not allowed", "at least 0"]),
    ("lanes=0", 2, ["lanes: 0 is not allowed", "1 to 64"]),
    ("lanes=many", 2, ["lanes: 'many' is not allowed", "auto"]),
    ("save.moves=[5,3]", 2, ["save.moves: [5, 3] is not allowed", "in ascending order"]),
    ("save.moves=[0]", 2, ["save.moves: 0 is not allowed"]),
    ("save.moves=5", 2, ["save.moves: 5 is not allowed"]),
    ("save.keep=0", 2, ["save.keep: 0 is not allowed", "at least 1"]),
    ("evaluate.episodes=-1", 2, ["evaluate.episodes: -1 is not allowed", "at least 0"]),
    ("hydra.run.dir=occupied/run", 2, ["occupied/run", "Not a directory"]),
    ("placer=adversry", 1, ["placer=adversry: no such choice", "did you mean 'adversary'"]),
    ("placer.kind=adversry", 2, ["placer.kind: 'adversry' is not allowed", "did you mean 'adversary'"]),
    ("placer.depth=2", 2, ["placer.depth: 2 is not allowed", "1 unless placer.kind=adversary"]),
    ("placer=adversary placer.depth=9", 2, ["placer.depth: 9 is not allowed", "from 1 to 4"]),
    ("placer=adversary placer.network=missing", 2, ["missing", "no checkpoint here"]),
    ("evaluate.solution=missing", 2, ["missing", "no solution here"]),
    ("resume=missing", 2, ["missing/checkpoint", "no checkpoint here"]),
    *[
        (f"{group}={old}", 1, [f"{group}={old}: no such choice", f"; did you mean {new!r}?"])
        for group, names in old_names.CHOICES.items()
        for old, new in names.items()
    ],
    *[
        (f"agent=dqn {old}=1", 1, [f"{old}: no such key; did you mean {new!r}?"])
        for old, new in old_names.KEYS.items()
    ],
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
    done = begun(tmp_path, [*few, *words.split()], whole=number % 40 == 0, monkeypatch=monkeypatch)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert "Traceback" not in done.stdout
    assert files(tmp_path) == before
    assert not list(tmp_path.rglob(".hydra"))
