"""The signature is one number every time, another for each game."""

from tdl.benchmarks.signature import LEARNERS, signature
from tdl.game.rules import GAMES


def test_the_signature_is_one_number_every_time():
    learners = LEARNERS[3], LEARNERS[8]
    number = signature(learners=learners)
    assert number == signature(learners=learners)
    assert number != signature(learners=learners[:1])


def test_each_game_has_a_signature_of_its_own():
    assert len({signature(game, LEARNERS[:1]) for game in GAMES}) == len(GAMES)
