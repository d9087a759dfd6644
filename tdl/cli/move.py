"""The best move on a board: `tdl move BOARD [FOLDER] [plies=2]`. All keys: `conf/move.yaml`.

For programs: `--json`, and `--stdin`, a line in and a line out (`tdl.sessions.move_lines`).
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Self

from omegaconf import MISSING, DictConfig

from tdl.base import streams
from tdl.cli.board_words import board_of_words, is_file
from tdl.cli.messages import one_line_errors
from tdl.cli.program import run_program
from tdl.cli.words import split_flags
from tdl.config.compose import Key, Schema, options_of, word_of
from tdl.config.schema import SEARCH
from tdl.errors import ConfigError
from tdl.game.board_text import NOTATIONS
from tdl.game.boards import read_board
from tdl.players.kinds import Agent, load_agent
from tdl.search.options import SearchOptions, check_same_board
from tdl.sessions.game_file import ENDINGS
from tdl.sessions.judged_board import JudgedBoard
from tdl.sessions.move_lines import MoveLines, waiting_lines
from tdl.storage.checkpoint import META
from tdl.storage.run_folder import CHECKPOINT, OUTPUTS
from tdl.sweeps.job import JobContext

SCHEMA = Schema(__name__, {**SEARCH, "plies": Key(int), "checkpoint": Key(str | None)})


@dataclass(frozen=True)
class Question:
    """What is asked, beside the keys: the words of the board, and flags."""

    words: list[str]
    move: int | None
    json: bool
    stdin: bool
    exponents: bool
    last_first: bool


@dataclass(frozen=True, kw_only=True)
class MoveOptions:
    """Whose move, and how far it looks ahead; `checkpoint` is the folder of a run or of a checkpoint."""

    checkpoint: str = MISSING
    search: SearchOptions

    @classmethod
    def of(cls, cfg: DictConfig) -> Self:
        """The options that Hydra composed."""
        values = SCHEMA.read(cfg)
        search = options_of(SearchOptions, "search", values["search"], plies=values["plies"])
        search.check_seconds("plies")
        return cls(checkpoint=values["checkpoint"] or newest_checkpoint(), search=search)


def newest_checkpoint() -> str:
    """The newest run below `outputs` with a checkpoint; it is named on standard error."""
    trained = sorted(Path(OUTPUTS).glob(f"**/{CHECKPOINT}/{META}"), key=os.path.getmtime)
    if not trained:
        raise ConfigError(f"FOLDER: no trained agent below {OUTPUTS}/; name the folder of a run")
    folder = str(trained[-1].parent.parent)
    print(f"tdl: the agent is {folder}", file=sys.stderr)
    return folder


def job(question: Question, cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then answer."""
    options = MoveOptions.of(cfg)
    agent = load_agent(options.checkpoint)
    if question.stdin:
        _answer_lines(question, agent, options.search)
        return
    board, rules = board_of_words(question.words, question.move)
    if rules is not None:
        check_same_board(agent.rules, rules, "checkpoint")
    packed = read_board(board, agent.rules, exponents=question.exponents, last_first=question.last_first)
    answer = JudgedBoard.of(agent.action_values(options.search)(packed))
    if question.json:
        shown = {"board": agent.engine.array(packed).tolist(), **answer.to_dict()}
        print(json.dumps(shown | {"plies": options.search.plies, "checkpoint": options.checkpoint}))
    else:
        print(answer.text())


def _answer_lines(question: Question, agent: Agent, search: SearchOptions) -> None:
    """Answer standard input until it ends; the answers to lines that wait are written together."""
    way = MoveLines(agent, search, exponents=question.exponents, last_first=question.last_first, as_json=question.json)
    if sys.stdin is None:
        raise ConfigError("--stdin: standard input is closed")
    for lines in waiting_lines(sys.stdin.buffer):
        for answers in way.answers(lines):
            streams.reply("\n".join(answers))


def read_question(line: Sequence[str]) -> tuple[Question, list[str]]:
    """What is asked, and the rest of the command line for Hydra.

    Raises
    ------
    ConfigError : there is no board, or one beside `--stdin`; or a flag without its value.
    """
    parser = argparse.ArgumentParser(prog="tdl move", add_help=False, allow_abbrev=False, exit_on_error=False)
    for flag in ("--json", "--stdin", "--exponents", "--last-first"):
        parser.add_argument(flag, action="store_true")
    parser.add_argument("--move", type=int)
    try:
        flags, others = parser.parse_known_args(line)
    except argparse.ArgumentError as error:
        raise ConfigError(str(error).removeprefix("argument ")) from None
    read = split_flags(others)
    bare = [word for word in read.words if not re.match(r"[+~]*[\w.@/-]+=", word)]
    keyed = [word for word in read.words if word not in bare]
    folders = [word for word in bare if _is_folder(word) and (word not in ("/", ".") or len(bare) < 3)]
    if len(folders) > 1:
        raise ConfigError(f"{' '.join(folders)}: one folder is taken")
    bare = [word for word in bare if word not in folders]
    keyed += [word_of("checkpoint", Path(folder).expanduser()) for folder in folders]
    if flags.stdin and bare:
        raise ConfigError(f"{' '.join(bare)}: with --stdin boards are read from standard input, a line each")
    if not bare and not flags.stdin and others == [*read.flags, *read.words] and not read.options.help:
        raise ConfigError(f"BOARD is missing; expected {NOTATIONS}")
    return Question(words=bare, **vars(flags)), [*read.flags, *keyed]


def _is_folder(word: str) -> bool:
    """Whether a word names a folder, there or not, and no board."""
    if os.path.isdir(word):
        return True
    if re.search(r"[\s\[({]", word) or Path(word).suffix in ENDINGS or is_file(word):
        return False
    letters = re.sub("null|none|nan|undefined|empty|blank", "", word, flags=re.IGNORECASE)
    return re.search("[g-wyzG-WYZ]", letters) is not None  # x is that of 0x


@one_line_errors
def main() -> None:
    """The command `tdl move`."""
    question, sys.argv[1:] = read_question(sys.argv[1:])
    run_program("move", partial(job, question), SCHEMA, alone="one board is one question; --stdin takes many")
