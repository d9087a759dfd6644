"""A page about runs: what it says, shows and where its runs come from."""
