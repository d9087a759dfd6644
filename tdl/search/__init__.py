"""How a player looks ahead (expectimax), and how an adversary places tiles."""
