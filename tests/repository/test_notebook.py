"""The notebook of experiments/ runs from the first cell to the last, as it stands."""

import json
from pathlib import Path

import matplotlib

NOTEBOOK = Path(__file__).parents[2] / "experiments" / "analysis.ipynb"
CELLS = json.loads(NOTEBOOK.read_text())["cells"]


def test_every_cell_runs(tmp_path, monkeypatch):
    """With fewer games; each cell's last expression is evaluated as a notebook does."""
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in CELLS:
        if cell["cell_type"] == "code":
            source = "".join(cell["source"])
            for many, few in (
                ("episodes=2000", "episodes=100"),
                ('"block=200"', '"block=20", "evaluate.episodes=20"'),
            ):
                source = source.replace(many, few)
            exec(compile(source, NOTEBOOK.name, "exec"), names)
    from matplotlib import pyplot as plt

    assert len(names["table"]) == 18
    assert (names["table"]["status"] == "finished").all()
    assert names["keys"] == ["alpha", "tuples"]
    assert len(plt.get_fignums()) >= 1
    plt.close("all")


def test_its_pictures_are_stored():
    """A reader on the web sees them."""
    outputs = [output for cell in CELLS if cell["cell_type"] == "code" for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert not [output for output in outputs if output["output_type"] == "error"]
