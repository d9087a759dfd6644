"""One training run: blocks of self-play, and after each progress, records, checkpoints and the end of the run."""

import math
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any, NamedTuple

import numpy as np

from tdl.base import machine
from tdl.config.setup import Setup
from tdl.errors import ConfigError, DeviceError, Interrupted, of_key
from tdl.players.player import Player
from tdl.runs import environment, forecast, loggers
from tdl.runs.agents import TrainingAgent, build_agent
from tdl.runs.episode_log import EpisodeLog
from tdl.runs.interrupts import Interrupts, said_at_once
from tdl.runs.loggers import Block, Logger, OnBlock
from tdl.runs.progress import Progress
from tdl.runs.resume import check_fits, delete_leftover_weights
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import Solution
from tdl.solver.solution import load as load_solution
from tdl.statistics.summary import block_columns, block_row, statistics_block, summary
from tdl.storage.checkpoint import Meta, delete_leftovers
from tdl.storage.records import Records, check_episodes
from tdl.storage.result_file import DELETED_WEIGHTS, KEPT_WEIGHTS, NO_WEIGHTS, WEIGHTS
from tdl.storage.run_folder import PAUSED, RUNNING, RunFolder
from tdl.training.ranks import ALONE, Ranks


class Reached(NamedTuple):
    """How far a run is."""

    episode: int = 0
    moves: int = 0
    seconds: float = 0.0


