"""The benchmark of the page's server counts rightly; its speeds are not judged here."""

from support.programs import train

from tdl.benchmarks.server import server_figures, server_of, text
from tdl.web.server import in_background


def test_the_figures_of_the_server(tmp_path):
    run = train(tmp_path / "run", "tuples=2x4", "episodes=50")
    with in_background(server_of(str(run))) as server:
        figures = server_figures(server, rounds=2, seconds=0.05, values=3)
    assert len(figures["first_board"]) == 2
    assert 0 < figures["values_ms"]["median"] <= figures["values_ms"]["largest"]
    assert figures["moves_per_second"] > 0
    (line, cpu) = text({**figures, "browser": None, "cpu": "a CPU"}).splitlines()
    assert line.startswith("server: first board in ")
    assert cpu == "a CPU"
    shown = {"first_board": [0.1, 0.3, 0.2], "moves_per_second": 59.96}
    assert "first board in 200 ms; 60.0 boards/s" in text({**figures, "browser": shown, "cpu": "a CPU"})
