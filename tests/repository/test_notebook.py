"""The notebook of experiments/ runs from the first cell to the last, as it stands, and shows its pictures."""

import json
from pathlib import Path

import matplotlib

NOTEBOOK = Path(__file__).parents[2] / "experiments" / "analysis.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def test_every_cell_runs(tmp_path, monkeypatch):
    """With fewer games; each cell's last expression is evaluated as a notebook does."""
    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for cell in CELLS:
        source = "".join(cell["source"]).replace("episodes=2000", "episodes=100")
        exec(source.replace('"block=200"', '"block=20", "evaluate.episodes=20"'), names)
    from matplotlib import pyplot as plt

    assert names["table"]["status"].tolist() == ["finished"] * 18
    assert names["keys"] == ["alpha", "tuples"]
    assert plt.get_fignums()
    plt.close("all")


def test_its_pictures_are_stored():
    outputs = [output for cell in CELLS for output in cell["outputs"]]
    assert sum("image/png" in output.get("data", {}) for output in outputs) == 2
    assert not [output for output in outputs if output["output_type"] == "error"]
