"""What is fuzzed: each target is a reader of files that were changed at random, or a server that is asked so.

A target ends well, or in a `TdlError` or `OSError`, whose line is one that a program would print; all else is wrong.
"""

import contextlib
import io
import json
import os
import shutil
import warnings
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from unittest import mock

import numpy as np

import tdl
import tdl.results
from support.browser import Watched
from support.fuzz_files import ends, good
from support.mutations import NASTY, changed_bytes, changed_json
from support.pages import Page
from support.programs import SMALL
from support.web_server import Client, answers_of, serving
from tdl.__main__ import main
from tdl.config.setup import stored_setup
from tdl.errors import SkippedWarning, TdlError
from tdl.players.kinds import read_agent
from tdl.runs.resume import read_run
from tdl.sessions import game_file
from tdl.solver import solution
from tdl.storage.reading import read_json
from tdl.storage.run_folder import RunFolder
from tdl.web.library import Library
from tdl.web.server import ALWAYS


@dataclass(frozen=True)
class Target:
    """Something that is fuzzed.

    Attributes
    ----------
    share : how often it has its turn, against the others.
    needs : names of good files and folders (`good`): all are copied, one of them is changed.
    files : patterns of the files that are changed in a folder.
    read : reads the changed one, in a folder with all of them; beside it nothing may be touched.
    """

    share: int
    needs: tuple[str, ...]
    files: tuple[str, ...]
    read: Callable


TARGETS: dict[str, Target] = {}
"""All that is fuzzed, by name."""

RUNS = ("plain", "rich")
ALL = ("**/*",)
CHECKPOINT = ("checkpoint/*",) * 9 + ALL


def target(name, share, *needs, files=ALL):
    """Make a function a target."""

    def add(read):
        TARGETS[name] = Target(share, needs, files, read)
        return read

    return add


def _resumes(run, episodes):
    ends(f"resume={run}", f"episodes={episodes}", "evaluate.episodes=2")
    assert read_run(RunFolder(run))["episode"] >= 20, "it ended without a checkpoint"


def _bytes_in(folder, name):
    """The bytes of an array that the file of a checkpoint has."""
    path = folder / read_agent(folder)["arrays"][name]["file"]
    if path.suffix == ".npy":
        return np.load(path, allow_pickle=False).tobytes()
    return np.frombuffer(zlib.decompress(path.read_bytes()), np.uint8).reshape(2, -1).T.tobytes()


@target("load", 5, *RUNS, "packed", files=CHECKPOINT)
def _load(run, place, chance):
    folder = run / "checkpoint"
    if chance.random() < 0.2:
        tdl.average([folder, *(run / "kept").glob("0*")])
        return
    player, meta = tdl.load(folder, copy=chance.random() < 0.5), read_agent(folder)
    assert player.network.weights.tobytes() == _bytes_in(folder, "weights"), "other weights than the file has"
    assert player.network.describe() == meta["network"], "another network than the file's"
    assert json.loads(json.dumps(player.engine.rules.to_dict())) == meta["rules"], "other rules than the file's"
    assert player.gamma == meta["learner"]["gamma"], "another discount than the file's"
    player.evaluate(2)


COMMANDS = [
    "convert {run}/checkpoint {place}/out.w",
    "evaluate checkpoint={run} evaluate.episodes=2 hydra.run.dir={place}/games",
    "diff {place}/plain {place}/rich",
]


@target("command", 4, *RUNS, files=CHECKPOINT)
def _command(run, place, chance):
    words = chance.choice(COMMANDS).format(run=run, place=place).split()
    out = ends(*words, program=main).stdout
    assert all(line.isprintable() for line in out.replace("\t", " ").splitlines()), out


@target("resume", 2, *RUNS, files=CHECKPOINT)
def _resume(run, place, chance):
    if chance.random() < 0.5:
        read_run(RunFolder(run))
    else:
        _resumes(run, 30)


@target("trainer", 2, "saved")
def _trainer(folder, place, chance):
    trainer, meta = tdl.Trainer.load(folder), read_agent(folder)
    assert trainer.network.weights.tobytes() == _bytes_in(folder, "weights"), "other weights than the file has"
    assert (trainer.episode, trainer.moves) == (meta["episode"], meta["moves"])
    trainer.save(place / "again")
    again = tdl.Trainer.load(place / "again")
    assert [array.tobytes() for array in again.arrays().values()] == [a.tobytes() for a in trainer.arrays().values()]
    trainer.train(1)
    trainer.save(folder)


