"""What a run with replicas leaves, whose rounds are longer than its blocks."""

import numpy as np
import pytest
from support.programs import blocks_of, result


def test_blocks_of_a_long_round_are_told_one_by_one(small_run):
    folder = small_run("episodes=60", "replicas=2", "round=30", "threads=2")
    blocks = blocks_of(folder)
    episodes = np.load(folder / "episodes.npy")
    assert blocks["episode"].tolist() == [10, 20, 30, 40, 50, 60]
    assert blocks["moves"].tolist() == [int(episodes["moves"][low : low + 10].sum()) for low in range(0, 60, 10)]
    assert blocks["moves_per_second"].nunique() <= 4  # of two rounds, and rounded
    assert blocks["seconds"].sum() == pytest.approx(result(folder)["seconds"], abs=1e-4)
