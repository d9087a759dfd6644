"""Runs of another program beside ours: its logs become peers.csv, or are refused; tables and figures show them.

Trusts `data/tdl2048_tc5.log`, which TDL2048+ printed: 2,000 games of training, 1,000 after it, 1,000 more of training,
and 20 games of two plies.
"""

import re
from pathlib import Path

import pandas as pd
import pytest

from tdl.statistics.intervals import mean_interval

ROOT = Path(__file__).parents[2]
LOG = ROOT / "tests" / "data" / "tdl2048_tc5.log"


@pytest.fixture(autouse=True)
def _tools(monkeypatch):
    monkeypatch.syspath_prepend(ROOT)


def test_a_log_has_the_command_and_the_setting_by_our_keys():
    from experiments.tools.peers import read

    run = read(LOG)
    words = "-s 7 -n 4x6patt -a 1.0 -l 0.5 -t 2x1000 -e 1x1000 -t 1x1000 -e 1x20 search=2p"
    assert (run.revision, run.command, run.seed) == ("a99f620", f"2048 {words}", 7)
    assert run.setting == {
        "tuples": "4x6", "learner": "tc", "alpha": 1.0, "learner.order": "backward", "learner.td_lambda": 0.5
    }  # fmt: skip


def test_a_part_that_says_its_words_once_more_is_the_same(tmp_path):
    from experiments.tools.peers import read

    again = "optimize: 2x1000 mode=lambda alpha=1.0 lambda=0.5 make=4x6patt what=optimize: 2x1000 mode=lambda"
    (tmp_path / "log").write_text(LOG.read_text().replace("optimize: 2x1000 mode=lambda", again))
    assert read(tmp_path / "log") == read(LOG)


def test_a_mean_is_of_the_thousand_games_that_end_there():
    """Not of all so far, as the lines `total` are; moves and seconds are of all so far, without the games between."""
    from experiments.tools.peers import read, rows_of

    (row,) = rows_of(read(LOG), ["learner.order"])
    assert (row["learner.order"], row["seed"], row["episodes"]) == ("backward", 7, 3000)
    assert (row["mean_1k"], row["mean_2k"]) == (10234, 20514)
    assert row["seconds_2k"] == 0.560 + 1.105
    assert row["moves_2k"] == round(1128917.86 * 0.560) + round(1029379.19 * 1.105)
    assert row["moves"] == row["moves_2k"] + round(1106101.62 * 1.358)
    assert (row["max_3k"], row["reach_2048_3k"]) == (80528, 0.618)
    assert "greedy_mean" not in row  # the last games were not of one ply


def test_games_after_training_are_those_of_the_end():
    from experiments.tools.peers import read, rows_of

    (row,) = rows_of(read(LOG), [], until=2000)
    assert (row["episodes"], row["moves"]) == (2000, row["moves_2k"])
    assert (row["greedy_games"], row["greedy_mean"], row["greedy_max"]) == (1000, 24653, 77696)
    assert [row[f"reach_{tile}"] for tile in (2048, 4096, 8192)] == [0.487, 0.048, 0]
    (row,) = rows_of(read(LOG), ["evaluate.plies"])
    assert (row["evaluate.plies"], row["greedy_games"], row["greedy_mean"]) == (2, 20, 56192)
    assert "mean_1k" not in row


def test_games_after_training_may_come_in_blocks(tmp_path):
    """Their mean is that of the summary, not of the first block."""
    from experiments.tools.peers import read, rows_of

    text = LOG.read_text().replace("-e 1x1000", "-e 2x500").replace("evaluate: 1x1000", "evaluate: 2x500")
    first = re.search(r"evaluate: 2x500.*?\n\n(\d+/\d+ .*?\n)(local: .*?\n)", text, re.S)
    text = text.replace(first[0], first[0] + first[1] + first[2].replace("avg=24653", "avg=1"), 1)
    (tmp_path / "log").write_text(text)
    (row,) = rows_of(read(tmp_path / "log"), [], until=2000)
    assert (row["greedy_games"], row["greedy_mean"], row["greedy_max"]) == (1000, 24653, 77696)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("002/002 1105ms", "gone", "cut: 1 of 2 blocks of optimize: 2x1000"),
        ("8192         1  112396", "gone", "cut: no summary of all games of evaluate: 1x20"),
        ("evaluate: 1x20 search=2p info", "", "cut: not all parts of the command are there"),
        ("TDL2048+ by", "another by", "does not begin as what TDL2048. prints"),
        ("-n 4x6patt", "-n 5x6patt", "unknown setting -n 5x6patt"),
        ("-n 4x6patt", "", "no -n in its command"),
        ("-s 7", "-s 7 -p 4", "unknown words -p 4"),
        ("mode=lambda", "mode=lambda-forward", "unknown setting .* mode=lambda"),
        ("mode=lambda", "mode=backward", "unknown setting .* mode=backward"),
        ("optimize: 1x1000", "optimize: 1x100", "blocks of 100 games; ours are of 1,000"),
    ],
)
def test_a_log_that_is_cut_or_unknown_is_refused_by_name(tmp_path, old, new, told):
    from experiments.tools.peers import LogError, read

    log = tmp_path / "some.log"
    log.write_text(LOG.read_text().replace(old, new))
    with pytest.raises(LogError, match=rf"some\.log: {told}"):
        read(log)


