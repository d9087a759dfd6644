"""Finished (and unfinished) runs as tidy data frames."""

import json
import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tdl.base.checks import check_instance
from tdl.errors import SkippedWarning, TdlError, file_text, refuse
from tdl.game.rules import GAMES, Rules
from tdl.solver.solution import FOLDER as SOLUTION
from tdl.statistics.summary import read_blocks, score_bands
from tdl.storage.race_file import RaceRow, read_race
from tdl.storage.records import RECORD, load_records
from tdl.storage.result_file import lack
from tdl.storage.run_folder import BLOCKS, EPISODES, EVALUATION, LOGGED, OUTPUTS, RESULT, RunFolder
from tdl.storage.titles import flat

Folders = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

# Columns of `runs`: the mean score of the games after training, the bounds of its 95% interval over these games, the
# share of them that reached the tile named, how many games; what only evaluations of finished networks have; and what
# is known of the end of a run, whatever it is a run of.
SCORE, SCORE_BOUNDS, REACH = "eval_mean", ("eval_low", "eval_high"), "eval_reach_"
EVALUATED_GAMES, EVALUATED = "evaluate.episodes", "checkpoint"
STOPPED = "stopped"  # when and why a race stopped the setting of a run
ENDING = ("status", "error", "episodes", "moves", "seconds", "moves_per_second", "peak_memory_bytes", "config_hash")

# Metrics of an evaluation by games (low and high bound the mean's 95% interval), and of one against a solved game.
GAME_METRICS = ("mean", "low", "high", "median", "max", "seconds", "moves_per_second")
EXACT_METRICS = ("expected", "optimal", "gap", "value_bias", "value_rmse", "largest_value_error")


def runs(folders: Folders = OUTPUTS) -> pd.DataFrame:
    """One row per run, and per evaluation of one: its configuration, status and evaluation.

    Parameters
    ----------
    folders : a folder or several, each of a run or of a sweep, or with any mixture of them below.

    Returns
    -------
    columns `run` (folder), every config key (nested ones as `learner.order`; `game`, `tiles`, `tuples`, `learner` and
    `agent` hold the chosen names; `alpha` the value that was used), `seed`, `status`, `error`, `episodes`, `moves`,
    `seconds`, `moves_per_second`, and of the final evaluation `eval_mean`, `eval_low`, `eval_high` (95% interval),
    `eval_median`, `eval_max`, `eval_seconds`, `eval_moves_per_second`, `eval_reach_<tile>`; where the game is solved,
    of the learned play `eval_expected`, `eval_optimal`, `eval_gap`, `eval_value_bias`, `eval_value_rmse` and
    `eval_largest_value_error`, which are exact (`tdl.solver.policy_evaluation.PolicyValue.summary` explains them).

    The row of an evaluation by `tdl evaluate` has a `checkpoint` (a list as text) and `evaluate.plies`. Its
    names are those of the run that trained the network but for `tiles` and `placer` where it had its own; `episodes`
    is how long the network was trained, `seed` that of the games.

    Where a race (`race.on=true`) stopped settings, `stopped` says of their runs when and why: "after 4 seeds: 12%
    behind, 6.1% were enough". It is None for runs of settings that went on.

    A run whose files cannot be read, or hold what no run writes, is left out; a `tdl.errors.SkippedWarning` names it.

    Raises
    ------
    TdlError : a folder without any run, or none that can be read.

    >>> table = tdl.results.runs("outputs/alpha")
    >>> table.groupby(["alpha", "status"]).size().to_dict()
    {(0.1, 'finished'): 2, (0.3, 'finished'): 2}
    """
    results = _results(folders)
    table = pd.DataFrame([row_of(str(folder), result) for folder, result in results])
    if any(stopped := _stopped(results)):
        table[STOPPED] = stopped
    for name in [name for name in table.columns if name.startswith(REACH)]:  # a tile that no game reached: 0, not nan
        tile = int(name.removeprefix(REACH))
        has_tile = table["game"].isin([game for game in GAMES if tile in Rules(game, 5, 5).tiles])
        table.loc[has_tile & table[SCORE].notna() & table[name].isna(), name] = 0.0
    return table


def _stopped(results: Sequence[tuple[Path, dict[str, Any]]]) -> list[str | None]:
    """Of each run when and why a race stopped its setting; None where it went on, also after the race."""
    ends = {folder / row.job: row for folder in {path.parent for path, _ in results} for row in _race(folder)}
    if not ends:
        return []
    settings = [(path.parent, json.dumps(data["config"] | {"seed": None}, sort_keys=True)) for path, data in results]
    rows = {setting: ends.get(path) for setting, (path, _) in zip(settings, results, strict=True) if path in ends}
    played = Counter(settings)
    return [row.why() if (row := rows.get(setting)) and row.stops and played[setting] <= row.seeds else None
            for setting in settings]  # fmt: skip