@target("deep", 2, "deep", files=CHECKPOINT)
def _deep(run, place, chance):
    if chance.random() < 0.5:
        _resumes(run, 24)
        return
    from tdl.dqn import dqn_player

    player = dqn_player.load(run / "checkpoint")
    weights = np.concatenate([values.detach().numpy().ravel() for values in player.network.parameters()])
    assert weights.tobytes() == _bytes_in(run / "checkpoint", "weights"), "other weights than the file has"
    assert np.isfinite(player.values([[2, 0, 0], [0, 4, 0]])).any()


@target("results", 3, *RUNS, files=("*.json", "*.csv", "*.npy"))
def _results(run, place, chance):
    read = chance.choice((tdl.results.runs, tdl.results.load, tdl.results.games, tdl.results.episodes, None))
    if read is None:
        json.dumps(Library(place).entries())
        return
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame = read(place)
    (other,) = {place / name for name in RUNS} - {run}
    assert str(other) in set(frame["run"]), "a good run was left out"
    left_out = [str(warning.message) for warning in caught if issubclass(warning.category, SkippedWarning)]
    assert len({*left_out}) == len(left_out), "named twice"
    if left_out:
        raise TdlError(left_out[0])


@target("report", 1, "swept", "plain")
def _report(folder, place, chance):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkippedWarning)
        ends("report", folder, program=main)
    page = Page((folder / "report.html").read_text())
    assert not {tag for tag, *_ in page.elements} & {"script", "iframe", "img", "object", "form"}, "more than text"
    assert "\x1b" not in (folder / "report.md").read_text()


LINES = ["match 1 open a:b", "match 1 evil move 10", "match 1 evil move 25", "match 1 play take turn",
         "match 1 play move 1", "match 1 close a"]  # fmt: skip


@target("match", 1, *RUNS, files=CHECKPOINT)
def _match(run, place, chance):
    lines = [line.encode() for line in LINES for _ in range(chance.choice((1, 1, 1, 2)))]
    text = b"".join((changed_bytes(line, chance) if chance.random() < 0.2 else line) + b"\n" for line in lines)
    text += chance.choice((b"", b"x" * 5000, b"\xff\n"))
    with mock.patch("sys.stdin", io.TextIOWrapper(io.BytesIO(text))):
        done = ends("match", f"checkpoint={run}", "game=2048", "tiles=p90_10", "play_name=a", program=main)
    complaints = done.stderr.splitlines()
    assert all(line.startswith("tdl: line ") and line.isprintable() for line in complaints), complaints
    assert all(line.startswith("match ") for line in done.stdout.splitlines())


@target("new", 1)
def _new(folder, place, chance):
    """A run, or a sweep, in a folder that somebody has prepared."""
    where = (f"hydra.run.dir={folder}",) if chance.random() < 0.7 else ("-m", "seed=0,1", f"hydra.sweep.dir={folder}")
    ends(*SMALL, "episodes=10", "evaluate.episodes=1", *where)


@target("game", 2, "game.jsonl")
def _game(path, place, chance):
    game_file.head(path)
    assert game_file.load(path).boards()


@target("weights", 2, "td.w", "tc.w", "demo.bin")
def _weights(path, place, chance):
    ends("convert", path, place / "out", program=main)
    tdl.load(place / "out")


@target("solved", 2, "solved")
def _solved(folder, place, chance):
    solved = solution.load(folder)
    solved.values_of(np.arange(1000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15))


@target("config", 3, "config.json")
def _config(path, place, chance):
    assert stored_setup(read_json(path)).rules.game in tdl.game.rules.GAMES