class TrainingRun:
    """A run in its folder, new or continued from the checkpoint in it, which `meta` describes.

    Parameters
    ----------
    names : the name chosen in each config group, for tables; it changes nothing. A run goes on with those of `meta`.
    keep_weights : whether the checkpoints stay when the run is finished.
    pause_at : the share of the training at which it pauses: saved, without games after it; 1: never.
    ranks : the processes that train; this one, the first, does all else.
    on_block : called with each block of games, once it is in the files.

    Attributes
    ----------
    result : what `result.json` says.
    reached, saved : how far the run is, and how far its newest checkpoint; None without one.
    """

    def __init__(
        self,
        setup: Setup,
        folder: RunFolder,
        names: Mapping[str, str],
        meta: Meta | None = None,
        *,
        keep_weights: bool = True,
        pause_at: float = 1.0,
        ranks: Ranks = ALONE,
        on_block: OnBlock | None = None,
    ) -> None:
        loggers.check_installed(setup.logger)
        check_episodes(setup.evaluation.episodes, key="evaluate.episodes")
        self.setup, self.folder, self.names = setup, folder, dict(names if meta is None else meta["names"])
        self.keep_weights, self.pause_at, self.ranks, self.on_block = keep_weights, pause_at, ranks, on_block
        self.solution = solution_of(setup)
        self.saved = None if meta is None else Reached(meta["episode"], meta["moves"], meta["seconds"])
        self.reached = self.saved or Reached()
        self._saved_at = time.monotonic()
        self._last_block: tuple[Records, int] | None = None  # its games, and moves per second
        self._callback_error: BaseException | None = None
        self.agent: TrainingAgent = build_agent(setup, self.reached.episode, ranks)
        self.trainer = self.agent.trainer
        if meta is None:
            self.agent.begin()
        else:
            check_fits(meta, self.agent.describe(), setup.rules.to_dict(), folder.path)
            self.agent.restore(folder.checkpoint, meta)
            delete_leftovers(folder.checkpoint, meta)
        self._first_move = self.trainer.moves
        self.result: dict[str, Any] = {
            "status": RUNNING,
            "config_hash": setup.hash,
            "names": self.names,
            "seed": setup.play.seed,
            **({"alpha": setup.alpha} if setup.kind.tables else {}),
            "config": setup.config,
            **environment.describe(self.agent.instructions),
            **self._metrics(),
        }
        ranks.begin(setup.config, self.reached.episode)

    def last_block(self) -> dict[str, Any] | None:
        """Figures of the last block of games that was trained here, as those of an evaluation; None without one."""
        if self._last_block is None:
            return None
        records, speed = self._last_block
        return {**summary(records, self.setup.rules), "moves_per_second": speed}

    def trained(self) -> bool:
        """Whether nothing is left to train."""
        return self.setup.ends(*self.reached)

    def paused(self) -> bool:
        """Whether it has come to where it pauses, short of its end."""
        return self.pause_at <= self.setup.share(*self.reached) < 1

    def run(self) -> None:
        """Train, evaluate, and leave every file of the run but the curve; the weights only if they are to be kept.

        A run that pauses is saved and leaves no more.

        Raises
        ------
        DivergenceError : the last good checkpoint stays.
        Interrupted : by a signal; in training after its block is finished and saved.
        CheckpointError : a checkpoint could not be written; the one before is intact.
        DeviceError : the graphics card is lost; the last checkpoint is intact.
        OSError : another file could not be written; the last checkpoint is intact.
        Exception : what `on_block` raised; the last checkpoint is intact.
        """
        status = self.folder.status_kept(self.result, self._metrics, lambda error: error is self._callback_error)
        with status, closing(self._logger()) as logger, Interrupts() as interrupts, self._last_words(), self._way_on():
            self._train(interrupts, logger)
            self._stop_if(interrupts)
            if self.paused():
                self.result["status"] = PAUSED
                return
            self._evaluate(interrupts)
            logger.log(self.reached.episode, loggers.evaluation_scalars(self.result.get("evaluation", {})))
            weights = KEPT_WEIGHTS if self.keep_weights else DELETED_WEIGHTS
            self.result[WEIGHTS] = weights if self.folder.has_checkpoint() else NO_WEIGHTS
        delete_leftover_weights(self.folder)  # only now: without its result a run could not do without them

    def _logger(self) -> Logger:
        return loggers.logger_of(self.setup, self.folder, self.names, self.reached.episode)

    def _last_words(self) -> AbstractContextManager[None]:
        """With several processes, a line that is printed before mpirun kills this one because another has died."""

        def line() -> str:
            return f"SIGTERM: another process of the run ended, or the run was told to stop; {self._way()}"

        return nullcontext() if self.ranks.size == 1 else said_at_once(signal.SIGTERM, line)

    def _way(self) -> str:
        if self.saved is None:
            return "no checkpoint was written yet"
        return f"the checkpoint of episode {self.saved.episode} is intact: {self.folder.word('resume')}"

    @contextmanager
    def _way_on(self) -> Iterator[None]:
        """While this context is open a graphics card that is lost says where the run can go on."""
        try:
            yield
        except DeviceError as error:
            raise DeviceError(f"{error}; {self._way()}") from error

    def _stop_if(self, interrupts: Interrupts) -> None:
        if interrupts.requested:
            line = f"stopped at episode {self.reached.episode}; go on with {self.folder.word('resume')}"
            raise Interrupted(line, 128 + interrupts.requested)

    def _train(self, interrupts: Interrupts, logger: Logger) -> None:
        """Play blocks until the run ends or is interrupted, and save."""
        most = self.setup.episodes
        episodes = None if most is None else math.ceil(most * self.pause_at)
        progress = Progress("train", episodes, "moves", self.reached.episode, self._spent(*self.reached[1:]))
        log = EpisodeLog(self.folder, self.reached.episode, block_columns(self.setup.rules))
        with closing(progress), closing(log):
            while not (self.trained() or self.paused() or interrupts.requested):
                rows = self._play_blocks(log, progress)
                self._tell(rows, logger)
                if self._save_due():
                    self._save(log)
            if self.reached != (self.saved or Reached()) or (interrupts.requested and self.saved is None):
                self._save(log)

    def _play_blocks(self, log: EpisodeLog, progress: Progress) -> list[dict[str, Any]]:
        """Train the next block of games, or as many as are trained at once; its rows of `blocks.csv`."""
        before = self.reached
        size = self.agent.next_size(before.episode, before.moves)
        first_move, start = self.trainer.moves, time.perf_counter()

        def on_progress(finished: int, moves: int) -> None:
            spent = self._spent(before.moves + moves, before.seconds + time.perf_counter() - start)
            progress.update(before.episode + finished, first_move - self._first_move + moves, share=spent)

        self.trainer.spent = self.setup.share(*before)
        with self.ranks.training(size, self.trainer.spent):
            records = self.trainer.train(size, on_progress)
        seconds, moves = time.perf_counter() - start, self.trainer.moves - first_move
        self.reached = Reached(self.trainer.episode, before.moves + moves, before.seconds + seconds)
        rows = []
        for block, block_moves, block_seconds in _split(records, self.agent.blocks_of(records), moves, seconds):
            row = block_row(block, self.setup.rules, block_moves, block_seconds, self.trainer.mean_abs_error)
            text = statistics_block(block, int(row["episode"]), row["moves_per_second"])
            log.append(block, row, text, self.agent.evaluation_records())
            self._last_block = block, int(row["moves_per_second"])
            rows.append(row)
        spent = self._spent(self.reached.moves, self.reached.seconds)
        progress.update(self.reached.episode, self.trainer.moves - self._first_move, self._note(row), share=spent)
        return rows

    def _spent(self, moves: int, seconds: float) -> float:
        """The share that is used up of the budget until the run ends or pauses."""
        return self.setup.budget.spent(moves, seconds) / self.pause_at

    def _note(self, row: Mapping[str, Any]) -> str:
        """What is shown of a block while the next one is played."""
        tiles = forecast.TILES if forecast.is_best(self.setup) else ()
        return ", ".join([f"mean {row['mean']:,.0f}", *(f"{tile} {row[f'reach_{tile}']:.0%}" for tile in tiles)])

    def _tell(self, rows: Sequence[Mapping[str, Any]], logger: Logger) -> None:
        """Give the rows of blocks to the logger and to `on_block`, whose errors stop the run."""
        try:
            for row in rows:
                block = Block(self.folder.path, int(row["episode"]), self.setup.episodes, row)
                logger.log(block.episode, loggers.block_scalars(row))
                if self.on_block is not None:
                    self.on_block(block)
        except Exception as error:
            self._callback_error = error
            raise

    def _save_due(self) -> bool:
        seconds = self.setup.saving.seconds
        return self._stays_due() or (seconds is not None and time.monotonic() - self._saved_at >= seconds)

    def _stays_due(self) -> bool:
        """Whether a multiple of `save.every`, or one of `save.moves`, was passed since the last save of any kind."""
        saving, saved = self.setup.saving, self.saved or Reached()
        if any(saved.moves < mark <= self.reached.moves for mark in saving.moves or ()):
            return True
        return saving.every is not None and self.reached.episode // saving.every > saved.episode // saving.every

    def _save(self, log: EpisodeLog) -> None:
        log.sync()
        meta = {
            **self.reached._asdict(),
            "rules": self.setup.rules.to_dict(),
            "network": self.agent.describe(),
            "learner": self.agent.learner(),
            "names": self.names,
            "config": self.setup.config,
            "stays": self._stays_due() or not (self.setup.saving.chosen or self.paused()),
        }
        self.folder.save(meta, self.agent.arrays(), self.setup.saving.most, self.result | self._metrics())
        self.saved, self._saved_at = self.reached, time.monotonic()

    def _evaluate(self, interrupts: Interrupts) -> None:
        """Play the final games, and value the play exactly where the game is solved."""
        games = self.setup.evaluation
        if not games.episodes and self.solution is None:
            return
        checkpoints = self.folder.checkpoints(games.average)
        evaluation = self.agent.evaluation(checkpoints)
        metrics: dict[str, Any] = {}
        if games.episodes:
            _, metrics = evaluation.play(games.episodes, self.folder.path, lambda: self._stop_if(interrupts))
            metrics["checkpoints"] = len(checkpoints)
        if self.solution is not None:
            player = evaluation.agent
            assert isinstance(player, Player)
            exact = evaluate_policy(self.solution, player.afterstate_values, self.setup.learner.gamma)
            metrics["exact"] = exact.summary()
        self.result["evaluation"] = metrics

    def _metrics(self) -> dict[str, Any]:
        """How far the run is, for `result.json`."""
        moves, seconds = self.reached.moves, self.reached.seconds
        return {
            "episodes": self.reached.episode,
            "moves": moves,
            "seconds": seconds,
            "moves_per_second": round(moves / seconds) if seconds else None,
            "peak_memory_bytes": machine.peak_memory(),
        }

    def release(self) -> None:
        """Give the weights' memory back: drawing the curve needs some of its own."""
        del self.trainer, self.agent


def _split(records: Records, size: int, moves: int, seconds: float) -> Iterator[tuple[Records, int, float]]:
    """The blocks of games that were trained at once, each with its part of their moves and of their seconds."""
    played = np.cumsum([0, *records["moves"]])
    shares = (played / played[-1]).tolist()
    for first in range(0, len(records), size):
        low, high = shares[first], shares[min(first + size, len(records))]
        yield records[first : first + size], round(high * moves) - round(low * moves), (high - low) * seconds


def solution_of(setup: Setup) -> Solution | None:
    """The solved game that learned play is compared with, if any."""
    folder = setup.evaluation.solution
    if folder is None:
        return None
    with of_key("evaluate.solution"):
        solution, key = load_solution(folder), f"evaluate.solution: {folder}"
    if solution.rules != setup.rules:
        laws = f"it has {solution.rules.to_dict()}, not {setup.rules.to_dict()}"
        raise ConfigError(f"{key}: of other rules than the run's: {laws}")
    if solution.objective != "score" or solution.boards.folded:
        raise ConfigError(f"{key}: play is held against a solution made with objective=score and fold=false")
    return solution
