"""The program `tdl serve`: it serves until a signal comes; a wrong command line ends in one line."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from support import PATIENCE
from support.programs import ended, files, inside, running
from support.web_server import serving

import tdl
from tdl.cli.serve import main
from tdl.errors import ConfigError
from tdl.game.rules import ACTION_NAMES
from tdl.web.server import check_loopback


def test_the_program_serves_until_a_signal_and_leaves_nothing(tmp_path, folder):
    shutil.copytree(folder, tmp_path / "outputs")
    before = sorted(tmp_path.rglob("*"))
    with running(tmp_path, "checkpoint=outputs/first", "port=0", command="serve") as process:
        line = process.stdout.readline()
        port = re.fullmatch(r"serving outputs at http://127\.0\.0\.1:(\d+)/  \(Ctrl-C ends it\)\n", line)[1]
        busy = inside(f"folder={tmp_path / 'outputs'}", f"port={port}", program=main)
        assert busy.returncode == 2
        assert re.fullmatch(rf"tdl: port: {port} is not allowed; expected .*0 takes any\n", busy.stderr)
        process.send_signal(signal.SIGTERM)
        done = ended(process)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (143, "tdl: stopped")
    assert "Traceback" not in done.stderr
    assert sorted(tmp_path.rglob("*")) == before


def test_the_clients_of_the_page_work(folder, tmp_path):
    """Those of docs/howto/play.md: what they are told is the move of the agent; a wrong board is told of."""
    page = (Path(__file__).parents[2] / "docs" / "howto" / "play.md").read_text()
    player, rows = tdl.load(folder / "first"), [[2, 4, 8, 16], [4, 0, 0, 0], [0] * 4, [0, 0, 0, 2]]
    with serving(folder) as server:

        def client(language):
            (code,) = re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)
            return code.replace("FOLDER", "first").replace("127.0.0.1:2048", f"127.0.0.1:{server.port}")

        def printed(*command):
            return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=True).stdout

        assert printed(sys.executable, "-c", client("python")) == f"{ACTION_NAMES[player.best(rows)]}\n"
        wrong = "\ntry:\n    judge(board='2 4')\nexcept ValueError as error:\n    print(error)"
        assert "board: 2 cells; expected 16" in printed(sys.executable, "-c", client("python") + wrong)
        if shutil.which("curl") is None:
            pytest.skip("curl is not installed")
        answer = json.loads(printed("bash", "-c", client("bash")))
    assert (answer["board"], answer["plies"], answer["checkpoint"]) == (rows, 2, "first")
    assert answer["best"] == ACTION_NAMES[player.best(rows, 2)]
    assert list(answer["values"]) == list(answer["losses"]) == list(ACTION_NAMES)


def test_only_this_machine_is_served():
    for host in ("127.0.0.1", "127.0.0.9", "localhost", "::1"):
        check_loopback("host", host)
    for host in ("0.0.0.0", "::", "example.com", "192.168.1.1", ""):
        with pytest.raises(ConfigError, match=r"host: .* is not allowed; expected .*only this machine is served"):
            check_loopback("host", host)


@pytest.mark.parametrize(
    ("words", "code", "telling"),
    [
        ("host=0.0.0.0", 2, ["host: '0.0.0.0' is not allowed", "only this machine is served"]),
        ("port=70000", 2, ["port: 70000 is not allowed", "from 0 to 65535"]),
        ("sessions=0", 2, ["sessions: 0 is not allowed", "from 1 to 1000"]),
        ("seconds=0", 2, ["seconds: 0.0 is not allowed", "above 0 and at most 60"]),
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
