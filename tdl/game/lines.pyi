import numpy as np
from numpy.typing import NDArray

from tdl.game.rules import Rules

class LineTables:
    rules: Rules
    rows: int
    cols: int
    bits: int
    cells: int
    def __init__(self, rules: Rules) -> None: ...
    @property
    def rows_slid(self) -> NDArray[np.uint32]: ...

def tables_of(rules: Rules) -> LineTables: ...
