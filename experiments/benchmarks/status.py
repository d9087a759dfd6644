"""How soon the state of a large sweep is there, for `tdl status` and the browser's page."""

import json
import shutil
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml  # type: ignore[import-untyped]

from experiments.benchmarks.harness import Row, main
from tdl.storage.run_folder import BLOCKS, HYDRA, RESULT, SWEEP, RunFolder
from tdl.sweeps.sweep_files import SweepFiles
from tdl.sweeps.sweep_state import state_of


def measure(run: str, jobs: int = 1000, seeds: int = 10) -> Iterator[Row]:
    """Seconds, and those of the processor, until the state of a made-up sweep is known: at first, and again.

    run: a finished run, whose files all jobs have
    jobs: of the sweep, each setting with some seeds
    seeds: of each setting
    """
    with tempfile.TemporaryDirectory(prefix="tdl-status-") as folder:
        make_up(Path(folder), RunFolder(run), jobs // seeds, seeds)
        files = SweepFiles(Path(folder))
        for look in ("first", "again"):
            wall, cpu = time.perf_counter(), time.process_time()
            state = state_of(files)
            seconds = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
            yield {"look": look, "jobs": state["jobs"]["finished"], "settings": len(state["settings"]), **seconds}


def make_up(folder: Path, run: RunFolder, settings: int, seeds: int) -> None:
    """The files of a sweep over step sizes, all with the scores of one run, and a little more for each step size."""
    words = [f"alpha=range(1,{settings + 1})", f"seed=range(0,{seeds})"]
    (folder / SWEEP).write_text(yaml.safe_dump({"hydra": {"overrides": {"task": words}}}))
    for alpha in range(1, settings + 1):
        for seed in range(seeds):
            result = run.read_result()
            result |= {"seed": seed, "alpha": alpha, "config": result["config"] | {"seed": seed, "alpha": alpha}}
            job = folder / f"alpha{alpha}-seed{seed}"
            (job / HYDRA).mkdir(parents=True)
            (job / RESULT).write_text(json.dumps(result))
            shutil.copy(run.path / BLOCKS, job)


if __name__ == "__main__":
    main(measure)
