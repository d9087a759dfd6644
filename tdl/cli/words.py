"""The words of a command line, as all programs take them before Hydra reads them."""

import re
from collections.abc import Sequence

from tdl.game.merge_laws import NAMES

_TITLE = re.compile(rf"(?<![\w.-])({'|'.join(map(re.escape, NAMES))})(?![\w.-])")


def with_game_names(words: Sequence[str]) -> list[str]:
    """The words with games by the names that configurations hold, also where a word has what people call them.

    >>> with_game_names(["-m", "game=2048,fib,2584", "seed=2048"])
    ['-m', 'game=pow2,fib,fib', 'seed=2048']
    """
    return [_with_name(word) if word.lstrip("+").startswith("game=") else word for word in words]


def _with_name(word: str) -> str:
    return _TITLE.sub(lambda found: NAMES[found[1]], word)
