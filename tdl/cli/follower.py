"""A process that trains with others and is not the first: it plays what that one asks for, and writes no file."""

import signal
import sys
import traceback

from tdl.cli.messages import explain
from tdl.cli.words import split_flags
from tdl.config import files
from tdl.config.setup import Setup
from tdl.runs.agents import TrainingAgent, build_agent
from tdl.runs.interrupts import URGENT, WARNINGS
from tdl.training.ranks import BEGIN, TRAIN, MpiRanks


def follow(ranks: MpiRanks) -> None:
    """Do what rank 0 commands until the end. Signals are its affair: it stops at the end of a block.

    An error that the others do not know of is one line, and ends all processes.
    """
    for number in (*URGENT, *WARNINGS):
        signal.signal(number, signal.SIG_IGN)
    try:
        files.use_folder(split_flags(sys.argv[1:]).options.config_dir)
        _obey(ranks)
    except Exception as error:
        code, line = explain(error, True)
        if code is None:
            traceback.print_exception(error)
        print(f"tdl: process {ranks.rank} of {ranks.size}: {line or repr(error)}", file=sys.stderr)
        ranks.abort(1 if code is None else code)


def _obey(ranks: MpiRanks) -> None:
    agent: TrainingAgent | None = None
    while True:
        command, what = ranks.receive()
        if command == BEGIN:
            agent = build_agent(Setup.of(what["config"]), what["episode"], ranks)
        elif command == TRAIN and agent is not None:
            try:
                episodes, spent = what
                agent.trainer.spent = spent
                agent.trainer.train(episodes)
            except Exception:
                if not ranks.agreed:
                    raise
        else:
            return
