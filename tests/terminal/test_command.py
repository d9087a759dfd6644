"""The command `tdl play`: refused in one line before the screen begins, and the terminal is left as it was.

Trusts pseudo-terminals to be what a person with a screen has.
"""

import contextlib
import json
import os
import pty
import select
import signal
import sys
import termios
import threading
import time

import pytest
from support import PATIENCE
from support.programs import files, inside, running
from support.shapes import RULES

from tdl.cli import play
from tdl.errors import ConfigError
from tdl.sessions.game_file import load, save
from tdl.sessions.session import Session
from tdl.terminal import background

CASES = [
    ("checkpoint=missing", 2, ["missing: no checkpoint here"]),
    ("checkpoint=run game=2584", 2, ["game: '2584' is not allowed", "2048, that of the checkpoint"]),
    ("checkpoint=run plies=0", 2, ["tdl: plies: 0 is not allowed", "from 1 to 12"]),
    (
        "checkpoint=run search.seconds=1",
        2,
        ["search.seconds: 1.0 is not allowed", "null unless plies or the plies of search.by_empty"],
    ),
    ("watch=true size=3x3", 2, ["watch: True is not allowed", "no agent to watch"]),
    ("plies=2 game=2584", 2, ["plies: 2 would change nothing with no checkpoint"]),
    ("size=6x6", 2, ["size: '6x6' is not allowed", "did you mean '5x5'?"]),
    ("episode=-1", 2, ["episode: -1 is not allowed"]),
    ("theme=blue", 2, ["theme: 'blue' is not allowed; expected auto or light or dark"]),
    ("speed=0", 2, ["speed: 0.0 is not allowed", "at most 1000"]),
    ("record=game.jsonl", 2, ["record: 'game.jsonl' is not allowed", "a folder"]),
    ("replay=game.jsonl", 2, ["game.jsonl: line 3: cut"]),
    ("replay=game.jsonl seed=1", 2, ["seed: a recorded game has its own"]),
    ("sped=1", 1, ["sped: no such key", "did you mean 'speed'"]),
    ("-m seed=1,2", 2, ["-m: there is one terminal"]),
    ("checkpoint=run tiles=p80_20 watch=true", 2, ["no terminal: standard input"]),
    ("watch=true plies=3", 2, ["no terminal: standard input"]),  # the network in the package
]


@pytest.mark.parametrize(("words", "code", "telling"), CASES, ids=[words for words, _, _ in CASES])
def test_refused_in_one_line_before_the_screen_begins(tmp_path, monkeypatch, run, words, code, telling):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "run").symlink_to(run)
    session = Session(RULES["2x2"])
    session.move(session.legal[0])
    session.move(session.legal[0])
    save(tmp_path / "game.jsonl", session.game())
    (tmp_path / "game.jsonl").write_text((tmp_path / "game.jsonl").read_text()[:-9])
    before = files(tmp_path)
    with open(os.devnull) as nothing:
        monkeypatch.setattr(sys, "stdin", nothing)
        done = inside(*words.split(), program=play.main)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith("tdl: ")
    assert not [part for part in telling if part not in line], line
    assert files(tmp_path) == before


class Terminal:
    """A pseudo-terminal: the far end of what a program believes to be a person with a screen."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        termios.tcsetwinsize(self.slave, (30, 100))
        self.before, self.out = termios.tcgetattr(self.slave), b""

    def read(self):
        while select.select([self.master], [], [], 0.02)[0]:
            self.out += os.read(self.master, 1 << 16)

    def wait_for(self, condition):
        end = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < end, self.out[-2000:]
            self.read()

    def close(self):
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminal(monkeypatch):
    """A terminal that this process reads and writes, but for what pytest captures."""
    with contextlib.closing(Terminal()) as made, contextlib.ExitStack() as stack:
        for name in ("stdin", "__stdin__", "__stderr__"):
            monkeypatch.setattr(sys, name, stack.enter_context(open(made.slave, "r+b", buffering=0, closefd=False)))
        yield made


ANSWERS = {
    b"\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?62;22c": "light",
    b"\x1b]11;rgb:ff/ff/ff\x1b\\\x1b[?1;2c": "light",
    b"\x1b]11;rgba:ffff/ffff/dddd/ffff\x1b\\\x1b[?6c": "light",
    b"\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\\x1b[?62c": "dark",
    b"\x1b]11;nonsense\x07\x1b[?62c": "dark",
    b"": "dark",
}


@pytest.mark.parametrize(("answer", "theme"), ANSWERS.items())
def test_a_terminal_is_asked_for_its_background(monkeypatch, terminal, answer, theme):
    """And is left as it was; one that does not answer is taken for dark."""
    monkeypatch.setattr(background, "SECONDS", 0.2)

    def answering():
        terminal.wait_for(lambda: terminal.out.endswith(background.QUESTION))
        os.write(terminal.master, answer)

    there = threading.Thread(target=answering)
    there.start()
    assert play.shown_theme("auto") == theme
    there.join()
    assert termios.tcgetattr(terminal.slave) == terminal.before
    terminal.out = b""
    assert (play.shown_theme("light"), play.shown_theme("dark")) == ("light", "dark")
    terminal.read()
    assert not terminal.out  # nothing is asked where it is said


def test_keys_that_were_pressed_before_are_not_taken_for_an_answer(terminal):
    os.write(terminal.master, b"x\n")
    assert not background.is_light()
    assert os.read(terminal.slave, 2) == b"x\n"


def test_there_must_be_a_terminal_and_textual(monkeypatch, terminal):
    monkeypatch.setattr(sys, "stdout", sys.stdin)
    monkeypatch.setattr(sys, "stderr", sys.stdin)
    monkeypatch.setenv("TERM", "xterm")
    play.check_terminal()
    monkeypatch.setenv("TERM", "dumb")
    with pytest.raises(ConfigError, match="TERM=dumb"):
        play.check_terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setitem(sys.modules, "textual", None)
    with pytest.raises(ConfigError, match=r"pip install 'tdl-ntuple\[play\]'"):
        play.check_terminal()


def test_the_terminal_is_left_as_it_was(tmp_path):
    with contextlib.closing(Terminal()) as terminal:
        stream = {"stdin": terminal.slave, "stdout": terminal.slave, "stderr": terminal.slave}
        environment = {**os.environ, "TERM": "xterm-256color"}
        with running(
            tmp_path, "seed=3", "size=4x5", command="play", env=environment, start_new_session=True, **stream
        ) as game:
            terminal.wait_for(lambda: b"SCORE" in terminal.out)
            assert termios.tcgetattr(terminal.slave) != terminal.before
            os.write(terminal.master, b"\x1b[A\x1b[B\x1b[D\x1b[C" * 5 + b" ")
            terminal.wait_for(lambda: b"no agent" in terminal.out)  # so the moves are made
            game.send_signal(signal.SIGTERM)
            terminal.wait_for(lambda: game.poll() is not None)
            terminal.read()
        assert game.returncode == 143
        assert termios.tcgetattr(terminal.slave) == terminal.before
    screen, _, after = terminal.out.partition(b"\x1b[?1049l")  # the screen that was there before
    assert screen.count(b"\x1b[?1049h") == 1
    assert b"\x1b[?25h" in after  # the cursor
    (saved,) = (tmp_path / "outputs" / "games").iterdir()
    assert f"saved outputs/games/{saved.name}" in after.decode()
    assert after.decode().splitlines()[-1] == "tdl: interrupted"
    head = json.loads(saved.read_text().splitlines()[0])
    assert head["moves"] == len(load(saved).moves) > 2
    assert [path.name for path in tmp_path.iterdir()] == ["outputs"]
