"""The rules of a game as data, its boards, moves and random streams."""
