"""Colours, and the files of figures: the same bytes each time."""

import io
import re
from xml.etree import ElementTree

import pytest

from tdl.results.style import CYCLE, colours, new_figure, style, tile_colour, write


def drawn():
    """A figure with a line and names."""
    with style():
        figure = new_figure(3, 2)
        figure.subplots().set(xlabel="mean score", title="a$b$c")
    return figure


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_a_file_is_the_same_each_time_and_has_the_caption(kind):
    files = io.BytesIO(), io.BytesIO()
    for file in files:
        write(drawn(), file, kind, "3 seeds (a, b).")
    data = files[0].getvalue()
    assert data == files[1].getvalue()
    assert b"3 seeds (a, b)." in data.replace(b"\\", b"")
    if kind == "svg":  # its text is text, and a name with dollars no formula
        words = {element.text for element in ElementTree.fromstring(data).iter("{http://www.w3.org/2000/svg}text")}
        assert {"mean score", "a$b$c"} <= words
    if kind == "pdf":  # it has its fonts and no pixels
        assert b"/FontFile2" in data
        assert not re.search(rb"/Subtype\s*/Image|/CreationDate", data)


def test_colours_tell_values_apart_and_a_learner_has_its_own():
    assert colours(["tc", "td"])["td"] == colours(["otd_tc", "tc", "td"])["td"] == colours(["td"])["td"]
    for number in (len(CYCLE), len(CYCLE) + 1, 40):
        assert len({*colours(range(number)).values()}) == number


@pytest.mark.parametrize("tiles", [[2**i for i in range(5, 12)], [21, 34, 55, 89, 144, 233, 377], [6, 12, 24, 48]])
def test_tiles_in_a_row_have_different_colours(tiles):
    assert len({tile_colour(tile) for tile in tiles}) == len(tiles)
