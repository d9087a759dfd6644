"""One training on several processes, started by mpirun: the same bits as one process with as many replicas.

Trusts the run of one process.
"""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE, programs, slurm
from support.programs import SMALL, checkpoint, ended, files, go_on, learned, outcome, train, wait_until, written_at

from tdl.storage.checkpoint import read_meta

pytestmark = pytest.mark.extra

pytest.importorskip("mpi4py", reason="the extra mpi is not installed")
if shutil.which("mpirun") is None:
    pytest.skip("Open MPI is not installed (apt-get install openmpi-bin)", allow_module_level=True)

GUIDE = Path(__file__).parents[2] / "docs" / "howto" / "cores.md"

RUN = (*SMALL, "replicas=4", "round=40", "block=80")
ALL = 400
MPIRUN = ("mpirun", "--allow-run-as-root", "--oversubscribe")
# Without copies from process to process, which containers may forbid.
QUIET = {"OMPI_MCA_btl_vader_single_copy_mechanism": "none"}


@contextlib.contextmanager
def started(cwd, processes, *words):
    """Start `mpirun python -m tdl.run WORDS` in the folder `cwd`; it ends with the context."""
    words = (*MPIRUN, "-n", str(processes), sys.executable, "-m", "tdl.run", *programs.once(words))
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=cwd, env=os.environ | QUIET, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


def on(cwd, processes, *words):
    """The same to its end: the exit code and what was printed."""
    with started(cwd, processes, *words) as process:
        return ended(process)


def number_of(process, rank):
    """The number of the process that carries this rank."""
    threads = Path(f"/proc/{process.pid}/task").glob("*/children")
    children = " ".join(path.read_text() for path in threads).split()
    word = f"OMPI_COMM_WORLD_RANK={rank}".encode()
    (number,) = (child for child in children if word in Path(f"/proc/{child}/environ").read_bytes().split(b"\0"))
    return int(number)


@pytest.mark.parametrize(("learner", "threads"), [("td", 1), ("tc", 2)])
def test_two_processes_of_two_replicas_equal_one_of_four(tmp_path, learner, threads):
    """In every file, and only the first process leaves any."""
    words = (*RUN, f"episodes={ALL + 800}", f"round=[0:40,{ALL}:160]", f"learner={learner}", f"threads={threads}")
    words += ("alpha=0.1", "learner.schedule=[0%:0.2,60%:0.1]") if learner == "td" else ("alpha=1",)
    done = on(tmp_path, 2, *words, "hydra.run.dir=two")
    assert done.returncode == 0, done.stderr
    alone = train(tmp_path / "one", *words)
    assert outcome(tmp_path / "two") == outcome(alone)
    left = {path.relative_to(tmp_path / "two") for path in (tmp_path / "two").rglob("*") if path.is_file()}
    expected = {path.relative_to(alone) for path in alone.rglob("*") if path.is_file()}
    assert left - expected == {Path("curve.png")}
    assert {path.name for path in tmp_path.iterdir()} == {"one", "two"}
    assert done.stdout.count("results in") == 1


PROGRAM = """
import hashlib
from pathlib import Path
from tdl.training import rank_merge
from tdl.training.ranks import connect
from tdl.training.trainer import Trainer
from tdl.game.rules import Rules
from tdl.network.ntuple import NTupleNetwork
from tdl.network.stages import Stages
from tdl.network.tuples import TupleSet

rank_merge.ROWS = 1000
network = NTupleNetwork(Rules(), TupleSet(((0, 1, 2, 3), (4, 5, 9))), stages=Stages((64, 256)))
ranks = connect()
trainer = Trainer(network, replicas=6, round=60, alpha=0.5, step="coherent", threads=2, ranks=ranks)
records = trainer.train(600)
digest = hashlib.sha256(records.tobytes())
for array in (network.weights, *trainer.state.values()):
    digest.update(array.tobytes())
for play, state in zip(trainer._players.plays, trainer._players.states):
    assert play.network.weights.tobytes() == network.weights.tobytes()
    assert state["sums"].tobytes() == trainer.state["sums"].tobytes() and not state["moved"].any()
text = f"{trainer.moves} {trainer.mean_abs_error.hex()} {digest.hexdigest()}"
Path(f"{ranks.size}-{ranks.rank}.txt").write_text(text)
"""


def test_in_python_and_in_many_parts(tmp_path):
    """Every process has the same in the end, and so has each replica; weights of stages that never began are nan."""
    (tmp_path / "program.py").write_text(PROGRAM)
    for words in ((), (*MPIRUN, "-n", "3")):
        words = (*words, sys.executable, "program.py")
        subprocess.run(words, cwd=tmp_path, env=os.environ | QUIET, timeout=PATIENCE, check=True)
    texts = {path.name: path.read_text() for path in tmp_path.glob("*.txt")}
    assert set(texts) == {"1-0.txt", "3-0.txt", "3-1.txt", "3-2.txt"}
    assert len(set(texts.values())) == 1


