// The rules of a game, which are data: tiles that slide and merge, drops, and the stream that they are drawn from. A board
// is an array of tile indices, row by row. The reference is tdl/game/game_reference.py.

const EVALUATION = 2n; // the role of the stream
const ONE = 2 ** 32;

const word = (number) => BigInt.asUintN(64, number);
const rotated = (number, by) => word(number << by | number >> 64n - by);

function splitmix(state) {
  const next = word(state + 0x9E3779B97F4A7C15n);
  let z = word((next ^ next >> 30n) * 0xBF58476D1CE4E5B9n);
  z = word((z ^ z >> 27n) * 0x94D049BB133111EBn);
  return [next, z ^ z >> 31n];
}

// The random sequence of one game: xoshiro256** seeded through SplitMix64.
export class Stream {
  constructor(seed, episode = 0) {
    let key = 0n;
    for (const part of [BigInt(seed), EVALUATION, BigInt(episode)]) [, key] = splitmix(key ^ part);
    this.state = [0, 0, 0, 0].map(() => {
      const [next, drawn] = splitmix(key);
      key = next;
      return drawn;
    });
  }

  next() {
    let [a, b, c, d] = this.state;
    const drawn = word(rotated(word(b * 5n), 7n) * 9n), shifted = word(b << 17n);
    c ^= a;
    d ^= b;
    this.state = [a ^ d, b ^ c, c ^ shifted, rotated(d, 45n)];
    return drawn;
  }
}

export class Rules {
  // `tiles` are values by index, `merge` the index that two indices merge into, 0 where they do not, `drops` pairs of an
  // index and its threshold for 32 bits of a draw, `start` an index or "drop" for each tile of the first board.
  constructor({ rows, cols, tiles, merge, largest, drops, start }) {
    const across = Array.from({ length: rows }, (_, row) => Array.from({ length: cols }, (_, col) => row * cols + col));
    const down = across[0].map((_, col) => across.map((line) => line[col]));
    const back = (lines) => lines.map((line) => line.toReversed());
    Object.assign(this, { rows, cols, tiles, largest, drops, start, merge, lines: [down, back(across), back(down), across] });
  }

  // The board and the reward of an action; null where it changes nothing. `ways` takes the way of each tile.
  move(board, action, ways) {
    const after = new Uint8Array(board.length);
    let reward = 0, moved = false;
    for (const line of this.lines[action]) {
      let place = -1, waiting = 0; // the tile that the next one may merge with
      for (const cell of line) {
        const tile = board[cell];
        if (!tile) continue;
        const merged = this.merge[waiting][tile];
        if (merged) {
          reward += this.tiles[merged];
          after[line[place]] = Math.min(merged, this.largest);
          waiting = 0;
        } else {
          after[line[++place]] = tile;
          waiting = tile;
        }
        moved ||= line[place] !== cell;
        ways?.push([cell, line[place]]);
      }
    }
    return moved ? { after, reward } : null;
  }

  // The ways of tiles that move, or that another one comes to.
  slides(board, action) {
    const ways = [];
    this.move(board, action, ways);
    return ways.filter(([cell, to]) => cell !== to || ways.some(([other, same]) => same === to && other !== cell));
  }

  // Put a tile, by the drop law or this one, on an empty cell of a board.
  place(board, stream, tile = "drop") {
    const draw = stream.next(), below = Number(draw & 0xFFFFFFFFn), empty = this.empty(board);
    const cell = empty[Math.floor(Number(draw >> 32n) * empty.length / ONE)];
    board[cell] = tile === "drop" ? this.drops.find(([, threshold]) => below < threshold)[0] : tile;
    return { cell, tile: board[cell] };
  }

  first(stream) {
    const board = new Uint8Array(this.rows * this.cols);
    for (const tile of this.start) this.place(board, stream, tile);
    return board;
  }

  empty(board) {
    const cells = [];
    for (let cell = 0; cell < board.length; cell++) if (!board[cell]) cells.push(cell);
    return cells;
  }

  // The probability of each tile that drops.
  shares() {
    return this.drops.map(([tile, below], i) => [tile, (below - (i ? this.drops[i - 1][1] : 0)) / ONE]);
  }

  // Rows of tile values.
  rowsOf(board) {
    const values = Array.from(board, (tile) => this.tiles[tile]);
    return Array.from({ length: this.rows }, (_, row) => values.slice(row * this.cols, (row + 1) * this.cols));
  }
}
