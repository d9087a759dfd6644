// A game of the page that needs no server: as those of tdl/web/games.py, and by the same drops.

import { Stream } from "/rules.js";
import { ACTIONS } from "/values.js";

export const mostPlies = ({ ofStates }) => (ofStates ? 3 : 4); // the mean over drops takes as long as a ply
const QUICK_PLIES = 2; // values up to here take no time
const SECONDS = 1; // of a search: to one ply more, and one more, while there is time
const SLICE = 25; // milliseconds of work, after which the page has its turn

let games = 0; // begun so far

const breath = () => new Promise((done) => setTimeout(done));

export const chosen = (values) => values.reduce((best, value, i) => (value !== null && (best < 0 || value > values[best]) ? i : best), -1);

export class OpenGame {
  constructor(player, seed, plies, start = null) {
    Object.assign(this, { id: String(games += 1), player, rules: player.rules, seed, plies });
    Object.assign(this, { stream: new Stream(seed), ownStart: start !== null, score: 0, version: 0, moves: [], known: null });
    this.start = this.board = start ?? this.rules.first(this.stream);
    this.turn = performance.now();
  }

  // The values of the board that take no time, and those that are known.
  get values() {
    if (!this.known && this.plies <= QUICK_PLIES) this.known = this.player.values(this.board, this.plies);
    return this.known;
  }

  get legal() {
    return [0, 1, 2, 3].filter((action) => this.rules.move(this.board, action));
  }

  state() {
    const { rules, board, score, version, plies, values, legal } = this;
    return {
      board: rules.rowsOf(board), score, moves: this.moves.length, version, plies, values,
      legal: legal.map((action) => ACTIONS[action]), over: !legal.length, largest: Math.max(...rules.rowsOf(board).flat()),
    };
  }

  move(action, by = "person") {
    const { rules, board, stream } = this, moved = rules.move(board, action);
    if (!moved) throw new Error(`${ACTIONS[action]} is not legal`);
    const values = this.values ?? this.player.values(board, 1), drawn = stream.state;
    const drop = rules.place(moved.after, stream);
    this.moves.push({ board, action, by, reward: moved.reward, values, ...drop, drawn });
    this.become(moved.after, this.score + moved.reward);
  }

  become(board, score) {
    Object.assign(this, { board, score, known: null, version: this.version + 1 });
  }

  // The agent's move.
  advance() {
    this.move(chosen(this.values), "agent");
  }

  undo(count) {
    const [first] = this.moves.splice(Math.max(0, this.moves.length - count));
    if (!first) return;
    this.stream.state = first.drawn;
    this.become(first.board, this.moves.reduce((sum, { reward }) => sum + reward, 0));
  }

  // Look so many plies ahead from now on; a search ends as soon as the board is another.
  async look(plies = this.plies) {
    if (plies !== this.plies) Object.assign(this, { plies, known: null });
    if (this.values) return;
    const { board, version, player } = this, end = performance.now() + 1000 * SECONDS;
    const wanted = () => version === this.version && plies === this.plies;
    const rest = async () => await this.rest() && wanted() && performance.now() < end;
    let last = player.values(board, QUICK_PLIES), next = last;
    for (let deep = QUICK_PLIES + 1; next && deep <= plies; deep++) {
      last = next;
      next = await player.searched(board, deep, rest);
    }
    if (wanted()) this.known = next ?? last;
  }

  // Let the page work from time to time.
  async rest() {
    if (performance.now() - this.turn > SLICE) {
      await breath();
      this.turn = performance.now();
    }
    return true;
  }

  // Moves of the agent: the state after each.
  async step(count) {
    const frames = [], end = performance.now() + 1000 * SECONDS;
    while (this.legal.length && frames.length < count && (!frames.length || performance.now() < end)) {
      const { version } = this;
      do await this.look();
      while (!this.values && version === this.version); // another depth is wished for meanwhile
      await this.rest();
      if (version !== this.version) break; // somebody took over
      if (frames.length) frames.at(-1).values = this.values;
      this.advance();
      frames.push({ ...this.state(), made: made(this.rules, this.moves.at(-1)) });
    }
    return frames;
  }

  get scores() {
    const scores = [0];
    for (const { reward } of this.moves) scores.push(scores.at(-1) + reward);
    return scores;
  }
}

// A move as the page shows it.
export function made(rules, { board, action, by, reward, cell, tile }) {
  return { action: ACTIONS[action], by, reward, slides: rules.slides(board, action), drop: { cell, tile: rules.tiles[tile] } };
}
