"""One training run: blocks of self-play, and between them progress, records, checkpoints and the ends of the run."""

import itertools
import signal
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from typing import Any

import numpy as np

from tdl.base import machine
from tdl.config.setup import Setup
from tdl.errors import ConfigError, Interrupted
from tdl.players.player import Player
from tdl.runs import environment, loggers
from tdl.runs.agents import TrainingAgent, build_agent
from tdl.runs.blocks import Block, OnBlock
from tdl.runs.episode_log import EpisodeLog
from tdl.runs.interrupts import Interrupts, said_at_once
from tdl.runs.progress import Progress
from tdl.runs.resume import check_fits
from tdl.solver.policy_evaluation import evaluate_policy
from tdl.solver.solution import Solution
from tdl.solver.solution import load as load_solution
from tdl.statistics.summary import block_row, statistics_block, summary
from tdl.storage.checkpoint import Meta, delete_leftovers
from tdl.storage.records import Records
from tdl.storage.result_file import DELETED_WEIGHTS, KEPT_WEIGHTS, NO_WEIGHTS, WEIGHTS, has_deleted_weights
from tdl.storage.run_folder import FINISHED, RUNNING, RunFolder
from tdl.training.ranks import ALONE, Ranks


class TrainingRun:
    """A run in its folder, new or continued from the checkpoint in it, which `meta` describes.

    Parameters
    ----------
    names : the name chosen in each config group, for tables; it changes nothing. A run goes on with those of `meta`.
    keep_weights : whether the checkpoints stay when the run is finished.
    ranks : the processes that train; this one, the first, does all else.
    on_block : called with each block of games, once it is in the files.

    Attributes
    ----------
    result : what `result.json` says.
    """

    def __init__(
        self,
        setup: Setup,
        folder: RunFolder,
        names: Mapping[str, str],
        meta: Meta | None = None,
        *,
        keep_weights: bool = True,
        ranks: Ranks = ALONE,
        on_block: OnBlock | None = None,
    ) -> None:
        loggers.check_installed(setup.logger)
        self.setup, self.folder, self.names = setup, folder, dict(names if meta is None else meta["names"])
        self.keep_weights, self.ranks = keep_weights, ranks
        self.callbacks: list[OnBlock] = [] if on_block is None else [on_block]
        self._refusal: BaseException | None = None  # what a callback raised
        self._last: tuple[Records, int] | None = None  # of the last block: its games, and moves per second
        self.rules, self.solution = setup.rules, solution_of(setup)
        self.saved_episode, self.moves, self.seconds = 0, 0, 0.0
        self._saved, self._saved_moves = meta is not None, 0
        if meta is not None:
            self.saved_episode, self.moves, self.seconds = meta["episode"], meta["moves"], meta["seconds"]
            self._saved_moves = self.moves
        self.agent: TrainingAgent = build_agent(setup, self.saved_episode, ranks)
        self.trainer = self.agent.trainer
        if meta is None:
            self.agent.begin()
        else:
            check_fits(meta, self.agent.describe(), self.rules.to_dict(), folder.path)
            self.agent.restore(folder.checkpoint, meta)
            delete_leftovers(folder.checkpoint, meta)
        self.result: dict[str, Any] = {
            "status": RUNNING,
            "config_hash": setup.hash,
            "names": self.names,
            "seed": setup.play.seed,
            **({"alpha": setup.alpha} if setup.kind.tables else {}),
            "config": setup.plain,
            **environment.describe(self.agent.player().instructions),
            **self._figures(),
        }
        self._saved_at = time.monotonic()
        ranks.begin(setup.plain, self.saved_episode)

    def last_block(self) -> dict[str, Any] | None:
        """Figures of the last block of games that was trained here, as those of an evaluation; None without one."""
        if self._last is None:
            return None
        records, speed = self._last
        return {**summary(records, self.rules), "moves_per_second": speed}

    def trained(self) -> bool:
        """Whether nothing is left to train."""
        return self.setup.ends(self.trainer.episode, self.moves, self.seconds)

    def run(self) -> None:
        """Train, evaluate, and leave every file of the run but the curve; the weights only if they are to be kept.

        Raises
        ------
        DivergenceError : the last good checkpoint stays.
        Interrupted : by a signal; in training after its block is finished and saved.
        CheckpointError : a checkpoint could not be written; the one before is intact.
        OSError : another file could not be written; the last checkpoint is intact.
        Exception : what `on_block` raised; the last checkpoint is intact.
        """
        status = self.folder.status_kept(self.result, self._figures, lambda error: error is self._refusal)
        with status, closing(self._logger()) as logger, Interrupts() as interrupts, self._telling():
            self.callbacks.insert(0, logger)
            self._train(interrupts)
            self._stop_if(interrupts)
            self._evaluate(interrupts)
            logger.evaluated(self.trainer.episode, loggers.evaluation_scalars(self.result.get("evaluation", {})))
            kept = KEPT_WEIGHTS if self.keep_weights else DELETED_WEIGHTS
            self.result[WEIGHTS] = kept if self.folder.has_checkpoint() else NO_WEIGHTS
        delete_leftover_weights(self.folder)  # only now: without its result a run could not do without them

    def _logger(self) -> loggers.Logger:
        return loggers.started(self.setup, self.folder, self.names, self.saved_episode)

    def _telling(self) -> AbstractContextManager[None]:
        """With several processes, a line that is printed before mpirun kills this one because another has died."""
        if self.ranks.size == 1:
            return nullcontext()

        def line() -> str:
            saved = f"the checkpoint of episode {self.saved_episode} is intact: resume={self.folder}"
            way = saved if self._saved else "no checkpoint was written yet"
            return f"SIGTERM: another process of the run ended, or the run was told to stop; {way}"

        return said_at_once(signal.SIGTERM, line)

    def _stop_if(self, interrupts: Interrupts) -> None:
        if interrupts.requested:
            line = f"stopped at episode {self.trainer.episode}; go on with resume={self.folder}"
            raise Interrupted(line, 128 + interrupts.requested)

    def _train(self, interrupts: Interrupts) -> None:
        """Play blocks until the run ends or is interrupted, and save."""
        progress = Progress("train", self.setup.episodes, "moves", self.trainer.episode)
        log = EpisodeLog(self.folder, self.trainer.episode)
        with closing(progress), closing(log):
            while True:
                ends = bool(self.trained() or interrupts.requested)
                stopped_at_start = interrupts.requested and not self._saved  # saved so that resume= finds it
                if stopped_at_start or (self.trainer.episode > self.saved_episode and (ends or self._save_due())):
                    log.sync()
                    self._save()
                if ends:
                    return
                self._play_block(log, progress)

    def _play_block(self, log: EpisodeLog, progress: Progress) -> None:
        first, before = self.trainer.episode, self.trainer.moves
        episodes = min(self.agent.episodes_until_sync(self.setup.block), self.setup.episodes - first)
        start = time.perf_counter()

        def between(finished: int, moves: int) -> None:
            spent = self.setup.budget.spent(self.moves + moves, self.seconds + time.perf_counter() - start)
            progress.update(first + finished, before + moves, share=spent)

        share = max(first / self.setup.episodes, self.setup.budget.spent(self.moves, self.seconds))
        self.trainer.spent = share
        with self.ranks.training(episodes, share):
            records = self.trainer.train(episodes, between)
        seconds = time.perf_counter() - start
        self.seconds += seconds
        moves = self.trainer.moves - before
        self.moves += moves
        spent = self.setup.budget.spent(self.moves, self.seconds)
        rows = []
        for block, low, high in _blocks(records, self.setup.block):
            played = round(high * moves) - round(low * moves)
            row = block_row(block, self.rules, played, (high - low) * seconds, self.trainer.mean_abs_error)
            text = statistics_block(block, int(row["episode"]), row["moves_per_second"])
            log.append(block, row, text, self.agent.evaluation_records())
            self._last = block, int(row["moves_per_second"])
            rows.append(row)
        progress.update(self.trainer.episode, self.trainer.moves, f"mean {row['mean']:,.0f}", share=spent)
        self._tell(rows)

    def _tell(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Call the logger and `on_block` with the blocks of these rows of `blocks.csv`."""
        try:
            for row in rows:
                block = Block(self.folder.path, int(row["episode"]), self.setup.episodes, row)
                for callback in self.callbacks:
                    callback(block)
        except Exception as error:
            self._refusal = error
            raise

    def _save_due(self) -> bool:
        seconds = self.setup.saving.seconds
        return self._stays_due() or (seconds is not None and time.monotonic() - self._saved_at >= seconds)

    def _stays_due(self) -> bool:
        """Whether a multiple of `save.every`, or one of `save.moves`, was passed since the last save of any kind."""
        every, marks = self.setup.saving.every, self.setup.saving.moves or ()
        if any(self._saved_moves < mark <= self.moves for mark in marks):
            return True
        return every is not None and self.trainer.episode // every > self.saved_episode // every

    def _save(self) -> None:
        meta = {
            "episode": self.trainer.episode,
            "moves": self.moves,
            "seconds": self.seconds,
            "rules": self.rules.to_dict(),
            "network": self.agent.describe(),
            "learner": self.agent.learner(),
            "names": self.names,
            "config": self.setup.plain,
            "stays": not self.setup.saving.chosen or self._stays_due(),
        }
        self.folder.save(meta, self.agent.arrays(), self.setup.saving.most, self.result | self._figures())
        self._saved, self._saved_at = True, time.monotonic()
        self.saved_episode, self._saved_moves = self.trainer.episode, self.moves

    def _evaluate(self, interrupts: Interrupts) -> None:
        """Play the final games, and value the play exactly where the game is solved."""
        games = self.setup.evaluation
        if not games.episodes and self.solution is None:
            return
        checkpoints = self.folder.checkpoints(games.average)
        evaluation = self.agent.evaluation(checkpoints)
        if games.episodes:
            _, figures = evaluation.play(games.episodes, self.folder.path, lambda: self._stop_if(interrupts))
            self.result["evaluation"] = figures | {"checkpoints": len(checkpoints)}
        if self.solution is not None:
            player = evaluation.agent
            assert isinstance(player, Player)
            exact = evaluate_policy(self.solution, player.afterstate_values, self.setup.learner.gamma).summary()
            self.result["evaluation"] = self.result.get("evaluation", {}) | {"exact": exact}

    def _figures(self) -> dict[str, Any]:
        """How far the run is, for `result.json`."""
        return {
            "episodes": self.trainer.episode,
            "moves": self.moves,
            "seconds": self.seconds,
            "moves_per_second": round(self.moves / self.seconds) if self.seconds else None,
            "peak_memory_bytes": machine.peak_memory(),
        }

    def release(self) -> None:
        """Give the weights' memory back: drawing the curve needs some of its own."""
        del self.trainer, self.agent


def _blocks(records: Records, size: int) -> list[tuple[Records, float, float]]:
    """The blocks of games that were trained at once, and where each begins and ends among all their moves, 0 to 1."""
    borders = [*range(0, len(records), size), len(records)]
    reached = [0, *np.cumsum(records["moves"])]
    return [
        (records[low:high], float(reached[low] / reached[-1]), float(reached[high] / reached[-1]))
        for low, high in itertools.pairwise(borders)
    ]


def delete_leftover_weights(folder: RunFolder) -> None:
    """Delete the checkpoints of a run whose result says that it is finished and has none."""
    if has_deleted_weights(folder.path):
        folder.delete_weights()


def is_finished(folder: RunFolder, setup: Setup, meta: Meta | None) -> bool:
    """Whether the run in a folder came to its end, and this configuration asks for nothing more.

    `meta` is of its checkpoint, which whoever needs the room may have deleted.
    """
    result = folder.result_if_whole()
    if result.get("status") != FINISHED or not {"episodes", "moves", "seconds"} <= result.keys():
        return False
    return bool(
        (meta is None or result["episodes"] == meta["episode"])
        and result["config"].get("evaluate") == setup.plain["evaluate"]
        and setup.ends(result["episodes"], result["moves"], result["seconds"])
    )


def solution_of(setup: Setup) -> Solution | None:
    """The solved game that learned play is compared with, if any."""
    folder = setup.evaluation.solution
    if folder is None:
        return None
    solution, key = load_solution(folder), f"evaluate.solution: {folder}"
    if solution.rules != setup.rules:
        laws = f"it has {solution.rules.to_dict()}, not {setup.rules.to_dict()}"
        raise ConfigError(f"{key}: of other rules than the run's: {laws}")
    if solution.objective != "score" or solution.boards.folded:
        raise ConfigError(f"{key}: play is held against a solution made with objective=score and fold=false")
    return solution


def refuse_used(folder: RunFolder) -> None:
    """Refuse to begin a new run where one is already."""
    if folder.is_used():
        way = f"; go on with resume={folder}, or name" if folder.has_checkpoint() else ", without a checkpoint; name"
        raise ConfigError(f"out: {folder} holds a run already{way} another")
