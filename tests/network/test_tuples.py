"""Tuple sets: the symmetries of a board, the features they make, and what is refused.

Trusts geometry: symmetries are permutations of the cells that keep neighbours neighbours, and they form a group.
"""

from itertools import product

import numpy as np
import pytest
from support.shapes import each_rules

from tdl.errors import ConfigError
from tdl.network.tuples import TupleSet, features, symmetries

SHAPES = [(2, 2), (2, 3), (3, 2), (3, 3), (3, 4), (4, 3), (4, 4), (2, 5), (4, 5), (5, 5)]
each_shape = pytest.mark.parametrize(("rows", "cols"), SHAPES)


def neighbours(rows, cols):
    """The pairs of cells that share a side."""
    across = {frozenset((r * cols + c, r * cols + c + 1)) for r in range(rows) for c in range(cols - 1)}
    down = {frozenset((r * cols + c, r * cols + c + cols)) for r in range(rows - 1) for c in range(cols)}
    return across | down


@each_shape
def test_symmetries_form_a_group(rows, cols):
    images = symmetries(rows, cols)
    cells = tuple(range(rows * cols))
    assert len(images) == (8 if rows == cols else 4)
    assert images[0] == cells
    assert len(set(images)) == len(images)
    pairs = neighbours(rows, cols)
    for image in images:
        assert tuple(sorted(image)) == cells
        assert {frozenset(image[cell] for cell in pair) for pair in pairs} == pairs
    for a, b in product(images, repeat=2):
        assert tuple(a[b[cell]] for cell in cells) in images


def test_symmetries_of_a_square_by_hand():
    # 0 1    1 0    2 3    3 2    0 2    2 0    1 3    3 1
    # 2 3    3 2    0 1    1 0    1 3    3 1    0 2    2 0
    assert set(symmetries(2, 2)) == {
        (0, 1, 2, 3), (1, 0, 3, 2), (2, 3, 0, 1), (3, 2, 1, 0),
        (0, 2, 1, 3), (2, 0, 3, 1), (1, 3, 0, 2), (3, 1, 2, 0),
    }  # fmt: skip


@each_rules
@pytest.mark.parametrize("share", [True, False])
@pytest.mark.parametrize("mirrored", [True, False])
def test_features(rules, mirrored, share):
    cells = ((1, 0), (0, 1, rules.cols))
    found = features(TupleSet(cells, symmetries=mirrored, share=share), rules.rows, rules.cols)
    images = symmetries(rules.rows, rules.cols) if mirrored else [tuple(range(rules.cells))]
    # all images of the first tuple first; one table for each tuple, or one for each feature
    assert [feature for _, feature in found] == [tuple(image[c] for c in each) for each in cells for image in images]
    numbers = [table for table, _ in found]
    assert numbers == ([0] * len(images) + [1] * len(images) if share else list(range(2 * len(images))))


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ((), r"tuples.cells: \(\) is not allowed; expected at least one list of cells"),
        ("0123", "tuples.cells: '0123' is not allowed; expected at least one list of cells"),
        ([[0, 1], []], r"tuples.cells: \[\] is not allowed; expected a list of cells"),
        ([[0, "1"]], "tuples.cells: '1' is not allowed; expected whole numbers"),
        ([[0, True]], "tuples.cells: True is not allowed; expected whole numbers"),
        ([[0, 1], [4, 5, 4]], r"tuples.cells: repeated cell 4 in \[4, 5, 4\]; expected each cell once"),
        ([[0, 1, 2, 3, 4, 5, 6, 7, 8]], "tuples.cells: .* is not allowed; expected at most 8 cells in a tuple"),
    ],
)
def test_wrong_cells(cells, message):
    with pytest.raises(ConfigError, match=message):
        TupleSet(cells)


@pytest.mark.parametrize(
    ("rows", "cols", "cell"),
    [(4, 4, 16), (4, 4, -1), (2, 3, 6), (3, 4, 12), (5, 5, 25)],
    ids=lambda number: str(number),
)
def test_cells_off_the_board(rows, cols, cell):
    message = rf"cell {cell} of \[0, {cell}\] is not on the board; expected cells 0 to .* of a {rows}x{cols} board"
    with pytest.raises(ConfigError, match=message):
        features(TupleSet(((0, 1), (0, cell))), rows, cols)


def test_a_set_of_numpy_is_one_of_python():
    given = TupleSet(np.array([[3, 1], [0, 2]]), radix=np.int64(8), symmetries=np.bool_(False))
    assert given == TupleSet(((3, 1), (0, 2)), radix=8, symmetries=False)
    assert all(type(cell) is int for cells in given.cells for cell in cells)
