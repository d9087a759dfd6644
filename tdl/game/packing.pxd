"""Boards from Python's ints, with cell 0 in the lowest bits, to those of kernels and back. These need the GIL."""

from tdl.game.board cimport board_array, board_t, empty_board
from tdl.game.lines cimport LineTables


cdef inline board_t taken(LineTables tables, object board, const board_t *kind):
    """A board of the type of `kind`, which is not read, from an int."""
    cdef board_t cells = empty_board(kind)
    cdef int cell
    if board_t is board_array:
        for cell in range(tables.cells):
            cells.cell[cell] = board >> tables.bits * cell & ((1 << tables.bits) - 1)
        return cells
    else:
        return <board_t> board


cdef inline object as_int(LineTables tables, const board_t *board):
    """A board as an int."""
    cdef int cell
    packed = 0
    if board_t is board_array:
        for cell in range(tables.cells):     # not sum(...): Cython 3 names the generator of a fused function wrongly
            packed |= <object> board.cell[cell] << tables.bits * cell
    else:
        packed = board[0]
    return packed
