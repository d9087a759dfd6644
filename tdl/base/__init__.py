"""What every layer uses: checks of values, other names of keys, the machine."""
