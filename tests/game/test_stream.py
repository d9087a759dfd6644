"""The random streams: published outputs of the two generators for the reference, and the compiled stream equal to it.

Trusts the numbers of the reference programs in C (Blackman and Vigna): xoshiro256** from state 1, 2, 3, 4 and
SplitMix64 from state 1234567. Every recorded game rests on these bits.
"""

from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from support.shapes import many

from tdl.errors import ConfigError
from tdl.game.engine import EVALUATION, EXPLORATION, TRAINING, Stream
from tdl.game.game_reference import Stream as ReferenceStream
from tdl.game.game_reference import splitmix

WORD = 2**64 - 1


def test_xoshiro_of_the_reference_program():
    reference = ReferenceStream(0, TRAINING, 0)
    reference.state = [1, 2, 3, 4]
    assert [reference.next() for _ in range(10)] == [
        11520,
        0,
        1509978240,
        1215971899390074240,
        1216172134540287360,
        607988272756665600,
        16172922978634559625,
        8476171486693032832,
        10595114339597558777,
        2904607092377533576,
    ]


def testsplitmix_of_the_reference_program():
    state, out = 1234567, []
    for _ in range(4):
        state, word = splitmix(state)
        out.append(word)
    assert out == [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]


@many
@given(seed=st.integers(0, WORD), role=st.integers(0, WORD), episode=st.integers(0, WORD))
@example(seed=0, role=0, episode=0)
@example(seed=WORD, role=WORD, episode=WORD)
def test_compiled_stream_equals_the_reference(seed, role, episode):
    compiled, reference = Stream(seed, role, episode), ReferenceStream(seed, role, episode)
    assert [compiled.next() for _ in range(20)] == [reference.next() for _ in range(20)]


@pytest.mark.parametrize("stream", [Stream, ReferenceStream])
def test_streams_are_unlike(stream):
    keys = list(product((0, 1, 2, 12345), (TRAINING, EXPLORATION, EVALUATION), range(50)))
    outputs = [stream(*key).next() for key in keys]
    assert len(set(outputs)) == len(keys)  # of 600 draws of 64 bits no two are equal by chance


def test_a_key_outside_64_bits_is_refused():
    for key in ((-1, 0, 0), (0, 0, 2**64)):
        with pytest.raises(ConfigError, match="is not allowed; expected a whole number from 0 to"):
            Stream(*key)
