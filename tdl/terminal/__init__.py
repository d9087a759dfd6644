"""Games on the terminal: a person plays, an agent is watched, a recorded game is looked at."""
