"""Training from Python: `tdl.train` takes the keys of a run as keywords."""
