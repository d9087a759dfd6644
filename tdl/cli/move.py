"""The best move on a board: `tdl move BOARD [FOLDER] [plies=2]`. All keys: `conf/move.yaml`.

For programs: `--json`, and `--stdin`, a line in and a line out (`tdl.sessions.move_lines`).
"""

import argparse
import json
import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from omegaconf import DictConfig

from tdl.base import streams
from tdl.cli.board_words import board_of_words, is_file
from tdl.cli.folders import say_small
from tdl.cli.messages import one_line_errors
from tdl.cli.program import run_program
from tdl.cli.words import split_flags
from tdl.config.compose import Key, Schema, options_of, word_of
from tdl.config.schema import SEARCH
from tdl.errors import ConfigError
from tdl.game.board_text import NOTATIONS
from tdl.game.boards import read_board
from tdl.players.kinds import SMALL, load_agent
from tdl.search.options import SearchOptions, check_same_board
from tdl.sessions.game_file import ENDINGS
from tdl.sessions.judged_board import answer_text, judged
from tdl.sessions.move_lines import MoveLines, waiting_lines
from tdl.sweeps.job import JobContext

SCHEMA = Schema(__name__, {**SEARCH, "plies": Key(int), "checkpoint": Key(str | None)})


def job(question: argparse.Namespace, cfg: DictConfig, _: JobContext) -> None:
    """Check everything, then answer; beside the keys are asked the words of the board, and flags."""
    values = SCHEMA.read(cfg)
    search = options_of(SearchOptions, "search", values["search"], plies=values["plies"])
    search.check_seconds("plies")
    say_small(values["checkpoint"])
    folder = values["checkpoint"] or SMALL
    agent, reading = load_agent(folder), {"exponents": question.exponents, "last_first": question.last_first}
    agent.say_memory()
    way = MoveLines(agent, search, reading, as_json=question.json)
    if question.stdin:
        _answer_lines(way)
        return
    board, rules = board_of_words(question.words, question.move)
    if rules is not None:
        check_same_board(agent.rules, rules, "checkpoint")
    packed = read_board(board, agent.rules, **reading)
    answer = judged(way.values(packed))
    if question.json:
        asked = {"plies": search.plies, "checkpoint": folder}
        print(json.dumps({"board": agent.engine.array(packed).tolist(), **answer, **asked}))
    else:
        print(answer_text(answer))


def _answer_lines(way: MoveLines) -> None:
    """Answer standard input until it ends; the answers to lines that wait are written together."""
    if sys.stdin is None:
        raise ConfigError("--stdin: standard input is closed")
    for lines in waiting_lines(sys.stdin.buffer):
        for answers in way.answers(lines):
            streams.reply("\n".join(answers))


def read_question(line: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """What is asked, and the rest of the command line for Hydra; a ConfigError where that is no question."""
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
    return argparse.Namespace(words=bare, **vars(flags)), [*read.flags, *keyed]


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
