"""How values are learned: errors, step sizes, orders and returns."""
