"""Evaluate a checkpoint: `tdl evaluate outputs/FOLDER evaluate.plies=2`. All keys: `conf/evaluate.yaml`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from omegaconf import MISSING, DictConfig

from tdl.base import machine
from tdl.base.checks import MAX_COUNT, check_fields, choice, whole
from tdl.cli.folders import say_small
from tdl.cli.program import run_program
from tdl.config.agent import check_drops, chosen_names, refuse_changed
from tdl.config.compose import Key, Schema, key_hash, keys, options_of
from tdl.config.files import group_file, plain_dict
from tdl.config.schema import DROPS, PLACER, PLAY, SEARCH, TILES, filled, judge_of, opened, play_of
from tdl.config.setup import stored_placer
from tdl.cuda.device import CPU
from tdl.errors import ConfigError, naming, refuse, within
from tdl.game.rules import Rules
from tdl.players.cuda_games import check_games
from tdl.players.ensemble import average
from tdl.players.kinds import SMALL, Agent, Kind, agent_of, checkpoint_folder, kind_of, read_agent
from tdl.players.player import Player, playing_by
from tdl.runs import recording
from tdl.runs.disk_space import Disk
from tdl.runs.environment import describe
from tdl.runs.evaluation import Evaluation, evaluation_of
from tdl.runs.final_summary import path_from_here
from tdl.runs.interrupts import Interrupts
from tdl.search.options import MAX_PLIES
from tdl.statistics.summary import evaluation_block
from tdl.storage.checkpoint import META, Meta
from tdl.storage.records import RECORD, Records, check_episodes
from tdl.storage.run_folder import FAILED, FINISHED, INTERRUPTED, RUNNING, RunFolder
from tdl.sweeps.job import JobContext, Plan
from tdl.training.options import PlayOptions


@dataclass(frozen=True)
class Games:
    """The games, and what is left of them."""

    episodes: int = whole(MISSING, least=1, most=MAX_COUNT)
    plies: int = whole(MISSING, least=1, most=MAX_PLIES)
    drops: str = choice(MISSING, DROPS)
    record: int = whole(MISSING, least=0)
    mistakes: int | None = whole(MISSING, least=1, most=MAX_PLIES, null=True)

    def __post_init__(self) -> None:
        check_fields(self)
        if self.record > self.episodes:
            raise refuse("record", self.record, f"at most evaluate.episodes, {self.episodes}")
        if self.mistakes is not None and not self.record:
            raise refuse("mistakes", self.mistakes, "null unless evaluate.record is above 0")
        if self.mistakes is not None and self.mistakes <= self.plies:
            raise refuse("mistakes", self.mistakes, f"more than evaluate.plies, {self.plies}")


SCHEMA = Schema(
    __name__,
    {
        **TILES,
        **opened(PLACER),
        **SEARCH,
        "checkpoint": Key(Any),
        **PLAY,
        **keys(Games, "evaluate"),
    },
)
"""Keys of `tiles` and `placer` that are not given are those of the checkpoint."""


@dataclass(frozen=True)
class EvaluationSetup:
    """An evaluation.

    Attributes
    ----------
    metas : the description of each checkpoint, with its `folder`; several play with the mean of their weights.
    rules : that are played by: those of the checkpoint, with the tile rule of the configuration.
    judge : folder of the network by whose values an adversary judges; None: that which plays.
    config : the configuration by its keys, as `result.json` has it, without the device, which changes no game.
    """

    metas: list[Meta]
    games: Games
    play: PlayOptions
    rules: Rules
    judge: str | None
    config: dict[str, Any]

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The evaluation that Hydra composed, completed by the checkpoint's configuration."""
        values = plain_dict(cfg, resolve=True)
        SCHEMA.check_names(values)
        metas = described(values["checkpoint"])
        laws = {name: metas[0]["rules"][name] for name in ("drop", "start")}
        values |= {"tiles": filled(values["tiles"], laws), "placer": filled(values["placer"], _placer_of(metas[0]))}
        values = SCHEMA.read(values)
        games = options_of(Games, "evaluate", values["evaluate"])
        tiles = values["tiles"]
        rules = replace(Rules.from_dict(metas[0]["rules"]), drop=tiles["drop"], start=tiles["start"])
        config = {key: value for key, value in values.items() if key != "device"}
        return cls(metas, games, play_of(values, plies=games.plies), rules, values["placer"]["network"], config)

    def __post_init__(self) -> None:
        """Refuse what does not go together, or what the agent of the checkpoint does not do."""
        games, placer = self.games, self.play.placer.kind
        self.play.search.check_seconds("evaluate.plies")
        check_drops(games.drops, games.plies)
        self.kind.check_plies(games.plies)
        if games.record and placer != "random":
            expected = "0 unless placer.kind=random: only the drop law can be played again"
            raise refuse("evaluate.record", games.record, expected)
        if games.record and self.play.search.seconds is not None:
            expected = "0 unless search.seconds=null: what the clock decides cannot be played again"
            raise refuse("evaluate.record", games.record, expected)
        if self.play.device != CPU:
            self._check_device()
        if not self.kind.tables or games.drops == "one":
            self._check_policy("evaluate.drops=one" if self.kind.tables else f"an agent of kind {self.kind.name}")

    def _check_device(self) -> None:
        """Refuse what a graphics card does not play."""
        if not self.kind.tables:
            raise refuse("device", self.play.device, f"{CPU} with an agent of kind {self.kind.name}")
        if self.games.drops != "all":
            raise refuse("evaluate.drops", self.games.drops, "all with device=cuda")
        with within("evaluate", ("plies",)):
            check_games(self.play.search, self.play.placer)

    def _check_policy(self, by: str) -> None:
        """Refuse what only the kernels of n-tuple networks do."""
        usual = {"search": group_file("search", "expectimax"), "lanes": "auto"}
        refuse_changed(self.config, usual, ("search", "lanes"), by)
        if self.play.placer.kind != "random":
            raise refuse("placer.kind", self.play.placer.kind, f"random with {by}")
        if self.games.record:
            raise refuse("evaluate.record", self.games.record, f"0 with {by}")
        if len(self.metas) > 1 and not self.kind.tables:  # weights of other agents have no meaning in the mean
            raise refuse("checkpoint", self.config["checkpoint"], f"one with {by}")

    @property
    def kind(self) -> Kind:
        """The kind of the agent."""
        return kind_of(self.metas[0])

    @property
    def checkpoints(self) -> list[dict[str, Any]]:
        """What `result.json` says of the checkpoints."""
        return checkpoints_of(self.metas)


