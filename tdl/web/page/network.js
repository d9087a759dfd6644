// The n-tuple network and the search: what a board is worth, to the last bit. The references are
// tdl/network/network_reference.py and tdl/search/expectimax_reference.py.

const { fround } = Math;

// The half-precision numbers of a base64 text: all low bytes, then all high bytes, deflated.
export async function halves(text) {
  const signs = atob(text), packed = new Uint8Array(signs.length);
  for (let i = 0; i < packed.length; i++) packed[i] = signs.charCodeAt(i);
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const planes = new Uint8Array(await new Response(stream).arrayBuffer()), count = planes.length / 2;
  const single = Float32Array.from({ length: 1 << 16 }, (_, half) => {
    const sign = half >> 15 ? -1 : 1, exponent = half >> 10 & 31, rest = half & 1023;
    return sign * (exponent ? (1024 + rest) * 2 ** (exponent - 25) : rest * 2 ** -24);
  });
  const numbers = new Float32Array(count);
  for (let i = 0; i < count; i++) numbers[i] = single[planes[i] | planes[count + i] << 8];
  return numbers;
}

class Network {
  // `tables` are the first entries of tables in `weights`, `stride` is the entries of a stage.
  constructor({ radix, tables, stride, features, orders, counts, cap, thresholds, by }, tiles, weights) {
    Object.assign(this, { radix, stride, orders, counts, cap, thresholds, tiles, weights, bySum: by === "sum" });
    const cells = features.map(([, ofTuple]) => ofTuple);
    this.tables = Int32Array.from([...features, ...orders, ...counts], ([table]) => tables[table]);
    this.ends = Int32Array.from(cells, (_, tuple) => cells.slice(0, tuple + 1).flat().length);
    this.cells = Uint8Array.from(cells.flat());
    this.powers = Int32Array.from(cells.flatMap((ofTuple) => ofTuple.map((_, digit) => radix ** digit)));
    this.symbols = new Uint8Array(25);
    this.part = new Float32Array(4);
  }

  // V of a board: feature f goes to partial sum f % 4.
  value(board) {
    const { part, weights, tables, ends, cells, powers, symbols, radix } = this, first = this.stride * this.stage(board);
    for (let cell = 0; cell < board.length; cell++) symbols[cell] = Math.min(board[cell], radix - 1);
    part.fill(tables.length < 4 ? 0 : -0); // -0 + w is always w
    let i = 0, feature = 0;
    for (; feature < ends.length; feature++) {
      let entry = first + tables[feature];
      for (; i < ends[feature]; i++) entry += symbols[cells[i]] * powers[i];
      part[feature & 3] += weights[entry];
    }
    for (const [, pairs] of this.orders) part[feature & 3] += weights[first + tables[feature++] + order(board, pairs)];
    for (const [, tiles] of this.counts) part[feature & 3] += weights[first + tables[feature++] + this.count(board, tiles)];
    return fround(fround(part[0] + part[1]) + fround(part[2] + part[3]));
  }

  stage(board) {
    if (!this.thresholds.length) return 0;
    const values = Array.from(board, (tile) => this.tiles[tile]);
    const measure = this.bySum ? values.reduce((a, b) => a + b) : Math.max(...values);
    return this.thresholds.filter((threshold) => measure >= threshold).length;
  }

  count(board, tiles) {
    const often = (tile) => board.reduce((sum, other) => sum + (other === tile), 0);
    return tiles.reduce((index, tile, j) => index + Math.min(often(tile), this.cap) * (this.cap + 1) ** j, 0);
  }
}

function order(board, pairs) {
  return pairs.reduce((index, [a, b], p) => {
    const empty = !board[a] && !board[b];
    return index + (empty || board[a] < board[b] ? 2 ** p : 0) + (empty || board[a] > board[b] ? 2 ** (pairs.length + p) : 0);
  }, 0);
}

const best = (values) => values.reduce((most, value) => (value !== null && (most === null || value > most) ? value : most), null);

export class Player {
  constructor(rules, { network, gamma, target }, weights) {
    Object.assign(this, { rules, network: new Network(network, rules.tiles, weights), gamma, ofStates: target === "state" });
    this.shares = rules.shares();
  }

  // The values of the four moves, reward included; null where illegal.
  values(board, plies) {
    return this.moves(board).map((move) => move && this.worth(move, this.after(move.after, plies - 1)));
  }

  // The same, while `rest()` lets others work from time to time; null as soon as it gives false.
  async searched(board, plies, rest) {
    const values = [];
    for (const move of this.moves(board)) {
      const left = [];
      for (const next of move ? this.successors(move.after) : []) {
        if (!await rest()) return null;
        left.push(best(this.values(next, plies - 1)) ?? 0);
      }
      values.push(move && this.worth(move, this.mean(left)));
    }
    return values;
  }

  moves(board) {
    return [0, 1, 2, 3].map((action) => this.rules.move(board, action));
  }

  worth({ reward }, value) {
    return fround(fround(reward) + fround(this.gamma * value));
  }

  // The value of an afterstate, so many plies deep.
  after(board, plies) {
    if (plies) return this.mean(this.successors(board).map((next) => best(this.values(next, plies)) ?? 0));
    return this.ofStates ? this.expected(board) : this.network.value(board);
  }

  // The boards that a drop makes of a board, tile by tile.
  successors(board) {
    const empty = this.rules.empty(board);
    return this.shares.flatMap(([tile]) => empty.map((cell) => board.with(cell, tile)));
  }

  // The mean over all drops, from what each of `successors` is worth.
  mean(values) {
    const cells = values.length / this.shares.length; // that are empty
    let total = 0;
    this.shares.forEach(([, share], i) => {
      total += share * (values.slice(i * cells, (i + 1) * cells).reduce((sum, value) => sum + value, 0) / cells);
    });
    return fround(total);
  }

  // The mean of V over all drops.
  expected(board) {
    const empty = this.rules.empty(board);
    let total = 0;
    for (const cell of empty) {
      for (const [tile, share] of this.shares) {
        total = fround(total + fround(fround(share) * this.network.value(board.with(cell, tile))));
      }
    }
    return fround(total / empty.length);
  }
}
