"""What can be chosen of a deep Q-learner, and which choices exclude each other. The one home of both.

The choices of the published program, of an article on 2048 with a small convolutional network, are the defaults here
and in `conf/agent/dqn.yaml`; those of the modern one stand in `conf/agent/dqn_modern.yaml`, each with its source.
"""

from dataclasses import dataclass

from tdl.base.checks import above_zero, check_fields, check_whole, choice, flag, share, whole
from tdl.errors import refuse

NETWORKS = ("published", "dense", "quads")

INPUTS = ("values", "planes")

VALUES_OF = ("actions", "afterstates")

LEARN = ("iteration", "moves")

OPTIMIZERS = ("rmsprop", "adam")

LOSSES = ("squared", "huber")

DECAYS = ("step", "linear")

PRECISIONS = ("float32", "bfloat16")

MAX_STEPS = 64
"""Rewards in a target."""

MAX_REPLAY = 1 << 24
"""Transitions; a transition takes 45 to 110 bytes on 4x4."""


@dataclass(frozen=True)
class DQNOptions:
    """The independent choices of a deep Q-learner. The defaults are those of the published program.

    Attributes
    ----------
    network : "published" (8 filters 3x3, then 2048 and 1024 units), "dense" (`width` units twice) or "quads"
        (`width` filters 2x2 twice, then `width` units).
    width : of the networks that have one.
    input : "values": the tiles' values as they are; "planes": a plane for each tile index, 1 where that tile lies.
    planes : number of planes; larger tiles share the last.
    values_of : "actions": Q(s, a) is learned; "afterstates": V(s') is, and Q(s, a) = r + gamma V(s').
    scale : points that an output of 1 stands for.
    symmetries : every transition is learned as one of its mirror images, at random (afterstates only).
    target_network_frequency : updates between two copies of the network that targets are computed with; 0: no copy.
    double : the network chooses the action in the target, the target network values it.
    masked : the maximum in the target is over legal actions only.
    n_step : rewards in each target before it relies on a value.
    last_reward : the reward of a game's last move counts.
    gamma : discount, 0 to 1.
    games : of an iteration, played at once.
    greedy_every : of the games of an iteration number 0, this, twice this ... are greedy; 0: none is.
    logged : after each fit one greedy game is played that nothing is learned from.
    epsilon_start, epsilon, epsilon_games, epsilon_decay : the probability of a random legal move is `epsilon_start` in
        the first `epsilon_games` games ("step") or falls evenly over them ("linear"), and is `epsilon` from then on.
    buffer_size : transitions kept.
    learning_starts : transitions before anything is learned.
    learn : "iteration": after each iteration, `epochs` times over the `newest` transitions and a sample of `older`
        others, with targets computed once; "moves": every `train_frequency` moves a sample of `batch_size` of all.
    newest, older, epochs, train_frequency : see there.
    batch_size : transitions of an update.
    optimizer, learning_rate : how an update moves the weights.
    precision : "float32", or "bfloat16": updates multiply numbers of 16 bits, weights and the last layer keep 32. On a
        CPU with instructions for it an update of the published network took 26 ms, not 46, in one thread.
    loss : "squared" error, or "huber": beyond an error of `scale` its absolute value.
    """

    network: str = choice("published", NETWORKS)
    width: int = whole(256, least=1, most=(1 << 14) - 1)
    input: str = choice("values", INPUTS)
    planes: int = whole(16, least=2, most=32)
    values_of: str = choice("actions", VALUES_OF)
    scale: float = above_zero(1.0)
    symmetries: bool = flag(False)
    target_network_frequency: int = whole(0, least=0)
    double: bool = flag(False)
    masked: bool = flag(True)
    n_step: int = whole(1, least=1, most=MAX_STEPS)
    last_reward: bool = flag(False)
    gamma: float = share(1.0)
    games: int = whole(20, least=1, most=(1 << 16) - 1)
    greedy_every: int = whole(10, least=0)
    logged: bool = flag(True)
    epsilon_start: float = share(0.2)
    epsilon: float = share(0.1)
    epsilon_games: int = whole(600, least=0)
    epsilon_decay: str = choice("step", DECAYS)
    buffer_size: int = whole(50_000, least=1, most=MAX_REPLAY)
    learning_starts: int = 5_000  # at most `buffer_size`, as `batch_size`
    learn: str = choice("iteration", LEARN)
    newest: int = whole(1_000, least=0, most=MAX_REPLAY)
    older: int = whole(2_000, least=0, most=MAX_REPLAY)
    epochs: int = whole(100, least=1)
    train_frequency: int = whole(64, least=1)
    batch_size: int = 250
    optimizer: str = choice("rmsprop", OPTIMIZERS)
    learning_rate: float = above_zero(1e-3)
    precision: str = choice("float32", PRECISIONS)
    loss: str = choice("squared", LOSSES)

    def __post_init__(self) -> None:
        check_fields(self)
        for key in ("learning_starts", "batch_size"):
            check_whole(key, getattr(self, key), 1, self.buffer_size + 1)
        self._check_together()

    def _check_together(self) -> None:
        if self.double and not self.target_network_frequency:
            raise refuse("double", True, "false unless target_network_frequency is above 0")
        if self.values_of == "afterstates":
            if not self.masked:  # an illegal move has no afterstate
                raise refuse("masked", False, "true unless values_of=actions")
        elif self.symmetries:
            raise refuse("symmetries", True, "false unless values_of=afterstates")
        if self.learn == "moves" and self.logged:
            raise refuse("logged", True, "false unless learn=iteration")
        if self.learn == "iteration" and self.newest + self.older == 0:
            raise refuse("newest", 0, "above 0 where older=0")
        if self.learn == "iteration" and self.newest + self.older > self.learning_starts:
            rows = self.newest + self.older
            raise refuse("learning_starts", self.learning_starts, f"at least newest + older, {rows}")

    def epsilon_at(self, episode: int) -> float:
        """The probability of a random move in a training game, by its number; greedy games not counted."""
        if episode >= self.epsilon_games:
            return self.epsilon
        if self.epsilon_decay == "step":
            return self.epsilon_start
        return self.epsilon_start + (self.epsilon - self.epsilon_start) * episode / self.epsilon_games

    def greedy(self, episode: int) -> bool:
        """Whether a training game is played without random moves, by its number."""
        return bool(self.greedy_every) and episode % self.games % self.greedy_every == 0
