"""Stages: a network of several copies of its tables, each for one part of the game."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from tdl.base.checks import check_above_zero, check_choice, check_true_or_false, check_whole, or_null
from tdl.errors import refuse

MAX_STAGES = 16

LAWS = ("largest", "sum")


@dataclass(frozen=True)
class Stages:
    """Which tables value a board: those of stage k, the number of thresholds that the board has reached.

    Attributes
    ----------
    thresholds : tile values, or sums of tile values, ascending; none: one stage.
    by : "largest" (the value of the board's largest tile reaches the threshold) or "sum" (that of all tiles).
    promotion : an entry of a later stage that was never moved is worth that of the stage before, and starts from there
        when it is moved. Without it every stage starts from the initial value.
    downgrade : largest tile index that boards of all stages but the first are read with: larger ones are lowered, as
        `tdl.game.game_reference` says, before entries are looked up. The board as it is decides its stage. None:
        boards are read as they are.
    share : of the stage before's weight, which an entry is worth by promotion, once for each stage stepped back.

    Sources: Wu et al. (2014), Multi-stage temporal difference learning for 2048; promotion: Jaskowski (2018),
    Mastering 2048 with Delayed Temporal Coherence Learning, Multi-Stage Weight Promotion, Redundant Encoding, and
    Carousel Shaping. There an entry is promoted when it is first looked at; here when it is first moved, so that
    looking (an evaluation, a search) changes nothing.
    """

    thresholds: tuple[int, ...] = ()
    by: str = "largest"
    promotion: bool = True
    downgrade: int | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        check_choice("learner.stage_by", self.by, LAWS)
        check_true_or_false("learner.promotion", self.promotion)
        or_null(partial(check_whole, least=2, below=32))("learner.stage_downgrade", self.downgrade)
        check_above_zero("learner.promotion_share", self.share, 1.0)
        thresholds: Any = self.thresholds
        if isinstance(thresholds, str) or not isinstance(thresholds, Sequence) or len(thresholds) >= MAX_STAGES:
            expected = f"a list of at most {MAX_STAGES - 1} tile values, as [2048,8192]"
            raise refuse("learner.stages", thresholds, expected)
        for value in thresholds:
            check_whole("learner.stages", value, 1)
        if list(thresholds) != sorted(set(thresholds)):
            raise refuse("learner.stages", list(thresholds), "values in ascending order")
        object.__setattr__(self, "thresholds", tuple(thresholds))
        if not thresholds and self.downgrade is not None:
            raise refuse("learner.stage_downgrade", self.downgrade, "null where learner.stages is empty")
        if self.share != 1 and not (thresholds and self.promotion):
            where = "learner.promotion=false" if thresholds else "learner.stages is empty"
            raise refuse("learner.promotion_share", self.share, f"1 where {where}")

    @property
    def count(self) -> int:
        """Number of stages."""
        return 1 + len(self.thresholds)

    def of(self, values: Sequence[int]) -> int:
        """The stage of a board with these tile values; the reference implementation of `stage_of`."""
        measure = max(values) if self.by == "largest" else sum(values)
        return sum(measure >= threshold for threshold in self.thresholds)

    def to_dict(self) -> dict[str, Any]:
        """The description in `meta.json`: the arguments that make the stages again."""
        described: dict[str, Any] = {
            "thresholds": list(self.thresholds),
            "by": self.by,
            "promotion": self.promotion,
        }
        if self.downgrade is not None:  # checkpoints of older versions have neither
            described["downgrade"] = self.downgrade
        if self.share != 1:
            described["share"] = self.share
        return described
