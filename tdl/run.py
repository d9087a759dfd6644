"""Train a network: `python -m tdl.run tuples=4x6 alpha=0.1`, the same as `tdl run`."""

from tdl.base import streams
from tdl.cli.run import main

if __name__ == "__main__":
    with streams.guarded():
        main()