def test_a_program_that_failed_is_refused_and_other_notes_are_left_out(tmp_path):
    from experiments.tools.peers import LogError, read

    log = tmp_path / "some.log"
    log.write_text(f"# 2048 -s 7\n{LOG.read_text()}# finished= 0\n")
    assert read(log) == read(LOG)
    log.write_text(LOG.read_text() + "# finished= 137\n")
    with pytest.raises(LogError, match=r"some\.log: the program ended with 137"):
        read(log)


def test_logs_of_one_file_differ_in_the_seed_and_in_what_is_compared(tmp_path):
    from experiments.tools.peers import LogError, table

    other = tmp_path / "other.log"
    other.write_text(LOG.read_text().replace("-s 7", "-s 6"))
    assert table([LOG, other], [])["seed"].tolist() == [6, 7]
    with pytest.raises(LogError, match=r"tdl2048_tc5\.log: has the setting and seed of .*tdl2048_tc5\.log"):
        table([LOG, LOG.parent / ".." / "data" / LOG.name], [])
    other.write_text(LOG.read_text().replace("-s 7", "-s 6").replace("-n 4x6patt", "-n 8x6patt"))
    assert table([LOG, other], ["tuples"])["tuples"].tolist() == ["4x6", "8x6"]
    with pytest.raises(LogError, match=r"other\.log: has another tuples than"):
        table([LOG, other], [])
    with pytest.raises(LogError, match="no block that ends with game 5000"):
        table([LOG], [], until=5000)


def test_the_file_has_the_keys_and_blocks_of_the_experiment(tmp_path):
    from experiments.tools import peers

    peers.main("plies", str(LOG), f"into={tmp_path}")
    begin = ["program", "revision", "command"]
    assert list(pd.read_csv(tmp_path / "peers.csv").columns[:5]) == [*begin, "evaluate.plies", "seed"]
    peers.main("tuple_sets/features", str(LOG), f"into={tmp_path}")  # whose results.csv has 2,000 games, but not 3,000
    rows = pd.read_csv(tmp_path / "peers.csv")
    assert list(rows.columns[:5]) == [*begin, "tuples", "seed"]
    assert "mean_2k" in rows
    assert "max_3k" not in rows


OURS = pd.DataFrame({"alpha": [0.1, 0.1, 0.5, 0.5], "seed": [0, 1] * 2, "mean_1k": [1010.0, 1040, 3000, 3400]})
THEIRS = pd.DataFrame(
    {"program": "P", "command": "p", "alpha": [0.1] * 3 + [0.7], "seed": [1, 2, 3, 1], "mean_1k": [1000, 1020, 980, 5]}
)


def test_a_figure_marks_their_means(tmp_path):
    from experiments.tools import figures

    folder = tmp_path / "one"
    folder.mkdir()
    (tmp_path / "index.yaml").write_text("one: {}")
    OURS.assign(mean_2k=7.0, greedy_mean=OURS["mean_1k"]).to_csv(folder / "results.csv", index=False)
    THEIRS.assign(greedy_mean=THEIRS["mean_1k"]).to_csv(folder / "peers.csv", index=False)
    drawn = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(figures, "save", lambda figure, path, caption: drawn.append(figure))
        caption = figures.draw_results(folder, tmp_path)
    low, high = mean_interval(THEIRS["mean_1k"].to_numpy(float)[:3])
    for axes in drawn[0].axes:
        (bar,) = [bar for bar in axes.containers if bar.lines[0].get_marker() == "D"]
        assert bar.lines[0].get_ydata().tolist() == [1000]
        assert bar.lines[2][0].get_segments()[0][:, 1].tolist() == [pytest.approx(low), pytest.approx(high)]
        assert axes.get_ylim()[1] > high
    assert caption.endswith("Diamonds: means of P over its seeds, with 95% intervals.")
