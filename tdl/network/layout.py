"""The memory layouts of a network's tables: where each entry lies, and why there.

The *natural* index of an entry reads the tuple's tile indices as digits, the first cell least significant. Tile
indices have little entropy, so natural order puts the hot entries into few lines and few cache sets. The layout is a
bijection of the entries of all tables onto memory; it changes no value, only speed. `index.h` computes the same
numbers for all features at once; files store the memory order and the layout's name.

`digits`, for any radix, keeps the natural order and skews (5.) the tables. So do the tables of features beyond tuples,
in both layouts, after the tuples' own; their natural order is that of `tdl.network.network_reference`.

`paired16`, for radix 16:

1. *Order.* Digits are read from the tuple's last cell to its first.
2. *Pair.* Two tables whose tuples share all cells but one (in some symmetric image, where images share tables) are
   looked up together: on the same board the shared cells hold the same tiles. They are woven into one region: the
   tuple's *own* cell becomes the lowest digit, and between its bits 2 and 3 stands a bit that tells the table. So a
   cache line, 16 floats, holds 8 entries of each table, and on most boards (own tiles below 256, or both not) the two
   tables' entries lie in one line. Training 4x6: 1.3 times the speed of tables apart.
3. *Pack.* A table without a partner exchanges bits 3 and 4: in the line, the lowest bit of the second digit takes the
   place of the rarely set highest bit of the first.
4. *Fold.* Bits 14 and up are xor-ed onto bits 4 and up, or the cache sets that belong to the first digits' high bits
   would stay empty. Only higher bits are folded in, so it can be undone.
5. *Skew.* Every region starts 7,936 entries after the end of the one before, or equal entries of different regions
   would lie in one cache set.

The low bits of the first digits stay together in a page of 4 KB, which counts where the host backs a virtual machine's
memory with such pages. Order and fold were chosen by simulating caches and translation buffers over the look-ups of
real games, and then by training speed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tdl.network.tuples import TupleSet, extra_sizes, symmetries, table_cells

Index = NDArray[np.uint32]
Cells = tuple[int, ...]

LINE = 16  # floats of a cache line of 64 bytes

SKEW = 7936  # entries between the end of a region and the start of the next

OWN = np.uint32(7)  # bits of a pair's own digit below the bit that tells the table


@dataclass(frozen=True)
class TableLayout:
    """Where one table lies.

    Attributes
    ----------
    size : its entries.
    base : added to every index.
    order : positions in the tuple of the cells, in the order their digits are read (a pair's own cell is first); empty
        where the natural order is kept because no digits are cells.
    paired : whether the table shares its lines with another one.
    """

    size: int
    base: int
    order: tuple[int, ...] = ()
    paired: bool = False


class Layout:
    """Where the entries of all tables lie: the tables one after the other.

    Attributes
    ----------
    name : identifies the layout in files, together with the radix.
    radix : digits of an index are below it.
    tables : a `TableLayout` for each table.
    entries : entries of the whole allocation.
    """

    name: str
    radix: int

    def __init__(self) -> None:
        self.tables: list[TableLayout] = []
        self.entries = 0

    def size(self, table: int) -> int:
        """Entries of a table."""
        return self.tables[table].size

    def map(self, table: int, natural: Index) -> Index:
        """Memory index of each natural index of a table (arrays of uint32)."""
        raise NotImplementedError

    def inverse(self, table: int, memory: Index) -> Index:
        """Natural index of each memory index of a table; the inverse of `map`."""
        raise NotImplementedError

    def _append(self, size: int, order: tuple[int, ...] = ()) -> None:
        base = next_region(self.entries)
        self.tables.append(TableLayout(size, base, order))
        self.entries = base + size


class Digits(Layout):
    """Natural order, for any radix, each table skewed against the one before."""

    name = "digits"

    def __init__(self, tuples: TupleSet, rows: int, cols: int, radix: int) -> None:
        super().__init__()
        self.radix = radix
        for cells in table_cells(tuples, rows, cols):
            self._append(radix ** len(cells), tuple(range(len(cells))))
        for size in extra_sizes(tuples, rows, cols):
            self._append(size)

    def map(self, table: int, natural: Index) -> Index:
        return natural + np.uint32(self.tables[table].base)

    def inverse(self, table: int, memory: Index) -> Index:
        return memory - np.uint32(self.tables[table].base)


class Paired16(Layout):
    """The layout of a tuple set at radix 16."""

    name = "paired16"
    radix = 16
    fold = 10

    def __init__(self, tuples: TupleSet, rows: int, cols: int) -> None:
        super().__init__()
        images = symmetries(rows, cols) if tuples.symmetries and tuples.share else [tuple(range(rows * cols))]
        waiting = dict(enumerate(table_cells(tuples, rows, cols)))
        self.tables = [TableLayout(0, 0)] * len(waiting)
        while waiting:
            table, cells = next(iter(waiting.items()))
            del waiting[table]
            base, size = next_region(self.entries), self.radix ** len(cells)
            partner = next(
                ((other, orders) for other in waiting if (orders := _common(cells, waiting[other], images))), None
            )
            if partner:
                other, (order, other_order) = partner
                del waiting[other]
                self.tables[table] = TableLayout(size, base, order, True)
                self.tables[other] = TableLayout(size, base + LINE // 2, other_order, True)
            else:
                self.tables[table] = TableLayout(size, base, tuple(range(len(cells)))[::-1])
            self.entries = base + size * (2 if partner else 1)
        for size in extra_sizes(tuples, rows, cols):
            self._append(size)

    def map(self, table: int, natural: Index) -> Index:
        where, length = self.tables[table], len(self.tables[table].order)
        if not length:
            return natural + np.uint32(where.base)
        index = _reorder(natural, where.order, range(length))
        if where.paired:
            index = index + (index & ~OWN)
        elif length > 1:
            index = _exchange(index)
        return (index ^ self._folded(index)) + np.uint32(where.base)

    def inverse(self, table: int, memory: Index) -> Index:
        where, length = self.tables[table], len(self.tables[table].order)
        folded = memory - np.uint32(where.base)
        if not length:
            return folded
        index = folded
        for _ in range(32 // self.fold):  # each round puts right another 10 bits, from the top
            index = folded ^ self._folded(index)
        if where.paired:
            index = (index & OWN) | (index >> np.uint32(1) & ~OWN)
        elif length > 1:
            index = _exchange(index)
        return _reorder(index, range(length), where.order)

    def _folded(self, index: Index) -> Index:
        folded: Index = index >> np.uint32(self.fold) & ~np.uint32(LINE - 1)
        return folded


def layout_for(tuples: TupleSet, rows: int, cols: int, radix: int) -> Layout:
    """The layout in use for a tuple set."""
    return Paired16(tuples, rows, cols) if radix == Paired16.radix else Digits(tuples, rows, cols, radix)


def entries_of(tuples: TupleSet, rows: int, cols: int, radix: int, stages: int = 1) -> int:
    """The entries of all tables of a network with so many stages, one copy after the other."""
    entries = layout_for(tuples, rows, cols, radix).entries
    return entries + (stages - 1) * next_region(entries)


def next_region(end: int) -> int:
    """Where the region after one that ends at `end` begins: on a line, and skewed."""
    return -(-end // LINE) * LINE + SKEW if end else 0


def _common(a: Cells, b: Cells, images: Sequence[Cells]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Orders of the cells of two tuples, the own cell first and the shared ones alike; None when they are no pair."""
    for image in images:
        seen = tuple(image[cell] for cell in a)
        shared = [cell for cell in seen if cell in b]
        if 1 < len(a) == len(b) < 8 and len(shared) == len(b) - 1:  # two of 8 cells: 33 bits
            own_a = next(i for i, cell in enumerate(seen) if cell not in b)
            own_b = next(i for i, cell in enumerate(b) if cell not in seen)
            shared.reverse()
            return (own_a, *(seen.index(c) for c in shared)), (own_b, *(b.index(c) for c in shared))
    return None


def _reorder(index: Index, read: Sequence[int], write: Sequence[int]) -> Index:
    """Move the digit at position read[i] to position write[i]."""
    out = np.zeros_like(index)
    for source, target in zip(read, write, strict=True):
        out |= (index >> np.uint32(4 * source) & np.uint32(15)) << np.uint32(4 * target)
    return out


def _exchange(index: Index) -> Index:
    """Exchange bits 3 and 4. Its own inverse."""
    moved: Index = (index >> np.uint32(1) ^ index) & np.uint32(8)
    exchanged: Index = index ^ moved ^ moved << np.uint32(1)
    return exchanged
