"""Titles of the runs of a table."""

import pandas as pd
import pytest

import tdl.results

TABLE = pd.DataFrame({
    "run": ["s/a", "s/b", "s/c"],
    "learner": ["td", "tc", "tc"],
    "learner.step": ["fixed", "coherent", "coherent"],  # follows the learner
    "alpha": [0.1, 1.0, 1.0],
    "gamma": [1.0, 1.0, 1.0],
    "seed": [0, 0, 2],
    "status": ["finished", "running", "finished"],
    "eval_mean": [10.0, None, 12.0],
})  # fmt: skip


def titles(*rows, **columns):
    table = TABLE.assign(**columns)
    return tdl.results.titles(table.iloc[list(rows)] if rows else table)


def test_runs_are_titled_by_what_they_differ_in():
    assert titles().tolist() == ["td, alpha 0.1, seed 0", "tc, alpha 1, seed 0", "tc, alpha 1, seed 2"]
    assert titles(2, 0).to_dict() == {2: "tc, alpha 1, seed 2", 0: "td, alpha 0.1, seed 0"}


@pytest.mark.parametrize("rows", [(1, 2), (1,)])
def test_runs_that_differ_in_nothing_have_their_network_and_learner(rows):
    expected = ["4x6, tc, alpha 1, seed 0", "4x6, tc, alpha 1, seed 2"][: len(rows)]
    assert titles(*rows, tuples="4x6").tolist() == expected


def test_games_are_called_as_people_do():
    assert titles(game=["2048", "2584", "2048"])[1] == "2584, tc, alpha 1, seed 0"


def test_no_two_titles_are_the_same():
    assert titles(seed=0).tolist() == ["td, alpha 0.1, seed 0", "tc, alpha 1, seed 0, b", "tc, alpha 1, seed 0, c"]
    assert titles(seed=0, run=["a/r", "b/r", "c/r"])[2] == "tc, alpha 1, seed 0, r, c/r"


def test_a_job_without_a_configuration_has_its_folder():
    table = pd.concat([TABLE, pd.DataFrame([{"run": "s/lost", "status": "failed"}])], ignore_index=True)
    assert tdl.results.titles(table).tolist() == [*titles(), "lost"]


def test_values_that_a_run_does_not_have_are_left_out():
    """Of a key that not all agents have, or that is null."""
    assert titles(budget=[None, 60, None]).tolist()[:2] == ["td, alpha 0.1, seed 0", "tc, alpha 1, budget 60, seed 0"]


def test_an_empty_table_has_no_titles():
    assert tdl.results.titles(TABLE[:0]).tolist() == []


def test_runs_and_evaluations_have_titles_of_their_kind():
    runs = [{"run": f"o/{i}", "learner": name, "gamma": 1.0, "seed": 0} for i, name in enumerate(("td", "tc"))]
    evaluation = {"run": "o/2", "checkpoint": "o/1", "evaluate.plies": 2, "seed": 0}
    table = pd.DataFrame([*runs, evaluation])
    assert tdl.results.titles(table).tolist() == ["td, seed 0", "tc, seed 0", "1, plies 2, seed 0"]