def _race(folder: Path) -> list[RaceRow]:
    """The rows of the race in the folder of a sweep; none, with a warning, where they cannot be read."""
    try:
        return read_race(folder)
    except (TdlError, OSError) as error:
        _skip(error)
        return []


def load(folders: Folders = OUTPUTS) -> pd.DataFrame:
    """One row per run and block: the columns of `blocks.csv`, and the configuration of the run.

    Columns of `runs` that a block has too (`moves`, `seconds`, `moves_per_second`) are the block's; the evaluation is
    left out. Sorted by run and episode.

    >>> blocks = tdl.results.load("outputs/alpha")
    >>> blocks.query("seed == 0").pivot(index="episode", columns="alpha", values="mean").shape  # 3 blocks, 2 alphas
    (3, 2)
    """
    frames = []
    for folder, result, blocks in _read_each(folders, BLOCKS, read_blocks):
        if len(blocks):
            row, left_out = row_of(folder, result), {*ENDING, *blocks.columns} - {"status", "episodes"}
            fixed = {key: value for key, value in row.items() if key not in left_out and not key.startswith("eval_")}
            frames.append(pd.DataFrame([fixed]).merge(blocks, how="cross"))
    return pd.concat(frames, ignore_index=True).copy() if frames else pd.DataFrame()  # of one piece, for pandas


def blocks_of(table: pd.DataFrame) -> pd.DataFrame:
    """The blocks, as of `load`, of the runs in a table of `runs` that began, whether they failed or not.

    >>> len(blocks_of(tdl.results.runs("outputs/alpha")))
    12
    """
    return load(table[table["episodes"].notna()]["run"] if "episodes" in table else table["run"])


def last_blocks(table: pd.DataFrame, blocks: pd.DataFrame) -> pd.Series:
    """The mean score of the last block of training of each run of `runs`, among those of `load`; nan without one.

    >>> last_blocks(tdl.results.runs("outputs/alpha"), tdl.results.load("outputs/alpha")).notna().sum()
    np.int64(4)
    """
    last: Any = blocks.groupby("run")["mean"].last() if len(blocks) else {}
    return table["run"].map(last).astype(float)


def episodes(folders: Folders = OUTPUTS) -> pd.DataFrame:
    """One row per training episode: `run`, `seed`, `episode`, `score`, `moves`, `max_tile`.

    >>> tdl.results.episodes("outputs/alpha").groupby("seed").size().to_dict()
    {0: 60, 1: 60}
    """
    return _games(folders, EPISODES)


def games(folders: Folders = OUTPUTS) -> pd.DataFrame:
    """One row per game after training, or of an evaluation: columns of `episodes`.

    >>> games = tdl.results.games("outputs/alpha").merge(tdl.results.runs("outputs/alpha")[["run", "alpha"]])
    >>> games.groupby("alpha")["score"].count().to_dict()
    {0.1: 40, 0.3: 40}
    """
    return _games(folders, EVALUATION)


def logged(folders: Folders = OUTPUTS) -> pd.DataFrame:
    """One row per game played beside training, as a deep Q-learner does after a fit; columns of `episodes`.

    `episode` is the number of training games before it.

    >>> len(tdl.results.logged("outputs/alpha"))  # of n-tuple networks there are none
    0
    """
    return _games(folders, LOGGED)


def bands(folders: Folders = OUTPUTS, width: int = 1000) -> pd.DataFrame:
    """The number of games of each evaluation in each band of `width` points, up to the band of the best game.

    Columns `run`, `seed`, `score` (the lowest of the band), `games`, `share`.

    >>> int(tdl.results.bands("outputs/alpha", width=500)["games"].sum())
    80
    """
    frames = []
    for (run, seed), games in _games(folders, EVALUATION).groupby(["run", "seed"], sort=False):
        counts = score_bands(games.to_records(index=False), width)
        rows = [(run, seed, low, count, count / len(games)) for low, count in counts]
        frames.append(pd.DataFrame(rows, columns=["run", "seed", "score", "games", "share"]))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()


def _games(folders: Folders, name: str) -> pd.DataFrame:
    """The games in the files of this name."""
    frames = []
    for folder, result, games in _read_each(folders, name, load_records):
        games.insert(0, "run", folder)
        games.insert(1, "seed", result["config"].get("seed"))
        frames.append(games)
    if not frames:
        return pd.DataFrame(columns=["run", "seed", *(RECORD.names or ())])
    return pd.concat(frames, ignore_index=True)


