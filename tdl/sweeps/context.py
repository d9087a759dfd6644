"""What a job knows beside its configuration: its folder, its words, and the sweep that it is part of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

from hydra.types import RunMode

from tdl.runs.resume import keys_named


@dataclass(frozen=True)
class JobContext:
    """Where a job runs and why.

    Attributes
    ----------
    folder : of its output.
    words : of its command line, without those for Hydra.
    choices : the name chosen in each group.
    in_sweep : whether it is one of a sweep.
    keeps_weights : whether its weights stay where its configuration leaves that to the sweep; without one they do.
    """

    folder: Path
    words: Sequence[str] = ()
    choices: Mapping[str, Any] = field(default_factory=dict)
    in_sweep: bool = False
    keeps_weights: bool = True

    @classmethod
    def of(cls, hydra: Any, folder: Path | None = None) -> Self:
        """The context of the job that Hydra has composed, by its own part of the configuration.

        Parameters
        ----------
        folder : None: that which Hydra has made.
        """
        return cls(
            Path(hydra.runtime.output_dir) if folder is None else folder,
            list(hydra.overrides.task),
            dict(hydra.runtime.choices),
            hydra.mode == RunMode.MULTIRUN,
            hydra.callbacks.get("sweep", {}).get("keep_weights") is not False,
        )

    @property
    def keys(self) -> list[str]:
        """The keys that its command line names."""
        return keys_named(self.words)
