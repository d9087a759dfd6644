"""The commands, and training from Python: words become a checked job, and an error becomes one line."""

from collections.abc import Mapping

COMMANDS: Mapping[str, str] = {
    "run": "train a network: tdl run tuples=4x6 alpha=0.1",
    "sweep": "train with each combination of several values: tdl sweep alpha=0.1,0.3 seeds=5 (the same as run -m)",
    "evaluate": "games of a trained network, without learning: tdl evaluate outputs/FOLDER evaluate.plies=2",
    "games": "games of a trained network move by move, for NumPy: tdl games outputs/FOLDER games.npz games=1000",
    "status": "how far a sweep is: tdl status outputs/FOLDER",
    "report": "a page about runs: tdl report outputs/FOLDER",
    "diff": "what differs between two runs: tdl diff outputs/A outputs/B",
    "play": "play, or watch an agent, on the terminal",
    "serve": "the same in a browser: tdl serve outputs/FOLDER",
    "move": "the best move on a board: tdl move '2 4 0 0 / ...' outputs/FOLDER",
    "solve": "exact values of a small game: tdl solve game=2584 size=2x3",
    "rules": "whether an environment plays by the rules: tdl rules MODULE:ENV",
    "match": "meet other programs in the two-player protocol of 2584",
    "export": "a player to take along: tdl export outputs/FOLDER OUT --format=compact, numpy or web",
    "convert": "weights of other programs: tdl convert IN OUT",
    "picture": "draw a board: tdl picture game.jsonl board.png",
    "bench": "how fast it is: tdl bench --help",
    "completion": "completion of words for bash, zsh or fish",
}
"""The commands with what they do, in the order in which one gets to know them."""

MODULES = {name: f"tdl.cli.{ {'sweep': 'run', 'rules': 'check_rules'}.get(name, name) }" for name in COMMANDS}
"""The module of each, whose `main` it calls."""
