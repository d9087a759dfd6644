"""Games on the terminal: played by hand, watched, looked at again."""
