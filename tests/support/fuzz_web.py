"""The page and its server, attacked: requests changed at random, and runs whose names and values are no plain text."""

import contextlib
import io
import json
import os
import shutil
from urllib.parse import quote

from support.browser import Watched
from support.mutations import NASTY, changed_bytes, changed_json
from support.web_server import Client, answers_of, serving
from tdl.errors import TdlError
from tdl.web.library import Library
from tdl.web.server import ALWAYS

REQUESTS = [
    *((path, None) for path in ("/", "/page.js", "/api/start", "/api/library", "/api/curve?run=plain",
                                "/api/game.json?id=ID")),
    ("/api/new", {"checkpoint": "plain", "seed": 1, "plies": 2}),
    ("/api/new", {"game": "2584", "size": "2x3", "tiles": "p75_25", "seed": 3}),
    ("/api/move", {"id": "ID", "action": "left", "version": 0}),
    ("/api/step", {"id": "ID", "count": 5}),
    ("/api/undo", {"id": "ID", "count": 2}),
    ("/api/values", {"id": "ID", "plies": 2}),
    ("/api/judge", {"id": "ID", "board": [[2, 2, 0, 0], [4, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]}),
]  # fmt: skip
"""What is asked for, and what is posted there; ID stands for a game."""

NAMES = ["../outside", "..", "/etc", "plain/../../outside", "%2e%2e/outside", "plain/checkpoint", ".", "plain\0",
         "a" * 3000]  # fmt: skip
"""Of runs, in requests."""

HEADS = [
    ("Host", "evil.example"), ("Host", "127.0.0.1"), ("Host", ""), ("Origin", "http://evil.example"),
    ("Origin", "null"), ("Sec-Fetch-Site", "cross-site"), ("Transfer-Encoding", "chunked"), ("Content-Length", "0"),
    ("Content-Length", "-1"), ("Content-Length", "1e3"), ("Content-Length", "99999999999"), ("Content-Length", "7, 7"),
    ("Content-Type", "text/html"), ("Expect", "100-continue"), ("Connection", "close"), ("Connection", "Upgrade"),
    ("Upgrade", "websocket"), ("X", "x" * 20_000), ("Cookie", "a=b"), ("Range", "bytes=0-99999999999"),
]  # fmt: skip

ADDRESSES = ["http://[", "http://[/api/start", "*", "//evil.example/", "/\\..\\", "/%00", "/page.js%0d%0aX: y",
             "/?" + "&" * 9999]  # fmt: skip

METHODS = ["GET", "POST", "HEAD", "PUT", "OPTIONS", "TRACE", "get", "G" * 99]


def asked(place, chance):
    """Put some requests to a server of the folder, on one connection; then it still serves.

    Every answer has its headers, and an error is one line without a traceback.
    """
    told = io.StringIO()
    with contextlib.redirect_stderr(told), serving(place) as server:
        client = Client(server)
        game = client.done("/api/new", size="4x4")["id"]
        data = b"".join(_request(server, game, chance) for _ in range(chance.choice((1, 1, 2, 5))))
        if chance.random() < 0.2:
            data = changed_bytes(data, chance)
        if chance.random() < 0.1:
            data = data[: chance.randrange(len(data) + 1)]
        answers = answers_of(client.spoken(data))
        client.done("/api/step", id=client.done("/api/new", size="2x2")["id"])
    assert not told.getvalue(), told.getvalue()
    assert all(b"nobody may touch this" not in body for _, _, body in answers), "it read what is not below its folder"
    errors = [_checked(*answer) for answer in answers]
    if wrong := [error for error in errors if error]:
        raise TdlError(wrong[0])


def _request(server, game, chance):
    """A request, most often changed in one way or in several."""
    path, data = chance.choice(REQUESTS)
    path, method, body, heads = path.replace("ID", game), "GET", b"", [("Host", f"127.0.0.1:{server.port}")]
    if data is not None:
        data = json.loads(json.dumps(data).replace("ID", game))
        method, body = "POST", json.dumps(chance.choice((data, changed_json(data, chance)))).encode()
        heads += [("Content-Type", "application/json"), ("Content-Length", str(len(body)))]
    how = chance.randrange(9)
    if how == 0:
        method = chance.choice(METHODS)
    elif how == 1:
        path = chance.choice(ADDRESSES)
    elif how == 2:
        path = f"/api/curve?run={chance.choice((str, quote))(chance.choice(NAMES))}"
    elif how in (3, 4):
        name, value = chance.choice(HEADS)
        heads = [head for head in heads if how == 3 or head[0] != name]
        heads.insert(chance.randrange(len(heads) + 1), (name, value))
    elif how == 5:
        body = changed_bytes(body, chance)
    elif how == 6:
        heads += [(f"X{number}", "x") for number in range(chance.choice((1, 99, 200)))]
    lines = [f"{method} {path} HTTP/1.1", *(f"{name}: {value}" for name, value in heads)]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


def _checked(status, headers, body):
    """What an answer says that is an error; it is as it has to be."""
    assert status < 500 or status in (501, 503, 505), f"{status}: {body[:500]}"
    assert {name: headers.get(name) for name in ALWAYS} == ALWAYS
    if status == 200:
        return ""
    (name, text), *more = json.loads(body).items()
    assert (name, more) == ("error", [])
    assert text.splitlines() == [text], "not one line"
    assert "Traceback" not in text
    return text


FOLDERS = [
    b"<script>alert(1)<&#47;script>", b"<img src=x onerror=alert(1)>", b"javascript:alert(1)", b'"\' x=\'',
    b"\x1b[2J", b"a\nb", b"\xff\xfe", "\u202egnp.\u202d".encode(), b"%2e%2e", b"&lt;b&gt;", b"${oc.env:HOME}",
    b"{{7*7}}", b" ", b"x" * 200, b"$a$", b"__proto__", b"null",
]  # fmt: skip

TITLES = "[...document.querySelectorAll('.entry b')].map(each => each.textContent)"

ELEMENTS = "['script', 'img', 'iframe', 'object', 'embed', 'form'].map(tag => document.querySelectorAll(tag).length)"


def shown(place, chance, change):
    """Show a folder of runs with such names, and with such values, in the browser: all of it is text."""
    for name in chance.sample(FOLDERS, 3):
        run = place / os.fsdecode(name)
        shutil.copytree(place / "plain", run)
        path = run / "result.json"
        content = json.loads(path.read_text())
        content["names"] = {key: _text(chance) for key in ("game", "tiles", "tuples", "learner")}
        content["config"]["size"] = _text(chance)
        path.write_text(json.dumps(content))
    change(run)
    with serving(place) as server:
        watched = Watched()
        page = watched.page
        try:
            page.goto(server.url)
            page.wait_for_selector(".entry, #error:not([hidden])")
            elements = page.evaluate(ELEMENTS)
            assert elements == [1, 1, 0, 0, 0, 3], f"more than text: {elements}"
            assert page.query_selector("#error:not([hidden])") is None, page.text_content("#error-text")
            titles = [entry["title"] for entry in Library(place).entries()]
            assert page.evaluate(TITLES)[1:] == titles
            buttons = page.query_selector_all(".entry")
            chance.choice(buttons).click()
            page.wait_for_selector(".entry[aria-current=true], #error:not([hidden])")
            assert page.evaluate(ELEMENTS) == elements
        finally:
            watched.close(server.url)


def _text(chance):
    texts = [each for each in NASTY if isinstance(each, str) and each.isprintable() and each]
    return chance.choice(texts)
