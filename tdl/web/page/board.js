// The board: tiles that slide by CSS transforms. It knows no rules; the server says what moved where.

import { create } from "/dom.js";

const SLIDE_MS = 110;
const FIT = [0, 0.42, 0.42, 0.34, 0.27, 0.22, 0.185, 0.16, 0.14, 0.125]; // size of the text by its length

export class Board {
  constructor(element) {
    this.element = element;
    this.tiles = new Map(); // cell: element
    this.hidden = []; // elements that have slid under another
    this.timer = 0;
  }

  // A board of another game.
  setUp(rows, cols) {
    this.stop();
    Object.assign(this, { rows, cols, hidden: [] });
    this.tiles.clear();
    this.element.style.setProperty("--rows", rows);
    this.element.style.setProperty("--cols", cols);
    const cells = Array.from({ length: rows * cols }, (_, cell) => this.placed(create("div", { className: "cell" }), cell));
    this.field = create("div", { className: "field" }, ...cells);
    this.element.replaceChildren(this.field);
  }

  placed(tile, cell) {
    tile.style.setProperty("--r", Math.floor(cell / this.cols));
    tile.style.setProperty("--c", cell % this.cols);
    return tile;
  }

  // Whether something was still sliding.
  stop() {
    const sliding = this.timer;
    clearTimeout(sliding);
    this.timer = 0;
    return sliding;
  }

  // Show a board as it is.
  show(board, note = "") {
    this.stop();
    this.element.classList.add("still");
    this.settle(board, note);
  }

  // Show what a move made: slides, then the merged tiles and the one that dropped.
  animate(board, made, note = "") {
    if (this.stop()) this.settle(this.goal);
    this.element.classList.remove("still");
    const merged = new Set();
    const moved = new Map();
    for (const [from, to] of made.slides) {
      const tile = this.tiles.get(from);
      if (!tile) return this.show(board, note);
      this.tiles.delete(from);
      if (moved.has(to)) {
        merged.add(to);
        tile.classList.add("below");
        this.hidden.push(tile);
      } else moved.set(to, tile);
      this.placed(tile, to);
    }
    for (const [cell, tile] of moved) this.tiles.set(cell, tile);
    this.goal = board;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.settle(board, note, merged, made.drop.cell);
    }, SLIDE_MS);
  }

  settle(board, note = "", merged = new Set(), dropped = -1) {
    for (const tile of this.hidden) tile.remove();
    this.hidden = [];
    board.flat().forEach((value, cell) => {
      if (value) this.fill(cell, value, cell === dropped ? " new" : merged.has(cell) ? " merged" : "");
      else this.tiles.get(cell)?.remove();
      if (!value) this.tiles.delete(cell);
    });
    this.element.classList.toggle("over", Boolean(note));
    this.element.querySelector(".end")?.remove();
    if (note) this.element.append(create("div", { className: "end", textContent: note }));
  }

  fill(cell, value, how) {
    if (!this.tiles.has(cell)) {
      this.tiles.set(cell, this.placed(create("div", {}, create("span")), cell));
      this.field.append(this.tiles.get(cell));
    }
    const tile = this.tiles.get(cell), text = String(value), name = `tile v${value}${how}`;
    if (tile.className !== name) tile.className = name;
    if (tile.textContent !== text) {
      tile.firstChild.textContent = text;
      tile.style.setProperty("--fit", FIT[Math.min(text.length, 9)]);
    }
  }
}