def described(checkpoint: Any) -> list[Meta]:
    """The description of each checkpoint that the key names, with its `folder`."""
    checkpoint = SMALL if checkpoint is None else checkpoint
    named = checkpoint if isinstance(checkpoint, list) and checkpoint else [checkpoint]
    for path in named:
        if not isinstance(path, str):
            raise refuse("checkpoint", path, "the folder of a run or of a checkpoint, as outputs/FOLDER, or a list")
    folders = [checkpoint_folder(path) for path in named]
    return [read_agent(folder) | {"folder": folder} for folder in folders]


def playing_agent(metas: list[Meta], rules: Rules | None = None) -> Agent:
    """The agent of the checkpoint, or of the mean of several, in games of these rules; None: in its own."""
    folders: list[Path] = [meta["folder"] for meta in metas]
    if len(folders) > 1:
        player = average(folders)
        return playing_by(player, rules or player.rules)
    return agent_of(folders[0], metas[0], rules, copy=True)


def checkpoints_of(metas: list[Meta]) -> list[dict[str, Any]]:
    """What files say of the checkpoints that played."""
    return [
        {"path": str(meta["folder"].resolve()), "digest": meta["digest"], "episode": meta["episode"]} for meta in metas
    ]


def _placer_of(meta: Meta) -> dict[str, Any]:
    """Who put the tiles in the training: the drop law, where no run of ours trained it."""
    with naming(meta["folder"] / META):
        stored = stored_placer(meta.get("config", {}))
    return group_file("placer", "random") if stored is None else stored