REQUESTS = [
    *((path, None) for path in ("/", "/page.js", "/api/start", "/api/library", "/api/curve?run=plain",
                                "/api/curve?run=../outside", "/api/curve?run=plain/../../outside",
                                "/api/curve?run=%2e%2e/outside", "/api/game?id=ID", "/api/game.jsonl?id=ID")),
    ("/api/new", {"checkpoint": "plain", "seed": 1, "plies": 2}),
    ("/api/new", {"game": "2584", "size": "2x3", "tiles": "p75_25", "seed": 3}),
    ("/api/move", {"id": "ID", "action": "left", "version": 0}),
    ("/api/step", {"id": "ID", "count": 5}),
    ("/api/undo", {"id": "ID", "count": 2}),
    ("/api/values", {"id": "ID", "plies": 2}),
    ("/api/new", {"checkpoint": "plain", "board": "1203 / 0000 / 0000 / 0001", "last_first": True}),
    ("/api/judge", {"checkpoint": "plain", "board": [[2, 2, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}),
    ("/api/judge", {"board": "2 4 . . / . . . .", "size": "2x4", "exponents": False}),
]  # fmt: skip
"""What is asked for, and what is posted there; ID stands for a game."""


@target("requests", 3, "plain")
def _requests(run, place, chance):
    """Some requests on one connection: every answer has its headers, an error is one line; then it still serves."""
    printed = io.StringIO()
    with contextlib.redirect_stderr(printed), serving(place) as server:
        client = Client(server)
        game = client.done("/api/new", size="4x4")["id"]
        data = b"".join(_request(server, game, chance) for _ in range(chance.choice((1, 1, 2, 5))))
        answers = answers_of(client.spoken(changed_bytes(data, chance) if chance.random() < 0.3 else data))
        client.done("/api/step", id=client.done("/api/new", size="2x2")["id"])
    assert not printed.getvalue(), printed.getvalue()
    assert all(b"nobody may touch this" not in body for _, _, body in answers), "it read what is not below its folder"
    errors = [_error_in(*answer) for answer in answers]
    if any(errors):
        raise TdlError(next(filter(None, errors)))


def _request(server, game, chance):
    path, data = chance.choice(REQUESTS)
    path, host = path.replace("ID", game), f"Host: 127.0.0.1:{server.port}"
    if data is None:
        return f"GET {path} HTTP/1.1\r\n{host}\r\n\r\n".encode()
    data = json.loads(json.dumps(data).replace("ID", game))
    body = json.dumps(changed_json(data, chance) if chance.random() < 0.5 else data).encode()
    heads = f"{host}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    return f"POST {path} HTTP/1.1\r\n{heads}\r\n\r\n".encode() + body


def _error_in(status, headers, body):
    """What an answer says that is an error; it is as it has to be."""
    assert status < 500 or status in (501, 503, 505), f"{status}: {body[:500]}"
    assert {name: headers.get(name) for name in ALWAYS} == ALWAYS
    if status == 200:
        return ""
    ((name, text),) = json.loads(body).items()
    assert (name, text.splitlines()) == ("error", [text]), "not one line"
    assert "Traceback" not in text
    return text


TEXTS = [value for value in NASTY if isinstance(value, str) and value.isprintable() and value]

FOLDERS = [b"\xff\xfe", b"\x1b[2J", b"a\nb", *(text.encode() for text in TEXTS if "/" not in text and len(text) < 200)]

TITLES = "[...document.querySelectorAll('.entry b')].map(each => each.textContent)"

ELEMENTS = "['script', 'img', 'iframe', 'object', 'embed', 'form'].map(tag => document.querySelectorAll(tag).length)"


@target("page", 1, "shown", files=("*.json", "*.csv", "*.npy"))
def _page(changed, place, chance):
    """Runs with such names and values in the browser: all of it is text."""
    for name in chance.sample(FOLDERS, 3):
        run = shutil.copytree(good("shown"), place / os.fsdecode(name))
        content = json.loads((run / "result.json").read_text())
        content["names"] = {key: chance.choice(TEXTS) for key in ("game", "tiles", "tuples", "learner")}
        content["config"]["size"] = chance.choice(TEXTS)
        (run / "result.json").write_text(json.dumps(content))
    watched = Watched()
    page = watched.page
    with serving(place) as server, contextlib.ExitStack() as stack:
        stack.callback(watched.close, server.url)
        page.goto(server.url)
        page.wait_for_selector(".entry, #error:not([hidden])")
        elements = page.evaluate(ELEMENTS)
        assert elements == [1, 1, 0, 0, 0, 3], f"more than text: {elements}"
        assert page.query_selector("#error:not([hidden])") is None, page.text_content("#error-text")
        assert page.evaluate(TITLES)[1:] == [entry["title"] for entry in Library(place).entries()]
        page.evaluate("for (const folded of document.querySelectorAll('details')) folded.open = true")
        chance.choice(page.query_selector_all(".entry")).click()
        page.wait_for_selector(".entry[aria-current=true], #error:not([hidden])")
        assert page.evaluate(ELEMENTS) == elements
