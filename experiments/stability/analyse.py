"""By how much the errors of values grow from game to game, by step size: growth.csv and growth.png.

    python -m experiments.stability.analyse FOLDER [FOLDER ...] [into=FOLDER]

The folders have runs of TD learning that kept their networks. Each network plays greedy games. The entries that the
afterstates of a game share make its updates a linear map of the values (docs/theory.md, section 10), for each step,
order of the updates and lambda. growth.csv has, for the step at which the networks were `trained`, over all of them,

- `alone`: by how many percent errors grow when one game comes again and again, in the end; median, smallest, largest;
- `in_turn`: the same a game, when forty come in turn: of the weights' norm, over the last half of 600 games;
- `met`: by what factor, at worst, the errors that a game's updates meet are larger in norm than before them; median;
- `repeated`: `as they are`, or `once`: with each update divided by its board's c.

An error is here the difference between two sets of values, whatever the rewards. The discount is 1.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import seaborn as sns
from numpy.typing import NDArray
from tqdm import tqdm

import tdl
import tdl.results
from experiments.tools import arguments, write
from experiments.tools.drawing import in_words, panels
from tdl.players.played_values import played_values
from tdl.players.player import Player

GAMES, ALONE = 40, 5  # games of each network in turn, and how many of them are looked at alone
UPDATES = 600  # games whose updates are played; growth is measured over the last half
STEPS = {"backward": (0.6, 0.9, 0.95, 1.0, 1.05, 1.1), "forward": (0.6, 0.9, 1.0, 1.1, 1.2, 1.5, 2.0)}
PASSES = (("backward", 0.0, "as they are"), ("backward", 0.0, "once"), ("backward", 0.5, "as they are"),
          ("forward", 0.0, "as they are"))  # fmt: skip
"""Orders of the updates, with lambda and how repeated entries count."""

KEYS = ["trained", "order", "td_lambda", "share", "repeated", "alpha"]
Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Met:
    """The afterstates of a game: the places of their entries among those of all games, and their overlaps."""

    places: NDArray[np.intp]
    overlap: Matrix


def overlaps(entries: NDArray[np.integer[Any]]) -> Matrix:
    """By how much the value of each board moves when a step of 1 corrects another's error of 1.

    Of a board with itself that is its c, of boards that have no entry in common 0. A row of `entries` is a board's.
    """
    number, entry = np.unique(entries, return_inverse=True)
    row = np.repeat(np.arange(len(entries)), entries.shape[1])
    readings = np.zeros((len(entries), len(number)), np.float32)
    np.add.at(readings, (row, entry.ravel()), 1)
    return (readings @ readings.T).astype(float) / entries.shape[1]


def gain_of(overlap: Matrix, rates: NDArray[np.float64], order: str, td_lambda: float = 0.0) -> Matrix:
    """The map from the errors that a game's afterstates have before its TD updates to those that the updates meet.

    `rates` has the step size of each afterstate, `order` is `backward` or `forward`, the latter without lambda.
    """
    if td_lambda and order == "forward":
        raise ValueError("forward updates with lambda are another map")
    moved = overlap * rates  # entry t, j: how far the value of t moves when j's error of 1 is corrected
    ahead = np.eye(len(moved), k=1)  # row t picks afterstate t + 1; the target of the last is 0
    met = ahead @ moved - moved
    met = np.triu(met, 1) if order == "backward" else np.tril(met, -1)
    met += td_lambda * ahead * (1 - np.diag(moved))
    return np.linalg.inv(np.eye(len(moved)) - met)


def radius(game: Met, gain: Matrix, rates: NDArray[np.float64]) -> float:
    """The factor by which errors grow in the end when one game comes again and again: the map's spectral radius.

    The map of the weights is 1 plus a product, which is not 0 only between the directions that the values can take.
    """
    values, directions = np.linalg.eigh(game.overlap)
    taken = values > 1e-9 * values[-1]
    rooted = directions[:, taken] * np.sqrt(values[taken])
    ahead = np.eye(len(gain), k=1) - np.eye(len(gain))
    return float(np.abs(1 + np.linalg.eigvals(rooted.T @ (rates[:, None] * gain) @ ahead @ rooted)).max())


def growth(games: Sequence[Met], gains: Sequence[Matrix], rates: Sequence[NDArray[np.float64]]) -> float:
    """The mean factor a game of the weights' norm when the games come in turn."""
    size = 1 + max(int(game.places.max()) for game in games)
    features = games[0].places.shape[1]
    weights = np.zeros(size)
    noise = np.random.default_rng(0)
    for game in games:
        np.add.at(weights, game.places, noise.normal(size=(len(game.places), 1)))
    logs = []
    for number in range(UPDATES):
        place = number % len(games)
        values = weights[games[place].places].sum(axis=1)
        errors = gains[place] @ (np.append(values[1:], 0) - values)
        moves = np.broadcast_to((rates[place] / features * errors)[:, None], games[place].places.shape)
        weights += np.bincount(games[place].places.ravel(), moves.ravel(), size)
        norm = float(np.linalg.norm(weights))
        weights /= norm
        logs.append(np.log(norm))
    return float(np.exp(np.mean(logs[len(logs) // 2 :])))


def games_of(player: Player, seed: int) -> list[Met]:
    """The games of a network."""
    played = played_values(player, GAMES, seed)
    boards = [played["afterstate"][played["episode"] == episode] for episode in range(GAMES)]
    entries = [np.array([player.network.entries(int(board)) for board in game]) for game in boards]
    _, places = np.unique(np.concatenate(entries), return_inverse=True)
    parts = np.split(places.reshape(-1, entries[0].shape[1]), np.cumsum([len(game) for game in boards])[:-1])
    return [Met(part, overlaps(part)) for part in parts]


def figures_of(games: list[Met]) -> Iterator[dict[str, Any]]:
    """The figures of a network, for each step, order, lambda and counting of repeated entries."""
    settings = [(*kind, alpha) for kind in PASSES for alpha in STEPS[kind[0]]]
    if all((np.diag(game.overlap) == 1).all() for game in games):
        settings = [setting for setting in settings if setting[2] == "as they are"]
    for order, td_lambda, repeated, alpha in tqdm(settings, unit="setting", leave=False):
        divisors = [np.diag(game.overlap) if repeated == "once" else np.ones(len(game.overlap)) for game in games]
        rates = [alpha / divisor for divisor in divisors]
        gains = [gain_of(game.overlap, rate, order, td_lambda) for game, rate in zip(games, rates, strict=True)]
        setting = {"order": order, "td_lambda": td_lambda, "repeated": repeated, "alpha": alpha}
        alone = [radius(*parts) for parts in zip(games[:ALONE], gains, rates, strict=False)]
        met = [np.linalg.norm(gain, 2) for gain in gains[:ALONE]]
        yield setting | {"in_turn": growth(games, gains, rates), "alone": alone, "met": met}


def rows_of(runs: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """The figures of all networks, with what their games overlap on average."""
    for run in tqdm(runs[runs["status"] == "finished"].to_dict("records"), unit="network"):
        player = tdl.load(run["run"])
        games = games_of(player, run["seed"])
        mean_c = np.mean([np.diag(game.overlap).mean() for game in games])
        network = {"run": run["run"], "trained": run["alpha"], "share": player.network.tuples.share, "c": mean_c}
        yield from (network | row for row in figures_of(games))


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of growth.csv: figures over all networks."""
    rows = rows.explode(["alone", "met"])  # a row for each game
    figures = {"networks": ("run", "nunique"), "c": ("c", "mean"), "met": ("met", "median")}
    for name in ("alone", "in_turn"):
        rows[name] = 100 * (rows[name] - 1)
        figures |= {name: (name, "median"), f"{name}_smallest": (name, "min"), f"{name}_largest": (name, "max")}
    means = rows.astype({"alone": float, "met": float}).groupby(KEYS, sort=False).agg(**figures)
    return means.map(lambda figure: float(f"{figure:.4g}")).astype({"networks": int}).reset_index()


def draw(folder: Path) -> str:
    """Growth of errors by step size, a panel for each order and lambda, into growth.png; returns its caption."""
    rows = pd.read_csv(folder / "growth.csv").query("repeated == 'as they are' and trained == trained.min()")
    rows = rows.melt(["order", "td_lambda", "share", "alpha"], ["in_turn", "alone"], "games", "growth")
    rows = rows.assign(tables=in_words(rows["share"], folder), games=in_words(rows["games"], folder))
    styles = {"hue": "tables", "style": "games", "markers": True}
    passes = rows.groupby(["order", "td_lambda"])
    with panels(folder / "growth.png", 3.4, 1, len(passes), sharey=True) as row:
        for axes, ((order, td_lambda), part) in zip(row, passes, strict=True):
            sns.lineplot(part, x="alpha", y="growth", **styles, legend=axes is row[1] and "auto", ax=axes)
            axes.axhline(0, color="grey", linewidth=0.8)
            axes.set_yscale("symlog", linthresh=0.1)
            axes.set(title=f"{order} updates, lambda {td_lambda:g}", xlabel="step size alpha", ylim=(-30, 1e6))
            axes.set(ylabel="growth of errors\n(linear to 0.1%, then log)", yticks=[-10, -0.1, 0, 0.1, 10, 1e3, 1e5])
            axes.yaxis.set_major_formatter("{x:,g}%")
    return "Medians of five networks trained at a step of 0.3. Growth above a million percent is outside the panels."


FIGURES = {"growth.csv": ("growth.png", draw)}


def main(*words: str) -> None:
    folders, target, _ = arguments("stability", words)
    write(target, growth=table(pd.DataFrame(rows_of(tdl.results.runs(folders)))))
    draw(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
