"""What a check says of an environment: a verdict, a sentence, and the smallest board that shows it."""

from dataclasses import dataclass

CONFORMS, CONVENTION, WRONG, NOT_TESTED = "conforms", "convention", "wrong", "not tested"

VERDICTS = (WRONG, CONVENTION, CONFORMS, NOT_TESTED)
"""As reports order them: wrong is what contradicts the game or Gymnasium, a convention is what programs may choose."""

Said = tuple[str, ...]
"""What a check says: the fields of its `Finding` but for the first."""


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes
    ----------
    check : its short name, as "slides".
    verdict : one of `VERDICTS`.
    text : one sentence.
    board : rows of tile values of the smallest board that shows it, as text; or "".
    reproduction : lines of Python that show it; or "".
    """

    check: str
    verdict: str
    text: str
    board: str = ""
    reproduction: str = ""


def raised(error: BaseException) -> str:
    """An exception in words."""
    return f"{type(error).__name__}: {error}"