def _read_each(
    folders: Folders, name: str, read_file: Callable[[Path], Any]
) -> Iterator[tuple[str, dict[str, Any], pd.DataFrame]]:
    """Each run that has a file of this name: its folder, its result, and the file as a table."""
    for folder, result in _results(folders):
        try:
            yield str(folder), result, pd.DataFrame(read_file(folder / name))
        except FileNotFoundError:
            continue
        except (TdlError, OSError) as error:
            _skip(error)


def _results(folders: Folders) -> list[tuple[Path, dict[str, Any]]]:
    """The folder and the result of each run; one that cannot be read is left out with a warning, if others can."""
    paths: dict[Path, None] = {}
    one_folder = isinstance(folders, str | os.PathLike) or not isinstance(folders, Iterable)
    for folder in map(_folder, [folders] if one_folder else folders):  # type: ignore[arg-type] # mypy cannot follow
        files = result_files(folder)
        if not files:
            raise TdlError(f"{folder}: no run in it ({lack(folder, RESULT)})")
        paths |= dict.fromkeys(files)
    results, errors = [], []
    for path in paths:
        try:
            results.append((path.parent, read(path)))
        except (TdlError, OSError) as error:
            errors.append(error)
            _skip(error)
    if errors and not results:
        raise errors[0]
    return results


def _folder(folder: object) -> Path:
    """A folder as a path."""
    if not isinstance(folder, str | os.PathLike):
        raise refuse("folder", folder, "the name of a folder, or several")
    return Path(folder)


def check_table(table: object) -> None:
    """Refuse anything but a data frame."""
    check_instance("table", table, pd.DataFrame, "as tdl.results.runs(FOLDER) gives")


def _skip(error: Exception) -> None:
    """Say what is left out of a table, and why."""
    line = file_text(error) if isinstance(error, OSError) else str(error)
    warnings.warn(f"left out: {line}", SkippedWarning, stacklevel=4)


def result_files(folder: str | os.PathLike[str]) -> list[Path]:
    """The `result.json` of all runs in a folder and below, without those of solved games.

    >>> len(result_files(Path("outputs/alpha")))
    4
    """
    return sorted(path for path in _folder(folder).rglob(RESULT) if not (path.parent / SOLUTION).is_dir())


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The contents of a `result.json`.

    Raises
    ------
    TdlError : it is cut, corrupt, or of no run.
    FileNotFoundError : there is none.

    >>> [read(path)["status"] for path in result_files(Path("outputs/alpha"))]
    ['finished', 'finished', 'finished', 'finished']
    """
    return RunFolder(_folder(path).parent).read_result()


def row_of(run: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The row of `runs` for the contents of a run's `result.json`.

    >>> row = row_of("outputs/a", {"names": {"tuples": "4x6"}, "config": {"save": {"keep": 1}}, "status": "running"})
    >>> row["tuples"], row["save.keep"], row["status"], row["episodes"]
    ('4x6', 1, 'running', None)
    """
    config = {
        key: json.dumps(value) if isinstance(value, list) else value for key, value in flat(data["config"]).items()
    }
    used = {key: data[key] for key in ("alpha", "seed") if key in data}
    ending = {key: data.get(key) for key in ENDING}
    row = {"run": run, "agent": "ntuple", **data.get("names", {}), **config, **used, **ending}
    row["run"] = run  # whatever keys a configuration has
    evaluation = data.get("evaluation", {})
    if evaluation.get("episodes"):
        low, high = evaluation["mean_ci95"] or (np.nan, np.nan)
        metrics = {"low": low, "high": high, **evaluation}
        row |= {f"eval_{name}": metrics.get(name, np.nan) for name in GAME_METRICS}
        row |= {f"{REACH}{tile}": share["rate"] for tile, share in evaluation["reach"].items()}
    if "exact" in evaluation:
        row |= {f"eval_{name}": evaluation["exact"].get(name, np.nan) for name in EXACT_METRICS}
    return row


def reach_columns(table: pd.DataFrame) -> list[str]:
    """The columns of tiles that some games reached and some did not, the smallest tile first.

    >>> reach_columns(tdl.results.runs("outputs/alpha"))
    ['eval_reach_128', 'eval_reach_256', 'eval_reach_512', 'eval_reach_1024']
    """
    names = [str(name) for name in table.columns if str(name).startswith(REACH) and 0 < table[name].mean() < 1]
    return sorted(names, key=lambda name: int(name.removeprefix(REACH)))


def started(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of runs that have played an episode and did not fail."""
    if "episodes" not in table:
        return table[:0]
    return table[(table["status"] != "failed") & table["episodes"].fillna(0).gt(0)]
