import numpy as np
from numpy.typing import NDArray

from tdl.agents.selfplay import SelfPlay
from tdl.network.ntuple import NTupleNetwork

def record(play: SelfPlay, turns: int) -> tuple[NDArray[np.uint32], NDArray[np.int32]]: ...
def replay(network: NTupleNetwork, entries: NDArray[np.uint32], counts: NDArray[np.int32], lanes: int) -> float: ...
