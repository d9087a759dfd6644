"""The state of a sweep from its files alone, as a page and a terminal show it: what is known, runs, and is left."""

import math
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from tdl.errors import has_diverged, printable
from tdl.results.answers import failures
from tdl.results.design import scale_of, value_words
from tdl.results.frames import EVALUATED_GAMES, SCORE
from tdl.results.labels import label
from tdl.statistics.importance import METHOD, main_effects
from tdl.statistics.intervals import t_quantile
from tdl.storage.race_file import DIVERGES, STAYS, RaceRow
from tdl.storage.run_folder import FAILED, FINISHED, INTERRUPTED, PAUSED, RUNNING
from tdl.sweeps.sweep_files import SweepFiles, value_at
from tdl.sweeps.sweep_settings import DIVERGED, ENDED, SPARED, STOPPED, WAITING, Job, Setting, Settings

POINTS, ALL_POINTS = 60, 3000
"""Of a learning curve at most, and of those of all settings together."""

GRACE = 10.0
"""Seconds after a change in which a sweep may be between two jobs."""

SEVERAL = 3
"""Seeds from which on a curve has a band: that of two is as wide as the page."""

SURELY = 0.99
"""Who has to be so far behind to stop has played too few seeds to be judged."""

QUEUE = "jobs may wait in the queue of Slurm: squeue tells"

STATUSES = (FINISHED, RUNNING, PAUSED, FAILED, INTERRUPTED, WAITING, SPARED)

State = dict[str, Any]


def state_of(files: SweepFiles) -> State:
    """The state of a sweep, as `GET /api/sweep` and `tdl status --json` give it.

    Raises
    ------
    TdlError, OSError : as `SweepFiles.look`.
    """
    notes, jobs, rows = files.look()
    settings = Settings(notes, jobs, files)
    races = value_at(notes, "hydra", "callbacks", "sweep", "race", "on") is True
    if races:
        settings.judge(rows)
    settings.compare()
    return _whole(settings, files, rows if races else None)


def _whole(settings: Settings, files: SweepFiles, rows: Sequence[RaceRow] | None) -> State:
    now, jobs = time.time(), [job for setting in settings.all for job in setting.jobs]
    counts = Counter(job.status for job in jobs)
    counts[WAITING] += settings.to_be_proposed
    status = _status(counts, now - files.changed)
    running = [
        {"job": job.files.name, "setting": number, "seed": job.seed, **_pace(job, now), "watch": job.files.plays}
        for number, setting in enumerate(settings.all)
        for job in setting.jobs
        if job.status == RUNNING and job.files
    ]
    return {
        "folder": printable(str(files.folder)),
        "name": printable(files.folder.resolve().name),
        "prefix": "",
        "status": status,
        "jobs": {"all": counts.total()} | {name: counts[name] for name in STATUSES},
        "seconds": round(sum(map(_seconds, jobs)), 1),
        "left": _left(jobs, running, settings.to_be_proposed) if status == RUNNING else None,
        "at_most": rows is not None,
        "score": _score_text(settings),
        "along": _along(jobs),
        "answer": settings.answer(),
        "settings": _settings(settings),
        "notes": [*files.wrong, *[QUEUE] * (status == STOPPED and settings.elsewhere)],
        "race": None if rows is None else _race(settings.all, rows, counts),
        "keys": [_axis(key, settings.all) for key in settings.keys],
        "importance": _importance(settings),
        "running": running,
    }


def _status(counts: Mapping[str, int], age: float) -> str:
    """Of a sweep whose files were changed so many seconds ago."""
    if counts[RUNNING]:
        return RUNNING
    if not counts[WAITING] + counts[PAUSED] + counts[INTERRUPTED]:
        return ENDED
    return RUNNING if age < GRACE and not counts[INTERRUPTED] else STOPPED


# Time


def _seconds(job: Job) -> float:
    """What a job has taken so far."""
    if job.files is None:
        return 0.0
    if job.status == FINISHED:
        values = [job.files.row.get(name) for name in ("seconds", "eval_seconds")]
        return sum(value for value in values if isinstance(value, int | float) and value == value)
    return _finite(job.files.blocks.seconds[-1]) or 0.0 if job.files.blocks else 0.0


