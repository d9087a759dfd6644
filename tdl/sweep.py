"""What a finished `-m` sweep leaves: `sweep.csv`, a row per job."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hydra.experimental.callback import Callback
from omegaconf import DictConfig, OmegaConf

from tdl.runfiles import save_json

_folders: list[Path] = []
_elsewhere: list[Path] = []

HIDDEN = ("status", "run", "config_hash", "peak_memory_bytes", "seconds")
"""Columns of `sweep.csv` that the table on the screen leaves out."""


class SweepFolder(Callback):
    """Remembers where the sweep of this process lies. Hydra's own end-of-sweep call is left out when a job fails."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Hydra calls this before the first job."""
        _folders.append(Path(config.hydra.sweep.dir))


def mark_failed(folder: Path, cfg: DictConfig, names: dict[str, str], error: str) -> None:
    """Leave a `result.json` for a job that failed before it could write one, so that the table has its row."""
    path = folder / "result.json"
    if not path.exists():
        plain = OmegaConf.to_container(cfg)
        assert isinstance(plain, dict)
        folder.mkdir(parents=True, exist_ok=True)
        save_json(path, {"status": "failed", "error": error, "names": names, "config": plain})


def note_elsewhere(folder: Path) -> None:
    """Count a run that is not below the sweep's folder to the sweep: a resumed one continues where it was."""
    _elsewhere.append(folder)


def gather() -> int:
    """Write and print the table of the sweep that ran in this process; how many of its jobs are not finished."""
    missing = 0
    for folder in _folders:
        members = [each for each in (folder, *_elsewhere) if list(each.rglob("result.json"))]
        if not members:
            continue
        from tdl.results import runs  # pandas takes half a second to import

        table = runs(members)
        table.to_csv(folder / "sweep.csv", index=False)
        missing += int((table["status"] != "finished").sum())
        differing = [name for name in table.columns if table[name].astype(str).nunique() > 1]
        shown = ["status", *(name for name in differing if name not in HIDDEN)]
        print(table[shown].to_string())
        print(f"table in {folder / 'sweep.csv'}")
    _folders.clear()
    _elsewhere.clear()
    return missing
