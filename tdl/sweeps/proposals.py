"""Optuna proposes settings (the extra `optuna`): a trial is a setting, its value the mean score over its seeds.

All that was proposed and told is in the journal, a file of Optuna's in the folder of the sweep: JSON, a line for each
step. The sampler's random state, which Optuna does not store, follows from `trials.seed` and the number of the trial.
So a sweep that was killed goes on with the same proposals.
"""

import contextlib
import logging
import math
import warnings
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import TPESampler
from optuna.storages import JournalStorage
from optuna.storages.journal import JournalFileBackend
from optuna.trial import FrozenTrial, TrialState

from tdl.base.checks import is_finite
from tdl.errors import ConfigError, refuse
from tdl.storage.run_folder import lock_folder, refuse_link
from tdl.sweeps.trials import Draw, Interval, Space, Values, share

JOURNAL = "optuna.log"
"""In the folder of a sweep."""

MAX_JOURNAL = 1 << 26
"""Bytes of a journal; a trial takes some 500."""

PATIENCE = 30.0
"""Seconds to wait for another sweep in the folder: jobs of one that was killed save before they end."""

BATCH = "proposed together"
"""Under this name a study keeps how many trials are proposed before any of them is told."""


class HeldLock:
    """In the place of Optuna's lock, which a killed process leaves behind: whoever writes holds one of the system."""

    def acquire(self) -> bool:
        """Called before a line is written."""
        return True

    def release(self) -> None:
        """Called after it."""


class Proposals:
    """The trials of a sweep that Optuna proposes.

    TPE, Optuna's default for few trials and mixed keys: over all keys at once (`multivariate`), which its pages report
    to be better, and away from what is being played (`constant_liar`), as they advise where trials run side by side;
    both are defaults since Optuna 5. https://optuna.readthedocs.io/en/stable/reference/samplers/generated/
    optuna.samplers.TPESampler.html

    Parameters
    ----------
    folder : of the sweep.
    space : what is drawn from.

    Raises
    ------
    ConfigError : the journal is a link, too large or damaged.
    """

    def __init__(self, folder: Path, space: Space) -> None:
        optuna.logging.set_verbosity(logging.ERROR)
        self.path, self.space = folder / JOURNAL, space
        self.study = self._study() or optuna.create_study()

    @contextlib.contextmanager
    def locked(self, batch: int) -> Iterator[None]:
        """While this context is open trials are proposed and told here, and no other sweep does in this folder.

        `batch` trials are proposed before any of them is told; a study keeps the number with which it began.

        Raises
        ------
        BusyError : another sweep works here.
        """
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.touch()
        with lock_folder(self.path, PATIENCE):
            self._study()  # it is no link and can be read
            _cut(self.path)
            self.study = self._study() or self._new_study()
            if BATCH not in self.study.user_attrs:
                self.study.set_user_attr(BATCH, batch)
            yield

    def settings(self) -> list[Draw]:
        """What has been proposed."""
        return [self._setting(trial) for trial in self.study.get_trials(deepcopy=False)]

    def expected(self) -> list[Draw]:
        """What is there of as many trials as are asked for, and for each that is not one that may come."""
        number = self.space.options.number or 0
        return [*self.settings(), *islice(cycle(self.space.samples()), number)][:number]

    def batches(self) -> Iterator[dict[int, Draw]]:
        """The settings by the numbers of their trials, as many as are proposed together; tell them before the next."""
        number = self.space.options.number or 0
        with self._readable():
            size = max(1, int(self.study.user_attrs[BATCH]))
        for start in range(0, number, size):
            end = min(start + size, number)
            while len(self.study.get_trials(deepcopy=False)) < end:
                self._ask()
            yield dict(enumerate(self.settings()[start:end], start))

    def is_told(self, number: int) -> bool:
        """Whether Optuna knows how good a trial is."""
        return self.study.get_trials(deepcopy=False)[number].state.is_finished()

    def tell(self, number: int, value: float) -> None:
        """Tell Optuna the mean score of a trial, once.

        After a divergence (-inf) the trial is pruned, without a value: TPE takes it for worse than all that have one,
        and leaves out what has failed. A trial of which a job failed otherwise (nan) has not been told, so that the
        same command tries it again; until then it counts as played.
        """
        if math.isnan(value) or self.is_told(number):
            return
        if math.isinf(value):
            self.study.tell(number, state=TrialState.PRUNED)
        else:
            self.study.tell(number, value)

    def _ask(self) -> None:
        """Propose a setting in memory, then write it in one line, so that no trial is ever without its values."""
        trials = self.study.get_trials(deepcopy=False)
        seed = int(share("optuna", self.space.options.seed, len(trials)) * 2**32)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # these are experimental in Optuna 4
            sampler = TPESampler(seed=seed, multivariate=True, constant_liar=True)
        memory = optuna.create_study(direction="maximize", sampler=sampler)
        with self._readable():
            memory.add_trials(trials)
            memory.ask({key.key: self._distribution(key) for key in self.space.drawn})
        self.study.add_trial(memory.get_trials()[-1])

    def _distribution(self, key: Values) -> BaseDistribution:
        if not isinstance(key, Interval):
            return CategoricalDistribution(key.choices)
        if key.is_whole:
            return IntDistribution(int(key.low), int(key.high), log=key.log)
        return FloatDistribution(key.low, key.high, log=key.log)

    def _setting(self, trial: FrozenTrial) -> Draw:
        """The values of a trial, which somebody else may have written, as words have them."""
        return tuple(self._text(trial, key, trial.params.get(key.key)) for key in self.space.drawn)

    def _text(self, trial: FrozenTrial, key: Values, value: object) -> str:
        if isinstance(key, Interval) and is_finite(value) and key.low <= value <= key.high:
            return key.text(value)
        if isinstance(key, Interval) or value not in key.choices:
            raise ConfigError(f"{self.path}: trial {trial.number}: {refuse(key.key, value, str(key))}")
        return str(value)

    def _study(self) -> optuna.Study | None:
        """The study of these words in the journal, if there is one."""
        refuse_link(self.path, alone=True)
        if not self.path.exists():
            return None
        if self.path.stat().st_size > MAX_JOURNAL:
            raise ConfigError(f"{self.path}: more than {MAX_JOURNAL:,} bytes, so it is no journal of a sweep")
        with self._readable():
            storage, name = self._storage(), self.space.name
            if name not in optuna.get_all_study_names(storage):
                return None
            study = optuna.load_study(study_name=name, storage=storage)
            _ = study.direction  # it has one score
            return study

    @contextlib.contextmanager
    def _readable(self) -> Iterator[None]:
        """Errors of what the journal holds: Optuna has them of any kind."""
        try:
            yield
        except OSError:
            raise
        except Exception as error:
            raise ConfigError(f"{self.path}: cut or corrupt: Optuna cannot read it") from error

    def _new_study(self) -> optuna.Study:
        return optuna.create_study(study_name=self.space.name, storage=self._storage(), direction="maximize")

    def _storage(self) -> JournalStorage:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it is experimental in Optuna 4
            lock: Any = HeldLock()
            return JournalStorage(JournalFileBackend(str(self.path), lock))


def _cut(path: Path) -> None:
    """Cut off the half line of whoever was killed while writing: the next one would continue it."""
    with path.open("rb+") as file:
        file.truncate(file.read().rfind(b"\n") + 1)
