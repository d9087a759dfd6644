"""The file of the page that needs no server: what it holds, and what has no such page."""

import base64
import hashlib
import json
import re
import zlib

import numpy as np
import pytest
from support.programs import train

import tdl
from tdl.errors import ConfigError
from tdl.formats.compact import rounded
from tdl.network.stages import Stages
from tdl.players.player import Player, load
from tdl.web import exported_page
from tdl.web.exported_page import export, page_of

RULES = tdl.Rules(rows=2, cols=3)


def player_of(weight=0.0, tuples=((0, 1),), rules=RULES, **keywords):
    network = tdl.NTupleNetwork(rules, tdl.TupleSet(tuples), **keywords)
    network.weights[:] = weight
    return Player(network)


def block(text, name):
    """The content of an element of the head."""
    return re.search(rf"<(?:script|style)[^>]*{name}>([^<]*)</", text)[1]


def test_a_run_becomes_a_page_with_its_tables_in_natural_order(tmp_path):
    train(tmp_path / "run<1>", "size=2x3", "tuples.board=2x3", "tuples.cells=[[0,1,3],[1,2]]", "episodes=20",
          "evaluate.episodes=0")  # fmt: skip
    line = export(tmp_path / "run<1>", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert line == (f"{tmp_path / 'page.html'}: {len(text) / 1e6:.1f} MB, opens in a browser without a server; "
                    "weights are rounded to half precision, and values are those of these")  # fmt: skip
    network = load(tmp_path / "run<1>").network
    planes = np.frombuffer(zlib.decompress(base64.b64decode(block(text, 'id="weights"'))), np.uint8).reshape(2, -1)
    expected = np.concatenate([network.table(number) for number in range(2)]).astype("<f2")
    assert np.array_equal(np.ascontiguousarray(planes.T).view("<f2").ravel(), expected)
    described = json.loads(block(text, 'id="player"'))
    assert described["name"] == "run<1>"
    assert described["record"]["checkpoint"] == "null"  # the values of its games are not the checkpoint's
    same, exact = page_of(Player(rounded(network)), "run<1>", "digest")
    assert exact
    assert block(same, 'id="weights"') == block(text, 'id="weights"')
    assert json.loads(block(same, 'id="player"'))["record"]["checkpoint"] == '"digest"'


def test_the_page_asks_for_nothing_and_runs_only_what_is_in_it():
    text, _ = page_of(player_of(0.5), "small")
    assert not re.search(r'(?:src|href)="(?!data:|#|/api/game.jsonl)', text)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    assert policy.startswith("default-src 'none'; script-src data: 'sha256-")
    assert not [name for name in json.loads(block(text, 'type="importmap"'))["imports"] if "sweep" in name]
    inline = [block(text, f'type="{kind}"') for kind in ("importmap", "module")] + [block(text, "")]
    hashes = [base64.b64encode(hashlib.sha256(part.encode()).digest()).decode() for part in inline]
    assert re.findall("sha256-([^']*)'", policy) == hashes
    modules = json.loads(inline[0])["imports"]
    for address in modules.values():
        script = base64.b64decode(address.partition("base64,")[2]).decode()
        assert set(re.findall(r'from "([^"]*)"', script)) <= modules.keys()


@pytest.mark.parametrize(
    ("player", "message"),
    [
        (player_of(1e5), "weights[0]: 100000.0 is not allowed; expected at most 65,504, the largest half"),
        (player_of(stages=Stages((16,), downgrade=3)),
         "learner.stage_downgrade: 3 is not allowed; expected null: what is exported reads boards as they are"),
        (player_of(tuples=[[0, 1, 2, 3]]), "tuples: 65,536 weights; expected at most 10,000 in a page"),
    ],
    ids=["half", "downgrade", "size"],
)  # fmt: skip
def test_what_has_no_page(player, message, monkeypatch):
    monkeypatch.setattr(exported_page, "MAX_WEIGHTS", 10_000)
    with pytest.raises(ConfigError) as error:
        page_of(player, "small")
    assert str(error.value) == message
