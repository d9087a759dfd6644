"""What the server reads: runs and checkpoints below its folder, the files of the page, and nothing else."""

import json
import re
import shutil
from pathlib import Path
from urllib.parse import quote

import numpy as np
import pytest
from support.programs import train
from support.web_server import Client, serves, serving

from tdl.players import kinds
from tdl.players.kinds import SMALL
from tdl.web.library import MAX_TEXT, Library
from tdl.web.site import PAGE


def test_the_list_names_runs_and_checkpoints(client):
    status, reply = client.get("/api/library")
    entries = {entry["name"]: entry for entry in reply["entries"]}
    assert (status, set(entries)) == (200, {"first", "sweep/small", SMALL})
    first = entries["first"]
    assert (first["game"], first["size"], first["episodes"], first["kind"]) == ("2048", "4x4", 100, "ntuple")
    assert (first["checkpoint"], first["curve"], first["mean"] > 0) == (True, True, True)
    assert (entries[SMALL]["game"], entries[SMALL]["size"], entries[SMALL]["plays"]) == ("2048", "4x4", True)
    assert entries["sweep/small"]["size"] == "2x3"


def test_entries_are_titled_by_what_those_of_their_folder_differ_in(folder, tmp_path):
    """A result that has not changed is not read again, but a new run beside it changes the title."""
    shutil.copytree(folder / "first", tmp_path / "sweep" / "one")
    shutil.copytree(folder / "sweep" / "small" / "checkpoint", tmp_path / "sweep" / "imported")
    library = Library(tmp_path)
    assert titles(library) == {"sweep/one": "custom, td, alpha 0.1, seed 0", "sweep/imported": "imported"}
    train(tmp_path / "sweep" / "two", "game=2584", "seed=3", "episodes=10")
    assert titles(library)["sweep/two"] == "2584, seed 3"
    games = {entry["name"]: entry["game"] for entry in library.entries()}
    assert (games["sweep/one"], games["sweep/two"]) == ("2048", "2584")


def test_those_that_can_play_come_first_and_the_best_on_top(folder, tmp_path):
    """By the mean score of a run's games, else by its best block; the newest is the last."""
    for name in ("good", "running", "weak", "bare", "broken"):
        shutil.copytree(folder / "first", tmp_path / name)
    for name, mean in (("good", 7000), ("weak", 4000), ("bare", 7100), ("broken", 7100)):
        result = json.loads((tmp_path / name / "result.json").read_text())
        result["evaluation"]["mean"] = mean
        (tmp_path / name / "result.json").write_text(json.dumps(result))
    (tmp_path / "running" / "result.json").unlink()
    (tmp_path / "running" / "blocks.csv").write_text("episode,mean,max\n100,3000,4000\n200,6000,9000\n300,5000,9000\n")
    (tmp_path / "broken" / "checkpoint" / "meta.json").write_text("{")
    shutil.rmtree(tmp_path / "bare" / "checkpoint")
    entries = Library(tmp_path).entries()
    assert [entry["name"] for entry in entries if entry["plays"]] == ["good", "running", "weak", SMALL]
    assert {entry["name"] for entry in entries[3:-1]} == {"bare", "broken"}
    assert [entry.get("block") for entry in entries[:3]] == [None, 6000, None]


def titles(library):
    return {entry["name"]: entry["title"] for entry in library.entries() if entry["name"] != SMALL}


def test_a_learning_curve_is_that_of_the_blocks(client, folder):
    status, reply = client.get("/api/curve?run=first")
    blocks = np.genfromtxt(folder / "first" / "blocks.csv", delimiter=",", names=True)
    assert status == 200
    for key in ("episode", "mean", "max"):
        assert reply[key] == pytest.approx(blocks[key].tolist())


def test_a_long_curve_is_thinned_to_its_ends(tmp_path):
    (tmp_path / "run").mkdir()
    rows = "".join(f"{1000 * i},{i},{i}\n" for i in range(1, 5001))
    (tmp_path / "run" / "blocks.csv").write_text("episode,mean,max\n" + rows)
    means = Library(tmp_path).curve("run")["mean"]
    assert len(means) <= 120
    assert (means[0], means[-1]) == (1, 5000)


def test_damaged_files_are_told_of_and_listed(folder, tmp_path):
    for name in ("first", "cut", "weights"):
        shutil.copytree(folder / "first", tmp_path / name)
    (tmp_path / "cut" / "checkpoint" / "meta.json").write_text('{"format": ')
    (tmp_path / "cut" / "result.json").write_text("{")
    (tmp_path / "cut" / "blocks.csv").write_text("nothing\n")
    (weights,) = (tmp_path / "weights" / "checkpoint").glob("weights*")
    weights.write_bytes(weights.read_bytes()[:-1])
    with serving(tmp_path) as server:
        client = Client(server)
        entries = {entry["name"]: entry for entry in client.get("/api/library")[1]["entries"]}
        assert "cut or corrupt" in entries["cut"]["error"]
        for name, telling in (("cut", "cut or corrupt"), ("weights", "cut: "), ("none", "no checkpoint here")):
            status, reply = client.post("/api/new", checkpoint=name)
            assert (status, telling in reply["error"]) == (400, True), reply
        assert client.get("/api/curve?run=cut")[0] == 400
        assert client.get("/api/curve?run=none")[0] == 404
        assert serves(client)


