"""The standard streams: closed ones, readers that go away, letters that an encoding lacks."""

import os
import signal
import subprocess
import sys

import pytest

WORK = """
import sys
from tdl.base import streams
with streams.guarded():
    print("first …", flush=True)
    print("beside", file=sys.stderr)
    sys.stdin and sys.stdin.read()
    for _ in range(20000): print("more")
    sys.stdout.flush()
    with open("done", "w") as file: file.write("whole")
    {end}
"""
PIPE = 128 + signal.SIGPIPE


def work(folder, line, end="", **variables):
    """Exit code, output and error output of a program that prints, with the shell's words for its streams."""
    script = folder / "work.py"
    script.write_text(WORK.format(end=end))
    words = ["bash", "-c", f"set -o pipefail; {line.replace('tdl', f'{sys.executable} {script}')}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=os.environ | variables,
                          stdin=subprocess.DEVNULL)  # fmt: skip
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(
    ("line", "code", "error"),
    [
        ("tdl >/dev/null", 0, "beside\n"),
        ("tdl 2>&- >/dev/null", 0, ""),
        ("tdl <&- >/dev/null", 0, "beside\n"),
        ("tdl >&-", 2, "beside\ntdl: stdout could not be written: Bad file descriptor\n"),
        ("tdl <&- >&- 2>&-", 2, ""),
        ("tdl >/dev/full", 2, "beside\ntdl: stdout could not be written: No space left on device\n"),
        ("tdl 2>/dev/full >/dev/null", 2, ""),
        ("tdl | true", PIPE, "beside\n"),
        ("tdl 2>&1 | true", PIPE, ""),
        ("PYTHONUNBUFFERED=1 tdl | true", PIPE, "beside\n"),
    ],
)
def test_lost_output_ends_no_work(tmp_path, line, code, error):
    """The work is done whatever became of the streams, and the exit code says what was lost."""
    assert work(tmp_path, line) == (code, "", error)
    assert (tmp_path / "done").read_text() == "whole"


def test_an_exit_code_stays(tmp_path):
    assert work(tmp_path, "tdl | true", "sys.exit(3)")[0] == 3
    assert work(tmp_path, "tdl >&-", "sys.exit(0)")[0] == 2


def test_letters_that_an_encoding_lacks(tmp_path):
    _, out, _ = work(tmp_path, "tdl", PYTHONIOENCODING="latin-1")
    assert out.startswith("first \\u2026\nmore\n")


def test_a_program_that_is_asked_line_by_line_ends_with_its_reader(tmp_path):
    script = "import itertools\nfrom tdl.base import streams\nwith streams.guarded():\n    " \
             "for number in itertools.count(): streams.reply(str(number))"  # fmt: skip
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as process:
        assert process.stdout.readline() == b"0\n"
        process.stdout.close()
        assert process.wait(timeout=60) == PIPE
