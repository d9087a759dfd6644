"""The colours of the screen beside those of tiles: for dark terminals and for light ones."""

from dataclasses import dataclass

from tdl.sessions import pictures


@dataclass(frozen=True)
class Colours:
    """Colours and styles; texts have a contrast of at least 4.5 with the ground.

    Attributes
    ----------
    ground, text : of the screen.
    board, empty : between cells, and of an empty one.
    dim, strong, good : of words that matter less, of figures, and of the best.
    """

    ground: str
    text: str
    board: str
    empty: str
    dim: str
    strong: str
    good: str


DARK = Colours("#211d1b", "#ece4da", "#423c38", "#58514b", "#a39a90", "bold #f4d096", "bold #8fd18a")

LIGHT = Colours("#faf8ef", "#2b2522", pictures.BOARD, pictures.EMPTY, "#6b625a", "bold #8a4b00", "bold #1f6f2b")

COLOURS = {"dark": DARK, "light": LIGHT}
