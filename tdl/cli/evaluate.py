"""Games of a trained network: `tdl evaluate checkpoint=FOLDER`. All keys: `conf/evaluate.yaml`."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from omegaconf import DictConfig

from tdl.base import machine
from tdl.cli.program import run_program
from tdl.config import compose
from tdl.config import evaluate as evaluate_config
from tdl.config.evaluate import EvaluationConfig
from tdl.config.names import chosen_names
from tdl.config.options import evaluator_of, play_of
from tdl.errors import ConfigError, Interrupted
from tdl.players.player import Player
from tdl.runs import recording
from tdl.runs.disk import Disk
from tdl.runs.ending import shown
from tdl.runs.environment import describe
from tdl.runs.evaluation import Evaluation, evaluation_of
from tdl.runs.interrupts import Interrupts
from tdl.statistics.summary import evaluation_block
from tdl.storage.checkpoint import Meta
from tdl.storage.records import RECORD, Records
from tdl.storage.run_folder import FINISHED, RUNNING, RunFolder
from tdl.sweeps.context import JobContext
from tdl.sweeps.plan import Plan


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything, play, print the figures, and leave them and the games in the folder of the job."""
    settings, metas = evaluate_config.read(cfg)
    folder = RunFolder(context.folder)
    with folder.lock():
        if context.in_sweep and is_done(folder, settings, metas):
            return  # the sweep says it of all its jobs at once
        if not context.in_sweep and folder.result.exists():
            raise ConfigError(f"out: {folder} holds results already; name another")
        evaluation = built(settings, metas)
        if isinstance(evaluation.agent, Player):  # of other agents no game is asked to be recorded
            recording.check(evaluation.agent, evaluation.options, settings.evaluate.record)
        names = chosen_names(cfg, context.choices)
        play(settings, evaluation, result_of(settings, evaluation, metas, names), folder)


def plan(cfg: DictConfig, context: JobContext) -> Plan:
    """What is known of an evaluation before it begins; raises what is wrong with its values or checkpoints."""
    settings, metas = evaluate_config.read(cfg)
    games = Disk(records=settings.evaluate.episodes * RECORD.itemsize)
    return Plan(is_done(RunFolder(context.folder), settings, metas), settings.threads, games, final=False)


def is_done(folder: RunFolder, settings: EvaluationConfig, metas: list[Meta]) -> bool:
    """Whether these games of these very checkpoints were played in the folder."""
    result = folder.result_if_whole()
    same = result.get("config") == json.loads(json.dumps(compose.to_plain(settings)))
    return bool(result.get("status") == FINISHED and same and result.get("checkpoints") == checkpoints_of(metas))


def checkpoints_of(metas: list[Meta]) -> list[dict[str, Any]]:
    """What `result.json` says of the checkpoints."""
    return [
        {"path": str(meta["folder"].resolve()), "digest": meta["digest"], "episode": meta["episode"]} for meta in metas
    ]


def built(settings: EvaluationConfig, metas: list[Meta]) -> Evaluation:
    """Who plays, and how, by the configuration and the checkpoints."""
    rules = evaluate_config.rules(settings, metas[0])
    play = play_of(settings, settings.evaluate.plies)
    play = replace(play, evaluator=evaluator_of(settings.placer.network, rules))
    return evaluation_of(evaluate_config.agent(metas, rules), play, settings.evaluate.drops)


def result_of(
    settings: EvaluationConfig, evaluation: Evaluation, metas: list[Meta], chosen: dict[str, str]
) -> dict[str, Any]:
    """What `result.json` says before the games are played."""
    config, rules = compose.to_plain(settings), evaluation.agent.rules
    return {
        "status": RUNNING,
        "config_hash": compose.key_hash(config),
        "names": {"game": rules.game, **metas[0].get("names", {}), **chosen},
        "seed": settings.seed,
        "config": config,
        "rules": rules.to_dict(),
        "checkpoints": checkpoints_of(metas),
        "episodes": metas[0]["episode"],
        **describe(evaluation.agent.instructions),
    }


def play(settings: EvaluationConfig, evaluation: Evaluation, result: dict[str, Any], folder: RunFolder) -> None:
    """Play, print the figures, and leave them and the games in `folder`.

    Raises
    ------
    Interrupted : by a signal. While the games are played nothing is left of them.
    """
    figures = folder.status_kept(result, lambda: {"peak_memory_bytes": machine.peak_memory()})
    with figures, Interrupts("soon") as interrupts:

        def stop() -> None:
            if interrupts.requested:
                raise Interrupted("stopped before all was done", 128 + interrupts.requested)

        records, result["evaluation"] = evaluation.play(settings.evaluate.episodes, folder.path, stop)
        print(evaluation_block(result["evaluation"]), end="")
        if settings.evaluate.record:
            print(record(settings, evaluation, records, result, folder, stop), end="")
    print(f"results in {shown(folder.path)}")


def record(
    settings: EvaluationConfig,
    evaluation: Evaluation,
    records: Records,
    result: dict[str, Any],
    folder: RunFolder,
    stop: Callable[[], None],
) -> str:
    """Leave the first games move by move, judged if asked; gives what to print."""
    first, checkpoints = records[: settings.evaluate.record], result["checkpoints"]
    digest = checkpoints[0]["digest"] if len(checkpoints) == 1 else None
    player, options, deeper = evaluation.agent, evaluation.options, settings.evaluate.mistakes
    assert isinstance(player, Player)
    games = recording.record(player, options, first, folder, digest, stop)
    if deeper is not None:
        search = replace(options.search, plies=deeper, by_empty=())
        result["mistakes"] = recording.judge(games, player, search, folder, stop)
    return recording.recording_block(games, folder, result.get("mistakes"))


def main() -> None:
    """The command `tdl evaluate`."""
    run_program("evaluate", job, EvaluationConfig, plan=plan)
