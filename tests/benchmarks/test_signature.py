"""The signature is one number every time, another for each game."""

from tdl.benchmarks.signature import LEARNERS, signature
from tdl.game.rules import GAMES


def test_the_signature_is_one_number_every_time():
    number = signature(learners=LEARNERS[::3])
    assert number == signature(learners=LEARNERS[::3])
    assert number not in {signature(learners=LEARNERS[::3][:count]) for count in (1, 2)}


def test_each_game_has_a_signature_of_its_own():
    assert len({signature(game, LEARNERS[:2]) for game in GAMES}) == len(GAMES)
