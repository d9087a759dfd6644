"""Tools of the experiments: from runs to csv files and figures, and from csv files to the numbers of the pages."""

from pathlib import Path

import pandas as pd

EXPERIMENTS = Path(__file__).parents[1]
ROOT = EXPERIMENTS.parent


def split_options(words: tuple[str, ...], *names: str) -> tuple[list[str], dict[str, str]]:
    """Words of a command line without its options `NAME=VALUE`, and these options."""
    prefixes = tuple(f"{name}=" for name in names)
    options = dict(word.split("=", 1) for word in words if word.startswith(prefixes))
    return [word for word in words if not word.startswith(prefixes)], options


def target_of(options: dict[str, str], experiment: str) -> Path:
    """The folder that a tool writes into: that of `into=`, made where it is missing, or else the experiment's."""
    target = Path(options.get("into", EXPERIMENTS / experiment))
    target.mkdir(parents=True, exist_ok=True)
    return target


def write(folder: Path, **tables: pd.DataFrame) -> None:
    """Write csv files, each by its name."""
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
