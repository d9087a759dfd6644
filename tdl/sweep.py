"""What a finished `-m` sweep leaves: `sweep.csv`, a row per job."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hydra.experimental.callback import Callback
from omegaconf import MISSING, DictConfig, OmegaConf

from tdl.runfiles import save_json

if TYPE_CHECKING:
    import pandas as pd

_folders: list[Path] = []
_elsewhere: list[Path] = []

HIDDEN = ("status", "run", "config_hash", "peak_memory_bytes", "seconds", "eval_low", "eval_high", "eval_seconds")
"""Columns of `sweep.csv` that the table on the screen leaves out, or shows within another."""

REACH = "eval_reach_"

MOST_TILES = 4
"""Reach rates shown at most: those of the largest tiles."""


class SweepFolder(Callback):
    """Remembers where the sweep of this process lies. Hydra's own end-of-sweep call is left out when a job fails."""

    def on_multirun_start(self, config: DictConfig, **_: Any) -> None:
        """Hydra calls this before the first job."""
        _folders.append(Path(config.hydra.sweep.dir))


def mark_failed(folder: Path, cfg: DictConfig, names: dict[str, str], error: str) -> None:
    """Leave a `result.json` for a job that failed before it could write one, so that the table has its row."""
    path = folder / "result.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        plain = _given(OmegaConf.to_container(cfg))
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
        print(_shown(table).to_string())
        print(f"table in {folder / 'sweep.csv'}")
    _folders.clear()
    _elsewhere.clear()
    return missing


def _shown(table: pd.DataFrame) -> pd.DataFrame:
    """What a reader needs of the table: the columns in which the jobs differ, with the figures as text."""
    differing = [name for name in table.columns if _differs(table, name) and not _told_by_name(table, name)]
    tiles = [name for name in differing if name.startswith(REACH)]
    left_out = {*HIDDEN, *sorted(tiles, key=lambda name: int(name.removeprefix(REACH)))[:-MOST_TILES]}
    shown = table[["status", *(name for name in differing if name not in left_out)]].copy()
    for name in shown.columns:
        if name == "eval_mean":
            shown[name] = [_mean(*each) for each in table[["eval_mean", "eval_low", "eval_high"]].to_numpy()]
        elif name.startswith(REACH):
            shown[name] = [_number(100 * each, ".1f", "%") for each in table[name]]
        elif name in ("eval_median", "eval_max", "eval_moves_per_second", "moves", "moves_per_second"):
            shown[name] = [_number(each, ",.0f") for each in table[name]]
    return shown


def _differs(table: pd.DataFrame, name: str) -> bool:
    """Whether a column tells jobs apart; that a failed one lacks it does not."""
    played = table[table["status"] != "failed"]
    return played[name].astype(str).nunique() > 1 or table[name].dropna().astype(str).nunique() > 1


def _told_by_name(table: pd.DataFrame, name: str) -> bool:
    """Whether a key of a group, as `tuples.cells`, follows from the name chosen in that group."""
    group, _, key = name.partition(".")
    if not key or group not in table.columns:
        return False
    return bool((table[name].astype(str).groupby(table[group]).nunique() <= 1).all())


def _given(plain: Any) -> Any:
    """A configuration without what a checkpoint would have said."""
    if not isinstance(plain, dict):
        return plain
    return {key: _given(value) for key, value in plain.items() if value != MISSING}


def _mean(mean: float, low: float, high: float) -> str:
    return _number(mean, ",.0f") + ("" if math.isnan(low) else f" [{low:,.0f}, {high:,.0f}]")


def _number(value: float, form: str, unit: str = "") -> str:
    """A number as text; nothing for nan, where a job has none."""
    return "" if math.isnan(value) else f"{value:{form}}{unit}"
