"""Tools of the experiments: from runs to csv files and figures, and from csv files to the numbers of the pages."""

from pathlib import Path

import pandas as pd

EXPERIMENTS = Path(__file__).parents[1]
ROOT = EXPERIMENTS.parent


def split_options(words: tuple[str, ...], *names: str) -> tuple[list[str], dict[str, str]]:
    """Words of a command line without its options `NAME=VALUE`, and these options."""
    options = [word for word in words if word.startswith(tuple(f"{name}=" for name in names))]
    return [word for word in words if word not in options], dict(option.split("=", 1) for option in options)


def arguments(experiment: str, words: tuple[str, ...], *names: str) -> tuple[list[str], Path, dict[str, str]]:
    """Words of a command line without its options, the folder that it writes into, and the options.

    That is the folder of `into=`, made where it is missing, or else the experiment's.
    """
    rest, options = split_options(words, "into", *names)
    target = Path(options.get("into", EXPERIMENTS / experiment))
    target.mkdir(parents=True, exist_ok=True)
    return rest, target, options


def write(folder: Path, **tables: pd.DataFrame) -> None:
    """Write csv files, each by its name."""
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
