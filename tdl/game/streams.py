"""The roles of random streams: what a stream of draws is for."""

# Roles: the same seed and episode give unrelated streams for unrelated purposes, so that evaluating more often
# cannot change training.
TRAINING, EXPLORATION, EVALUATION, LOGGED = 0, 1, 2, 3  # LOGGED: greedy games in the middle of training