def _pace(job: Job, now: float) -> dict[str, float | None]:
    """How far a job is, the seconds left, and its speed; between two blocks it is taken to go on as in the last."""
    blocks = job.files.blocks if job.files else None
    ends = job.files.ends if job.files else {}
    shares = [getattr(blocks, name)[-1] / end for name, end in ends.items()] if blocks else []
    if blocks is None or not shares or not (before := blocks.seconds[-1]) > 0 or not max(shares) > 0:
        return {"share": None, "left": None, "speed": _finite(blocks.speed) if blocks else None}
    seconds = before + min(max(0.0, now - blocks.changed), blocks.pace)
    share = min(0.99, max(shares) * seconds / before)
    return {"share": _finite(share), "left": _finite(seconds * (1 - share) / share), "speed": _finite(blocks.speed)}


def _left(jobs: Sequence[Job], running: Sequence[State], more: int) -> float | None:
    """Seconds until all is played, at the pace of what is: as many at once as run now."""
    whole = [_seconds(job) for job in jobs if job.status == FINISHED]
    whole += [job["left"] / (1 - job["share"]) for job in running if not whole and job["left"] is not None]
    ahead = more + sum(job.status in (WAITING, PAUSED, INTERRUPTED) for job in jobs)
    if not whole:
        return None
    mean, parts = sum(whole) / len(whole), [job["left"] for job in running]
    parts = [mean / 2 if part is None else part for part in parts]
    return round(float(max([*parts, (sum(parts) + mean * ahead) / max(1, len(parts))])), 1)


# Settings


