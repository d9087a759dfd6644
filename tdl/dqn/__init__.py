"""Deep Q-learning: the network, the learner and the player that need PyTorch, in the extra `tdl[dqn]`."""
