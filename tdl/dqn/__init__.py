"""The deep Q-learner, which needs PyTorch (the extra `tdl-ntuple[dqn]`)."""