def job(cfg: DictConfig, context: JobContext) -> None:
    """Check everything, play, print the figures, and leave them and the games in the folder of the job."""
    setup = EvaluationSetup.of(cfg)
    say_small(cfg.checkpoint)
    folder = RunFolder(context.folder)
    with folder.lock():
        status = status_of(folder, setup)
        if context.in_sweep and status == FINISHED:
            return  # the sweep says it of all its jobs at once
        if not context.in_sweep and folder.result.exists() and status not in (RUNNING, INTERRUPTED, FAILED):
            raise ConfigError(f"out: {folder} holds results already; name another")
        evaluation = build_evaluation(setup)
        if isinstance(evaluation.agent, Player):  # of other agents no game is asked to be recorded
            recording.check(evaluation.agent, evaluation.options, setup.games.record)
        play(setup, evaluation, result_of(setup, evaluation, chosen_names(cfg, context.choices)), folder)


def plan(cfg: DictConfig, context: JobContext) -> Plan:
    """What is known of an evaluation before it begins; raises what is wrong with its values or checkpoints."""
    setup = EvaluationSetup.of(cfg)
    check_episodes(setup.games.episodes, key="evaluate.episodes")
    games = Disk(records=setup.games.episodes * RECORD.itemsize)
    done = status_of(RunFolder(context.folder), setup) == FINISHED
    return Plan(done, setup.play.threads, games, final=False)


def status_of(folder: RunFolder, setup: EvaluationSetup) -> str | None:
    """The status of the evaluation in the folder; None where there is none, or one of other games or checkpoints."""
    result = folder.result_if_whole()
    same = result.get("config") == json.loads(json.dumps(setup.config))
    return result.get("status") if same and result.get("checkpoints") == setup.checkpoints else None


def build_evaluation(setup: EvaluationSetup) -> Evaluation:
    """Who plays, and how."""
    check_episodes(setup.games.episodes, key="evaluate.episodes")
    play = replace(setup.play, evaluator=judge_of(setup.judge, setup.rules))
    agent = playing_agent(setup.metas, setup.rules)
    return evaluation_of(agent, play, setup.games.drops)


def result_of(setup: EvaluationSetup, evaluation: Evaluation, chosen: Mapping[str, str]) -> dict[str, Any]:
    """What `result.json` says before the games are played."""
    first = setup.metas[0]
    return {
        "status": RUNNING,
        "config_hash": key_hash(setup.config),
        "names": {"game": setup.rules.game, **first.get("names", {}), **chosen},
        "seed": setup.play.seed,
        "config": setup.config,
        "rules": setup.rules.to_dict(),
        "checkpoints": setup.checkpoints,
        "episodes": first["episode"],
        **describe(evaluation.instructions),
    }


def play(setup: EvaluationSetup, evaluation: Evaluation, result: dict[str, Any], folder: RunFolder) -> None:
    """Play, print the figures, and leave them and the games in `folder`.

    Raises
    ------
    Interrupted : by a signal. While the games are played nothing is left of them.
    """
    figures = folder.status_kept(result, lambda: {"peak_memory_bytes": machine.peak_memory()})
    with figures, Interrupts("soon") as interrupts:
        records, result["evaluation"] = evaluation.play(setup.games.episodes, folder.path, interrupts.stop)
        print(evaluation_block(result["evaluation"]), end="")
        if setup.games.record:
            print(record(setup, evaluation, records, result, folder, interrupts.stop), end="")
    print(f"results in {path_from_here(folder.path)}")


def record(
    setup: EvaluationSetup,
    evaluation: Evaluation,
    records: Records,
    result: dict[str, Any],
    folder: RunFolder,
    stop: Callable[[], None],
) -> str:
    """Leave the first games move by move, judged if asked; gives what to print."""
    first, checkpoints = records[: setup.games.record], result["checkpoints"]
    digest = checkpoints[0]["digest"] if len(checkpoints) == 1 else None
    player, options, deeper = evaluation.agent, evaluation.options, setup.games.mistakes
    assert isinstance(player, Player)
    games = recording.record(player, options, first, folder, digest, stop)
    if deeper is not None:
        search = replace(options.search, plies=deeper, by_empty=())
        result["mistakes"] = recording.judge(games, player, search, folder, stop)
    return recording.recording_block(games, folder, result.get("mistakes"))


def main() -> None:
    """The command `tdl evaluate`."""
    run_program("evaluate", job, SCHEMA, plan=plan)
