"""The program `tdl serve`: it serves until a signal comes; a wrong command line ends in one line."""

import os
import re
import shutil
import signal
import socket

import pytest
from support.programs import ended, files, inside, running

from tdl.cli.serve import main


def test_the_program_serves_until_a_signal_and_leaves_nothing(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "outputs")
    before = sorted(tmp_path.rglob("*"))
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 143)):
        with running(tmp_path, "checkpoint=outputs/first", "port=0", command="serve") as process:
            line = process.stdout.readline()
            port = re.fullmatch(r"serving outputs at http://127\.0\.0\.1:(\d+)/  \(Ctrl-C ends it\)\n", line)[1]
            if number == signal.SIGINT:
                busy = inside(f"folder={tmp_path / 'outputs'}", f"port={port}", program=main)
                assert busy.returncode == 2
                assert re.fullmatch(rf"tdl: port: {port} is not allowed; expected .*0 takes any\n", busy.stderr)
            process.send_signal(number)
            done = ended(process)
        assert done.returncode == code
        assert done.stderr.splitlines()[-1] == "tdl: stopped"
        assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("words", "code", "telling"),
    [
        ("host=0.0.0.0", 2, ["host: '0.0.0.0' is not allowed", "only this machine is served"]),
        ("host=example.com", 2, ["host: 'example.com' is not allowed"]),
        ("host=192.168.1.1", 2, ["host: '192.168.1.1' is not allowed"]),
        ("port=70000", 2, ["port: 70000 is not allowed", "from 0 to 65535"]),
        ("port=-1", 2, ["port: -1 is not allowed"]),
        ("sessions=0", 2, ["sessions: 0 is not allowed", "from 1 to 1000"]),
        ("seconds=0", 2, ["seconds: 0.0 is not allowed", "above 0 and at most 60"]),
        ("seconds=nan", 2, ["seconds: nan is not allowed"]),
        ("folder=missing", 2, ["folder: 'missing' is not allowed", "a folder that is there"]),
        ("checkpoint=outputs/missing", 2, ["outputs/missing: no checkpoint here"]),
        ("checkpoint=elsewhere/run", 2, ["checkpoint: 'elsewhere/run' is not allowed", "below folder, outputs"]),
        ("checkpoint=outputs/link", 2, ["checkpoint: 'outputs/link' is not allowed"]),
        ("+prot=1", 2, ["prot: no such key", "did you mean 'port'"]),
        ("open=7x", 1, ["open: '7x' is not allowed; expected true or false"]),
        ("-m sessions=1,2", 2, ["-m: a server is no sweep"]),
    ],
)  # fmt: skip
def test_a_wrong_command_line_ends_in_one_line(tmp_path, monkeypatch, words, code, telling):
    (tmp_path / "outputs").mkdir()
    (tmp_path / "elsewhere").mkdir()
    os.symlink(tmp_path / "elsewhere", tmp_path / "outputs" / "link")
    monkeypatch.chdir(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as busy:  # so that it cannot serve, whatever it overlooks
        port = f"port={busy.getsockname()[1]}"
        done = inside(*words.split(), *[port] * ("port" not in words), program=main)
    assert done.returncode == code, done.stderr
    (line,) = done.stderr.splitlines()[-1:]
    assert not [part for part in telling if part not in line], line
    assert not files(tmp_path)
