import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import Rules

def play_random(
    rules: Rules | None = None,
    episodes: int = 1000,
    *,
    seed: int = 0,
    role: int = ...,
    first: int = 0,
    engine: str = "bits",
) -> NDArray[np.void]: ...
def play_greedy(
    rules: Rules | None = None,
    episodes: int = 1000,
    *,
    seed: int = 0,
    role: int = ...,
    first: int = 0,
    engine: str = "bits",
) -> NDArray[np.void]: ...