def _settings(settings: Settings) -> list[State]:
    points = max(8, min(POINTS, ALL_POINTS // max(1, len(settings.all))))
    along = _along([job for setting in settings.all for job in setting.jobs])
    return [
        {
            "name": settings.name(setting), "values": setting.values,
            "seeds": len(setting.scores), "of": len(setting.jobs),
            "mean": _finite(setting.mean), "low": _finite(setting.low), "high": _finite(setting.high),
            "state": _state(setting), "why": "; ".join(filter(None, [_decision(setting), *_lost(setting)])),
            "curve": _curve(setting, along, points), "jobs": [*map(_job, setting.jobs)],
        }
        for setting in settings.all
    ]  # fmt: skip


def _job(job: Job) -> State:
    files = job.files
    return {
        "job": files.name if files else None, "seed": job.seed, "score": _finite(job.score), "status": job.status,
        "watch": files is not None and files.plays,
    }  # fmt: skip


def _state(setting: Setting) -> str:
    """A word of the race, or what becomes of its jobs."""
    row = setting.row
    if row is not None and setting.stopped:
        return DIVERGED if row.verdict == DIVERGES else STOPPED
    if setting.is_out():
        return FAILED
    if row is not None:
        return row.verdict
    for status in (RUNNING, INTERRUPTED):
        if setting.count(status):
            return status
    if setting.count(WAITING, PAUSED):
        return WAITING
    if setting.scores or not setting.count(FAILED):
        return ENDED
    return DIVERGED if any(has_diverged(job.error) for job in setting.jobs) else FAILED


def _decision(setting: Setting) -> str:
    """What a race said of a setting last, in words."""
    row = setting.row
    if setting.is_out():
        return f"stopped {setting.stopped}" if setting.stopped else "left out, as a job failed"
    if row is None or row.verdict != STAYS or not (math.isfinite(row.behind) and math.isfinite(row.margin)):
        return ""
    if row.margin >= SURELY:
        return f"{row.behind:.0%} behind, too early to tell"
    return f"{row.behind:.0%} behind, {row.margin:.0%} would be enough to stop"


def _lost(setting: Setting) -> list[str]:
    """What became of jobs that failed."""
    rows = [{"status": FAILED if job.status == FAILED else FINISHED, "error": job.error} for job in setting.jobs]
    return failures(pd.DataFrame(rows)) if setting.count(FAILED) else []


def _race(settings: Sequence[Setting], rows: Sequence[RaceRow], counts: Mapping[str, int]) -> State:
    looks = max((row.look for row in rows), default=0)
    out = sum(setting.is_out() for setting in settings)
    runs = f"; {counts[SPARED]:,} of {sum(counts.values()):,} runs spared" if counts[SPARED] else ""
    return {"looks": looks, "text": f"{out} of {len(settings)} settings stopped{runs}"}


# What is drawn


def _along(jobs: Sequence[Job]) -> str:
    """What curves are drawn over: that which ends the training of all jobs."""
    ends = [job.files.ends for job in jobs if job.files and job.files.ends]
    for name in ("moves", "seconds"):
        if ends and all(name in end for end in ends):
            return name
    return "episode"


def _curve(setting: Setting, along: str, points: int) -> State | None:
    """The mean over seeds of training scores: of finished jobs, or else as far as all are.

    With its 95% interval, where no race stopped the setting.
    """
    known = [
        (job.status, job.files.blocks) for job in setting.jobs if job.files and job.files.blocks and not job.error
    ]
    finished = [blocks for status, blocks in known if status == FINISHED] or [blocks for _, blocks in known]
    lines = [(getattr(blocks, along), blocks.mean) for blocks in finished]
    if not lines or not all(np.isfinite(values).all() for line in lines for values in line):
        return None
    longest = max((at for at, _ in lines), key=len)
    grid = longest[longest <= min(at[-1] for at, _ in lines)]
    grid = grid[np.unique(np.linspace(0, len(grid) - 1, points).astype(int))] if len(grid) else lines[0][0][:1]
    rows = np.array([np.interp(grid, at, mean) for at, mean in lines])
    low, high = _band(rows[:0] if setting.is_beaten() else rows)
    curve = {"at": grid, "mean": rows.mean(axis=0), "low": low, "high": high}
    return {name: [_finite(float(f"{value:.6g}")) for value in values] for name, values in curve.items()}


def _band(rows: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The 95% intervals of the means of columns (Student's t); nan of few rows."""
    if len(rows) < SEVERAL:
        return np.full(rows.shape[1], np.nan), np.full(rows.shape[1], np.nan)
    half = t_quantile(0.95, len(rows) - 1) * rows.std(axis=0, ddof=1) / math.sqrt(len(rows))
    return np.maximum(0.0, rows.mean(axis=0) - half), rows.mean(axis=0) + half


def _axis(key: str, settings: Sequence[Setting]) -> State:
    """A key as the axis of a figure."""
    column = pd.Series([setting.values[key] for setting in settings], name=key)
    return {"key": key, "name": label(key), "scale": scale_of(key, column), "values": [*value_words(column)]}


def _importance(settings: Settings) -> State:
    """Each key's share of the variance of scores, over the seeds that all settings have; or why there is none."""
    nothing: State = {"shares": [], "rest": None}
    scored = [setting for setting in settings.all if setting.scores]
    keys = [key for key in settings.keys if len({str(setting.values[key]) for setting in scored}) > 1]
    if len(keys) < 2:
        return nothing | {"text": "With less than two keys there is nothing to share."}
    seeds = set.intersection(*({*setting.scores} for setting in scored))
    if not seeds:
        return nothing | {"text": "No seed has been played by all settings, so they cannot be compared."}
    means = np.array([np.mean([setting.scores[seed] for seed in seeds]) for setting in scored])
    shares, rest = main_effects({key: [str(setting.values[key]) for setting in scored] for key in keys}, means)
    if not shares:
        return nothing | {"text": "There are too few settings to tell the keys apart."}
    ranked = [{"key": key, "share": shares[key]} for key in sorted(shares, key=lambda key: -shares[key])]
    without = f" Without {lost} settings that have no score." if (lost := len(settings.all) - len(scored)) else ""
    text = (f"Shares of the variance of mean scores over {len(scored)} settings, with the {len(seeds)} seeds that all "
            f"of them have: {METHOD}. The rest is what keys do together, and chance.{without}")  # fmt: skip
    return {"shares": ranked, "rest": rest, "text": text}


def _score_text(settings: Settings) -> str:
    if settings.score != SCORE:
        return "mean score of the last block of training"
    games = {*settings.known.get(EVALUATED_GAMES, pd.Series(dtype=float)).dropna()}
    return (
        "mean score" + (f" of {int(games.pop()):,} games" if len(games) == 1 else " of the games") + " after training"
    )


def _finite(value: float) -> float | None:
    """A number as JSON has it; nothing where it is none."""
    return round(float(value), 6) if math.isfinite(value) else None
