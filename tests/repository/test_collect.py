"""The tools that turn folders of runs, or logs of another program, into csv files, held against these files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.programs import blocks_of, go_on, inside, learned, result, train

import tdl.results
from experiments.tools import branch, chains, collect, curve, peers, training_means, variants
from experiments.tools.runs import summary
from tdl.cli.evaluate import main as evaluate

LOG = Path(__file__).parents[1] / "data" / "tdl2048_tc5.log"
"""What TDL2048+ printed: 2,000 games of training, 1,000 after it, 1,000 more of training, 20 games of two plies."""


def judge(checkpoint, folder, *words):
    """Games of a network, in a folder."""
    done = inside(f"checkpoint={checkpoint}", *words, f"hydra.run.dir={folder}", program=evaluate)
    assert done.returncode == 0, done.stderr


def made(main, *words, into):
    """The results.csv that a tool makes; its figure is drawn, too."""
    main("one", *map(str, words), f"into={into}")
    assert (into / "figure.png").stat().st_size > 10_000
    return pd.read_csv(into / "results.csv")


def test_collected_figures_are_those_of_the_runs(tmp_path):
    """Also of evaluations, whose seed and moves are those of the training of the network."""
    runs, played = tmp_path / "runs", tmp_path / "played"
    for alpha, seed in ((0.1, 3), (0.1, 4), (0.3, 3), (0.3, 4)):
        words = (f"alpha={alpha}", f"seed={seed}", "episodes=2000", "block=1000", "save.keep=1")
        train(runs / f"{alpha}_{seed}", *words)
    table = made(collect.main, runs, into=tmp_path / "out")
    assert list(table.columns[:2]) == ["alpha", "seed"]
    assert list(table["seed"]) == [3, 4, 3, 4]
    row, blocks, games = table.iloc[3], blocks_of(runs / "0.3_4"), tdl.results.episodes(runs / "0.3_4")
    assert row[["mean_1k", "mean_2k"]].tolist() == pytest.approx(blocks["mean"].tolist(), abs=0.051)
    half = 1.96 * games.query("1000 < episode <= 2000")["score"].std() / 1000**0.5
    assert row["mean_2k_high"] - row["mean_2k"] == pytest.approx(half, rel=1e-3)
    assert row["reach_256_2k"] == pytest.approx(blocks["reach_256"].iloc[1])
    assert row["moves_2k"] == blocks["moves"].sum() == row["moves"]
    assert row["greedy_mean"] == pytest.approx(tdl.results.games(runs / "0.3_4")["score"].mean(), abs=0.051)
    assert row["greedy_mean_low"] < row["greedy_mean"] < row["greedy_mean_high"]
    judge(runs / "0.1_4", played, "evaluate.episodes=20")
    both = made(collect.main, played, runs / "0.1_4", "by=evaluate.plies", into=tmp_path / "two")
    assert list(both["seed"]) == [4, 4]
    assert set(both["moves"]) == {table["moves"].iloc[1]}
    assert sorted(both["games"]) == [5, 20]


def test_evaluations_have_the_stages_of_their_networks(tmp_path):
    staged = ("learner.stages=[500]", "learner.stage_by=sum", "learner.stage_downgrade=6")
    train(tmp_path / "staged", "episodes=40", "block=20", "evaluate.episodes=4", *staged)
    judge(tmp_path / "staged", tmp_path / "games", "evaluate.episodes=5", "evaluate.plies=2")
    keys = ["learner.stages", "learner.stage_downgrade", "evaluate.plies"]
    table = made(collect.main, tmp_path, f"by={','.join(keys)}", into=tmp_path)
    assert sorted(table[[*keys, "games"]].to_numpy().tolist()) == [["[500]", 6, 1, 4], ["[500]", 6, 2, 5]]


def test_rates_of_games_never_played_are_unknown_and_of_tiles_never_made_zero(tmp_path):
    words = ("episodes=2000", "block=1000", "alpha=0.1")
    train(tmp_path / "runs" / "played", *words, "evaluate.episodes=50")
    train(tmp_path / "runs" / "never", *words, "evaluate.episodes=0", "seed=1")
    rates = made(collect.main, tmp_path / "runs", "by=alpha", into=tmp_path).filter(regex=r"^reach_\d+(_low|_high)?$")
    assert rates.shape[1] > 3
    assert rates.isna().all(axis=1).tolist() == [False, True]
    same = {"episodes": 1000, "moves": 10, "seconds": 1.0, "moves_per_second": 10.0}
    runs = pd.DataFrame({"run": ["a", "b", "c"], "seed": [0, 1, 2], "status": "finished", **same})
    blocks = pd.DataFrame({"run": ["a", "b"], "episode": 1000, "mean": 9.0, "max": 9, "moves": 10, "seconds": 1.0})
    table = summary(runs, blocks.assign(reach_64=[0.5, np.nan]), [])  # no block of c is known
    assert table["reach_64_1k"].fillna(-1).tolist() == [0.5, 0, -1]


def test_a_row_of_a_curve_has_what_trained_the_network_and_its_games(tmp_path):
    words = ("episodes=1000", "block=20", "budget.moves=9000", "save.moves=[3000]", "evaluate.episodes=4")
    folders = [train(tmp_path / f"run{seed}", *words, f"seed={seed}") for seed in (1, 2)]
    for seed, folder in enumerate(folders, 1):
        kept = next((folder / "kept").iterdir())
        judge(kept, tmp_path / "games" / str(seed), "evaluate.episodes=3", "evaluate.plies=2")
    rows = made(curve.main, tmp_path, into=tmp_path / "made")
    assert rows[["plies", "seed", "games"]].to_numpy().tolist() == [[1, 1, 4], [1, 2, 4], [2, 1, 3], [2, 2, 3]]
    assert rows["moves"][2] < rows["moves"][0]
    for row, folder in zip(rows.to_dict("records"), folders * 2, strict=True):
        trained = blocks_of(folder).query(f"episode <= {row['episodes']}")
        assert row["moves"] == trained["moves"].sum()
        assert row["core_seconds"] == pytest.approx(trained["seconds"].sum(), abs=0.001)
        assert str(row["budget"]) == str(row["moves"])[0].ljust(len(str(row["moves"])), "0")


def test_what_trained_the_network_of_init_counts(tmp_path):
    """Also that of an init of an init. The folders are numbers, which are no names of checkpoints."""
    words = ("game=2584", "episodes=60", "block=20", "save.every=20", "save.keep=9", "evaluate.episodes=4")
    first = train(tmp_path / "1", *words)
    second = train(tmp_path / "2", f"init={first}", *words, "learner.start=milestone", "seed=7")
    third = train(tmp_path / "3", f"init={sorted((second / 'kept').iterdir())[1]}", *words)
    rows = curve.rows_of([str(second), str(third)]).set_index("start")
    assert list(rows.filter(regex="^reach_")) == [f"reach_{tile}" for tile in curve.TILES["2584"]]
    assert rows[["episodes", "seed"]].to_dict("index") == {
        "milestone": {"episodes": 60 + 60, "seed": 7},
        "empty": {"episodes": 60 + 40 + 60, "seed": 0},
    }
    spent = {"milestone": [blocks_of(first), blocks_of(second)]}
    spent["empty"] = [blocks_of(first), blocks_of(second)[:2], blocks_of(third)]
    for start, blocks in spent.items():
        total = pd.concat(blocks)[["moves", "seconds"]].sum()
        assert rows.loc[start, "moves"] == total["moves"]
        assert rows.loc[start, "core_seconds"] == pytest.approx(total["seconds"], abs=0.002)


def test_variants_are_called_by_what_they_change(tmp_path):
    words = ("episodes=20", "learner=tc", "save.keep=1", "evaluate.episodes=5")
    changes = {
        "base": (), "radix=12": ("tuples.radix=12",), "stages=[64]": ("learner.stages=[64]",),
        "start=carousel stages=[64]": ("learner.stages=[64]", "learner.start=carousel"),
    }  # fmt: skip
    for seed in (0, 1):
        for number, more in enumerate(changes.values()):
            train(tmp_path / str(number) / str(seed), *words, *more, f"seed={seed}")
        judge(tmp_path / "0" / str(seed), tmp_path / "plies" / str(seed), "evaluate.plies=2", "evaluate.episodes=5")
    folders = [tmp_path / str(name) for name in [*range(len(changes)), "plies"]]
    rows = made(variants.main, *folders, into=tmp_path / "out")
    assert rows["variant"].iloc[0] == "base"
    assert sorted(rows["variant"].unique()) == sorted([*changes, "plies=2"])
    assert rows["seed"].tolist() == [0, 1] * 5
    assert set(rows[rows["networks"] == "base"]["variant"]) == {"base", "plies=2"}
    found = pd.read_csv(tmp_path / "out" / "differences.csv")
    assert sorted(found["setting"].iloc[:-1]) == sorted([*changes, "plies=2"])[1:]
    assert found["less"].tolist() == ["base"] * 4 + ["stages=[64]"]
    assert found.query("interval == 'pairs'")["setting"].tolist() == ["plies=2"]


def test_a_branch_has_the_bits_of_a_run_of_its_budget(tmp_path):
    words = ("episodes=1000", "learner=tc", "seed=2", "learner.schedule=[20:0.6,50%:0.3,80%:0.1]")
    whole = train(tmp_path / "whole", *words, "budget.moves=6000")
    long = train(tmp_path / "long", *words, "budget.moves=20000", "save.moves=[3000]")
    episode = next(int(folder.name) for folder in (long / "kept").iterdir())
    branch.main(str(long), str(episode), str(tmp_path / "branch"))
    short = go_on(tmp_path / "branch", "budget.moves=6000")
    assert learned(short) == learned(whole) != learned(long)
    assert list(blocks_of(short)["mean"]) == list(blocks_of(whole)["mean"])
    assert result(short)["episodes"] == result(whole)["episodes"]
    with pytest.raises(SystemExit, match=f"keeps no checkpoint of episode 7; kept are: {episode}"):
        branch.main(str(long), "7", str(tmp_path / "other"))
    with pytest.raises(SystemExit, match="is there already"):
        branch.main(str(long), str(episode), str(short))


def test_training_means_hold_the_games_of_their_moves(tmp_path):
    run = train(tmp_path / "run", "episodes=400", "block=30", "evaluate.episodes=0", "seed=3")
    every = int(blocks_of(run)["moves"].sum() // 3)
    training_means.main(str(run), f"every={every}", f"into={tmp_path / 'all.csv'}")
    rows, games, first = pd.read_csv(tmp_path / "all.csv"), tdl.results.episodes(run), 0
    assert (rows["moves"].iloc[:-1] <= every * pd.RangeIndex(1, len(rows))).all()
    for row in rows.to_dict("records"):
        part = games.query(f"{first} <= episode < {row['episode']}")
        assert (row["mean"], row["reach_16384"]) == (pytest.approx(part["score"].mean(), abs=0.051), 0)
        first = row["episode"]
        assert row["moves"] == games.query(f"episode < {first}")["moves"].sum()
    training_means.main(str(run), f"every={every}", f"since={every}", f"into={tmp_path / 'some.csv'}")
    assert len(pd.read_csv(tmp_path / "some.csv")) == (rows["moves"] >= every).sum()


def test_games_that_go_on_are_counted_by_their_chains():
    """All merges to one of the ten tiles from 4 to 2048 are worth 2048 together; a dropped 4 spares one."""
    assert chains.score_of((2048,)) == pytest.approx(10 * 2048 - 4 * 0.1 * 2048 / 2.2)
    first, second = chains.score_of((2048,)), chains.score_of((2048, 1024))
    assert second - first == pytest.approx(chains.score_of((1024,)))
    table = chains.table(np.array([0, first - 1, first, first + 1, second, second + 1]))
    assert list(table["games"][:3]) == [4, 2, 0]
    assert table["reach_next"][:3].fillna(-1).tolist() == [0.5, 0, -1]
    assert table["score"].is_monotonic_increasing


def test_a_row_of_a_log_has_the_command_the_setting_and_the_figures():
    """Means are of the thousand games that end there, moves and seconds of all so far, without the games between."""
    (row,) = peers.rows_of(LOG, ["tuples", "learner.order"], ends=[1000, 2000])
    command = "2048 -s 7 -n 4x6patt -a 1.0 -l 0.5 -t 2x1000 -e 1x1000 -t 1x1000 -e 1x20 search=2p"
    assert (row["revision"], row["command"], row["seed"]) == ("a99f620", command, 7)
    assert (row["tuples"], row["learner.order"]) == ("4x6", "backward")
    assert (row["mean_1k"], row["mean_2k"], row["seconds_2k"]) == (10234, 20514, 0.560 + 1.105)
    assert row["moves_2k"] == round(1128917.86 * 0.560) + round(1029379.19 * 1.105)
    assert row["moves"] == row["moves_2k"] + round(1106101.62 * 1.358)
    assert "greedy_mean" not in row  # the last games were not of one ply


def test_games_after_training_of_a_log_are_those_of_its_end():
    (row,) = peers.rows_of(LOG, [], ends=[2000], until=2000)
    assert (row["episodes"], row["moves"], row["max_2k"]) == (2000, row["moves_2k"], 62196)
    assert (row["greedy_games"], row["greedy_mean"], row["greedy_max"]) == (1000, 24653, 77696)
    assert [row[f"reach_{tile}"] for tile in (2048, 4096, 8192)] == [0.487, 0.048, 0]
    (row,) = peers.rows_of(LOG, ["evaluate.plies"], ends=[2000])
    assert (row["evaluate.plies"], row["greedy_games"], row["greedy_mean"]) == (2, 20, 56192)
    with pytest.raises(peers.LogError, match="no block that ends with game 5000"):
        peers.rows_of(LOG, [], ends=[], until=5000)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("002/002 1105ms", "gone", "cut, .* optimize: 2x1000"),
        ("TDL2048+ by", "another by", "cut, or of another program"),
        ("optimize: 1x1000", "optimize: 1x100", "cut, or not in blocks of 1,000 games: optimize: 1x100"),
        ("TDL2048+ by", "# finished= 137\nTDL2048+ by", "the program ended with 137"),
    ],
)
def test_a_log_that_is_cut_or_of_a_program_that_failed_is_refused(tmp_path, old, new, told):
    log = tmp_path / "some.log"
    log.write_text(LOG.read_text().replace(old, new))
    with pytest.raises(peers.LogError, match=rf"some\.log: {told}"):
        peers.read(log)


def test_peers_have_the_keys_and_blocks_of_the_experiment(tmp_path):
    """In the order of the seeds; other notes in a log are left out."""
    other = tmp_path / "other.log"
    other.write_text(f"# 2048 -s 6\n{LOG.read_text().replace('-s 7', '-s 6')}# finished= 0\n")
    peers.main("tuple_sets/features", str(LOG), str(other), f"into={tmp_path}")  # with 2,000 games, but not with 3,000
    rows = pd.read_csv(tmp_path / "peers.csv")
    assert list(rows.columns[:5]) == ["program", "revision", "command", "tuples", "seed"]
    assert rows["seed"].tolist() == [6, 7]
    assert ("mean_2k" in rows, "max_3k" in rows) == (True, False)
