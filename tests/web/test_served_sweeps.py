"""`GET /api/sweep`: the state of a sweep below the folder that is served, and of nothing else."""

import pytest
from support.swept_files import job, made_up
from support.web_server import Client, serving

from tdl.cli.serve import ServeOptions, site
from tdl.web import served_sweeps


@pytest.fixture
def outputs(tmp_path):
    """A sweep in the folder of outputs, and one beside it."""
    jobs = {f"s{seed}": {"alpha": 0.1, "seed": seed, "mean": 10 + seed} for seed in range(3)}
    made_up(tmp_path / "secret", "seed=range(0,3)", **jobs)
    made_up(tmp_path / "outputs" / "alpha", "seed=range(0,4)", **jobs)
    return tmp_path / "outputs"


def served(folder, **options):
    known = {"checkpoint": None, "host": "127.0.0.1", "port": 0, "sessions": 4, "seconds": 1.0, "open": False}
    return serving(site(ServeOptions(**known | {"folder": str(folder)} | options)))


def test_the_folder_of_a_sweep_begins_with_it(outputs):
    with served(outputs / "alpha") as server:
        client = Client(server)
        assert client.get("/api/start")[1]["sweep"] == "."
        status, state = client.get("/api/sweep")
        assert (status, state["prefix"], state["settings"][0]["mean"], state["jobs"]["waiting"]) == (200, "", 11, 1)
    with served(outputs / "alpha", checkpoint="tdl:small") as server:
        assert Client(server).get("/api/start")[1]["sweep"] is None


def test_sweeps_below_the_folder_are_listed_and_have_their_names(outputs):
    with served(outputs) as server:
        client = Client(server)
        assert client.get("/api/start")[1]["sweep"] is None
        assert client.get("/api/library")[1]["sweeps"] == ["alpha"]
        state = client.get("/api/sweep?sweep=alpha")[1]
        assert (state["folder"], state["name"], state["prefix"]) == ("alpha", "alpha", "alpha/")


def test_nothing_else_is_told(outputs):
    (outputs / "link").symlink_to(outputs.parent / "secret")
    made_up(outputs / "file")
    (outputs / "file" / "multirun.yaml").unlink()
    (outputs / "file" / "multirun.yaml").symlink_to(outputs.parent / "secret" / "multirun.yaml")
    made_up(outputs / "elsewhere", "seed=0", s={"alpha": 0.1, "mean": 3})
    (outputs / "elsewhere" / "s" / "elsewhere").write_text(f"{outputs.parent / 'secret' / 's0'}\n")
    with served(outputs) as server:
        client = Client(server)
        for name, status in (("", 404), ("?sweep=..", 403), ("?sweep=link", 403), ("?sweep=no", 404),
                             ("?sweep=file", 400), ("?sweep=tdl:small", 404),
                             ("?sweep=alpha/multirun.yaml", 404)):  # fmt: skip
            code, answer = client.get(f"/api/sweep{name}")
            assert (code, "secret" in str(answer)) == (status, False)
        state = client.get("/api/sweep?sweep=elsewhere")[1]
        assert state["settings"][0]["mean"] is None
        assert state["notes"][0].endswith("a link that leads out of the folder")


def test_an_answer_is_given_again_for_a_while(outputs, monkeypatch):
    with served(outputs / "alpha") as server:
        client = Client(server)
        assert client.get("/api/sweep")[1]["jobs"]["finished"] == 3
        job(outputs / "alpha" / "s3", 0.1, seed=3, mean=20)
        monkeypatch.setattr(served_sweeps, "FRESH", 60.0)
        assert client.get("/api/sweep")[1]["jobs"]["finished"] == 3
        monkeypatch.setattr(served_sweeps, "FRESH", 0.0)
        assert client.get("/api/sweep")[1]["jobs"]["finished"] == 4