def test_goes_on_with_other_numbers_of_processes(tmp_path):
    words = (*RUN, "learner=tc", "alpha=1", f"episodes={ALL}")
    folder = train(tmp_path / "run", *words)
    for processes, episodes in ((2, ALL + 320), (4, ALL + 640)):
        done = on(tmp_path, processes, f"resume={folder}", f"episodes={episodes}")
        assert done.returncode == 0, done.stderr
    last = f"episodes={ALL + 960}"
    assert outcome(go_on(folder, last)) == outcome(train(tmp_path / "whole", *words, last))


def test_a_killed_process_ends_the_run_and_leaves_the_checkpoint(tmp_path):
    words = (*RUN, "learner=tc", "alpha=1", "save.every=80")
    folder = tmp_path / "run"
    with started(tmp_path, 2, *words, "episodes=100000000", f"hydra.run.dir={folder}") as process:
        wait_until(lambda: written_at(folder) is not None, process)
        wait_until(lambda: read_meta(folder / "checkpoint")["episode"] > ALL, process)
        os.kill(number_of(process, 1), signal.SIGKILL)
        done = ended(process)
    assert done.returncode != 0
    assert f"is intact: resume={folder}" in done.stderr
    episodes = checkpoint(folder)[0]["episode"] // 80 * 80 + 160
    go_on(folder, f"episodes={episodes}")
    assert learned(folder) == learned(train(tmp_path / "whole", *words, f"episodes={episodes}"))


def test_a_process_that_cannot_go_on_ends_all(tmp_path):
    """Divergence, wherever it is, is one line of the first process."""
    done = on(tmp_path, 2, *RUN, "learner=td", "alpha=4", "episodes=100000", f"hydra.run.dir={tmp_path}/run")
    assert done.returncode == 1
    assert done.stderr.count("tdl: ") == 1
    assert "tdl: learning diverged" in done.stderr


def test_refusals_are_one_line(tmp_path):
    for words, telling in [
        (("replicas=3",), "tdl: replicas: 3 is not allowed; expected a multiple of the number of processes, 2"),
        (("-m", "replicas=2,4"), "--multirun: 2 processes train one run"),
    ]:
        done = on(tmp_path, 2, *words, *SMALL)
        assert done.returncode == 2
        assert done.stderr.count("tdl: ") == 1
        assert telling in done.stderr
        assert not files(tmp_path)


@pytest.mark.skipif(not slurm.is_there(), reason="Slurm is not installed (apt-get install slurm-wlm)")
def test_the_script_for_slurm(tmp_path):
    """As it stands in the guide, but for a smaller run on one node; sent once more it goes on."""
    (script,) = re.findall(r"```bash\n(.*?)```", GUIDE.read_text(), re.S)
    for there, here in (
        ("--nodes=4", "--nodes=1"),
        ("--ntasks-per-node=1", "--ntasks-per-node=2"),
        ("--cpus-per-task=16", "--cpus-per-task=1"),
        ("--mem=20G", "--mem=1G"),
        ("replicas=64 threads=16", " ".join(programs.once(RUN))),
        ("episodes=10000000", "episodes=160"),
        ("threads=16", "episodes=320"),
        (".venv/bin/tdl", str(Path(sys.executable).with_name("tdl"))),
    ):
        assert script.count(there) == 1, there
        script = script.replace(there, here)
    (tmp_path / "script").write_text(script)
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    with slurm.one_node(tmp_path / "node") as environment:
        for episodes in (160, 320):
            words = ("sbatch", "--output=printed", "script")
            subprocess.run(words, cwd=tmp_path, env=environment | QUIET | root, check=True)
            wait_until(lambda: {job["JobState"] for job in slurm.jobs(environment)} == {"COMPLETED"})
            assert checkpoint(tmp_path / "outputs" / "machines")[0]["episode"] == episodes


def test_another_mpi_than_the_launcher_s(tmp_path):
    alone = os.environ | {"PMI_SIZE": "4", "PMI_RANK": "0"}
    words = (sys.executable, "-m", "tdl.run", "replicas=4")
    done = subprocess.run(
        words, cwd=tmp_path, env=alone, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 2
    assert done.stderr.startswith("tdl: mpi: the launcher started 4 processes, mpi4py's MPI knows of 1")
    assert done.stderr.count("\n") == 1
