"""Logs of another program become peers.csv, or are refused.

Trusts `data/tdl2048_tc5.log`, which TDL2048+ printed: 2,000 games of training, 1,000 after it, 1,000 more of training,
and 20 games of two plies.
"""

from pathlib import Path

import pandas as pd
import pytest

from experiments.tools.peers import LogError, main, read, rows_of

LOG = Path(__file__).parents[1] / "data" / "tdl2048_tc5.log"
WORDS = "-s 7 -n 4x6patt -a 1.0 -l 0.5 -t 2x1000 -e 1x1000 -t 1x1000 -e 1x20 search=2p"


def test_a_row_has_the_command_the_setting_and_the_figures():
    """Means are of the thousand games that end there, moves and seconds of all so far, without the games between."""
    (row,) = rows_of(LOG, ["tuples", "learner.order"], ends=[1000, 2000])
    assert (row["revision"], row["command"], row["seed"]) == ("a99f620", f"2048 {WORDS}", 7)
    assert (row["tuples"], row["learner.order"]) == ("4x6", "backward")
    assert (row["mean_1k"], row["mean_2k"], row["seconds_2k"]) == (10234, 20514, 0.560 + 1.105)
    assert row["moves_2k"] == round(1128917.86 * 0.560) + round(1029379.19 * 1.105)
    assert row["moves"] == row["moves_2k"] + round(1106101.62 * 1.358)
    assert "greedy_mean" not in row  # the last games were not of one ply


def test_games_after_training_are_those_of_the_end():
    (row,) = rows_of(LOG, [], ends=[2000], until=2000)
    assert (row["episodes"], row["moves"], row["max_2k"]) == (2000, row["moves_2k"], 62196)
    assert (row["greedy_games"], row["greedy_mean"], row["greedy_max"]) == (1000, 24653, 77696)
    assert [row[f"reach_{tile}"] for tile in (2048, 4096, 8192)] == [0.487, 0.048, 0]
    (row,) = rows_of(LOG, ["evaluate.plies"], ends=[2000])
    assert (row["evaluate.plies"], row["greedy_games"], row["greedy_mean"]) == (2, 20, 56192)
    with pytest.raises(LogError, match="no block that ends with game 5000"):
        rows_of(LOG, [], ends=[], until=5000)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("002/002 1105ms", "gone", "cut, .* optimize: 2x1000"),
        ("8192         1  112396", "gone", "cut, .* evaluate: 1x20"),
        ("evaluate: 1x20 search=2p info", "", "cut, or of another program"),
        ("TDL2048+ by", "another by", "cut, or of another program"),
        ("optimize: 1x1000", "optimize: 1x100", "cut, or not in blocks of 1,000 games: optimize: 1x100"),
        ("TDL2048+ by", "# finished= 137\nTDL2048+ by", "the program ended with 137"),
    ],
)
def test_a_log_that_is_cut_or_of_a_program_that_failed_is_refused(tmp_path, old, new, told):
    log = tmp_path / "some.log"
    log.write_text(LOG.read_text().replace(old, new))
    with pytest.raises(LogError, match=rf"some\.log: {told}"):
        read(log)


def test_the_file_has_the_keys_and_blocks_of_the_experiment(tmp_path):
    """In the order of the seeds; other notes in a log are left out."""
    other = tmp_path / "other.log"
    other.write_text(f"# 2048 -s 6\n{LOG.read_text().replace('-s 7', '-s 6')}# finished= 0\n")
    main("tuple_sets/features", str(LOG), str(other), f"into={tmp_path}")  # with 2,000 games, but not with 3,000
    rows = pd.read_csv(tmp_path / "peers.csv")
    assert list(rows.columns[:5]) == ["program", "revision", "command", "tuples", "seed"]
    assert rows["seed"].tolist() == [6, 7]
    assert ("mean_2k" in rows, "max_3k" in rows) == (True, False)
