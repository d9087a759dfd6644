"""The n-tuple network: what a board is worth."""
