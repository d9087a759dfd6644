from tdl.game.rules import Rules

class LineTables:
    rules: Rules
    rows: int
    cols: int
    bits: int
    cells: int
    def __init__(self, rules: Rules) -> None: ...

def tables_of(rules: Rules) -> LineTables: ...