def test_values_of_any_kind_are_listed(folder, tmp_path):
    """A configuration has what somebody wrote: nothing of it is no JSON, and nothing fills the list."""
    shutil.copytree(folder / "first", tmp_path / "odd")
    path = tmp_path / "odd" / "result.json"
    result = json.loads(path.read_text())
    result["config"] |= {"size": float("nan"), "game": "x" * 10_000, "kind": [1]}
    path.write_text(json.dumps(result))
    (tmp_path / "odd" / "checkpoint" / "meta.json").unlink()
    entry, _ = Library(tmp_path).entries()
    assert "size" not in entry
    assert len(entry["game"]) == MAX_TEXT


def test_nothing_outside_the_folder_is_read(folder, tmp_path):
    place = tmp_path / "outputs"
    shutil.copytree(folder, place)
    shutil.copytree(folder.parent / "secret", tmp_path / "secret")
    (place / "inner").mkdir()
    (place / "link").symlink_to(tmp_path / "secret")
    (place / "inner" / "link").symlink_to(tmp_path / "secret", target_is_directory=True)
    (place / "loop").symlink_to(place / "loop")
    with serving(place) as server:
        client = Client(server)
        for name in (
            "../secret", "..", "/etc", "/", "first/../../secret", "first/checkpoint/../../../secret", "link",
            "inner/link", "loop", "first/\0", "a" * 5000,
        ):  # fmt: skip
            for status, reply in (
                client.post("/api/new", checkpoint=name), client.get(f"/api/curve?run={quote(name)}")
            ):  # fmt: skip
                assert status in (400, 403), reply
                assert "secret/" not in reply["error"].replace(name, "")
        assert {entry["name"] for entry in client.get("/api/library")[1]["entries"]} == {"first", "sweep/small", SMALL}
        assert serves(client)


def test_a_package_behind_a_link_has_its_network(tmp_path, monkeypatch):
    (tmp_path / "link").symlink_to(Path(kinds.__file__).parents[1])
    monkeypatch.setattr(kinds, "__file__", str(tmp_path / "link" / "players" / "kinds.py"))
    assert Library(tmp_path).checkpoint(SMALL)[1]["moves"] > 0


def test_links_within_a_checkpoint_do_not_lead_out(folder, tmp_path):
    """Whole checkpoints but for the one file that lies elsewhere."""
    (weights,) = (folder / "first" / "checkpoint").glob("weights*")
    for name, file in (("meta", "checkpoint/meta.json"), ("weights", f"checkpoint/{weights.name}"),
                       ("inner", "checkpoint"), ("curve", "blocks.csv")):  # fmt: skip
        shutil.copytree(folder / "first", tmp_path / name)
        target = tmp_path / name / file
        shutil.rmtree(target) if target.is_dir() else target.unlink()
        target.symlink_to(folder / "first" / file)
    with serving(tmp_path) as server:
        client = Client(server)
        for name in ("meta", "weights", "inner"):
            status, reply = client.post("/api/new", checkpoint=name)
            assert (status, "not below the folder" in reply["error"]) == (403, True)
        assert client.get("/api/curve?run=curve")[0] == 403
        assert client.done("/api/new", checkpoint="curve")


def test_files_are_those_of_the_page_only(client):
    for path in (
        "/../../etc/passwd", "/%2e%2e/etc/passwd", "/page/../server.py", "//etc/passwd", "/page.js/", "/api/",
        "/index.html", "/outputs",
    ):  # fmt: skip
        assert client.get(path) == (404, {"error": "nothing is served there"})


def test_the_page_asks_nobody_else(client):
    for path, (_, kind) in PAGE.items():
        status, headers, body = client.raw("GET", path)
        assert (status, headers["Content-Type"]) == (200, kind)
        assert {*headers["Content-Security-Policy"].split("; ")} >= {
            "default-src 'self'", "base-uri 'none'", "frame-ancestors 'none'", "require-trusted-types-for 'script'"
        }  # fmt: skip
        assert headers["X-Content-Type-Options"] == "nosniff"
        outside = set(re.findall(rb"(?:https?:)?//[\w.-]+\.\w+[^\s\"']*", body)) - {b"http://www.w3.org/2000/svg"}
        assert not outside, path
        assert b"eval(" not in body
