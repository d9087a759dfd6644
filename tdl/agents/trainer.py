"""Training a network by self-play, block by block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tdl.agents.kernels import kernel
from tdl.agents.options import OnProgress, PlayOptions, training_options
from tdl.agents.threads import play_block, slice_of
from tdl.checks import check_whole
from tdl.errors import ConfigError
from tdl.game.lines import LineTables
from tdl.game.streams import TRAINING
from tdl.learning.options import LearnerOptions
from tdl.learning.schedule import Schedule
from tdl.learning.state import new_state
from tdl.network.ntuple import NTupleNetwork


class Trainer:
    """TD learning by self-play.

    Parameters
    ----------
    network : `NTupleNetwork` that plays and learns, in place.
    learner : how it learns; None: the defaults of `LearnerOptions`.
    schedule : the step size over the episodes, a `Schedule`; anything else is taken for the `form` of one.
    play : how the games are played; None: the defaults of `PlayOptions`.
    episode : number of the next episode (not 0 when training is continued).
    keywords : fields of these three, which replace theirs: `alpha=0.1, order="forward", seed=1, threads=2`.
        Without a `Schedule`, `alpha` must be among them.

    Attributes
    ----------
    learner, schedule, play : the options.
    episode, moves : episodes and moves played so far.
    mean_abs_error : of the last block, in points.
    state : what the learner keeps beside the weights, arrays by name; checkpoints hold them.

    Raises
    ------
    ConfigError : an unknown keyword, a value out of its range, or options that exclude each other.
    """

    def __init__(
        self,
        network: NTupleNetwork,
        *,
        learner: LearnerOptions | None = None,
        schedule: Schedule | Any = None,
        play: PlayOptions | None = None,
        episode: int = 0,
        **keywords: Any,
    ) -> None:
        self.network = network
        self.learner, self.schedule, self.play = training_options(learner, schedule, play, keywords)
        self.episode, self.moves = episode, 0
        self.mean_abs_error = float("nan")
        self._check()
        self.state = new_state(network, self.learner, self.play.engine)
        tables, build = LineTables(network.rules), kernel(network)
        self._plays = [
            build(network, tables, self.learner, self.play, role=TRAINING, state=self.state)
            for _ in range(self.play.threads)
        ]

    def _check(self) -> None:
        network = self.network
        self.learner.check(stages=network.stages.count, extras=network.extras)
        self.play.check(network.rules)
        check_whole("episode", self.episode, 0)
        if not network.weights.flags.writeable:
            raise ConfigError("network: its weights are read-only, as those of a loaded player are; it cannot learn")

    def train(self, episodes: int, on_progress: OnProgress | None = None) -> NDArray[np.void]:
        """Play and learn a block: the next `episodes` episodes.

        Returns
        -------
        structured array of dtype `tdl.storage.records.RECORD`, shape (episodes,): episode, score, moves, max_tile.

        Raises
        ------
        DivergenceError : a value is not finite or beyond all bounds; the network is not to be used further.
        """
        step = "fixed" if self.schedule.is_fixed(self.episode) else self.learner.step
        for play in self._plays:
            play.set_step(self.schedule.at(self.episode), step)
        records = play_block(self._plays, self.episode, episodes, slice_of(self.play.search), on_progress)
        self.episode += episodes
        self.moves += sum(play.moves for play in self._plays)
        total, number = (sum(parts) for parts in zip(*(play.errors for play in self._plays), strict=True))
        self.mean_abs_error = total / number if number else float("nan")
        return records
