// The board: tiles that slide by CSS transforms. It knows no rules; the server says what moved where.

const SLIDE_MS = 110;
const FIT = [0, 0.42, 0.42, 0.34, 0.27, 0.22, 0.185, 0.16, 0.14, 0.125]; // size of the text by its length

export class Board {
  constructor(element) {
    this.element = element;
    this.tiles = new Map(); // cell: element
    this.extra = []; // elements that have slid under another
    this.timer = 0;
  }

  // A board of another game.
  setUp(rows, cols) {
    clearTimeout(this.timer);
    this.timer = 0;
    Object.assign(this, { rows, cols });
    this.element.style.setProperty("--rows", rows);
    this.element.style.setProperty("--cols", cols);
    this.field = document.createElement("div");
    this.field.className = "field";
    for (let cell = 0; cell < rows * cols; cell++) this.field.append(this.placed(element("cell"), cell));
    this.element.replaceChildren(this.field);
    this.tiles.clear();
    this.extra = [];
  }

  placed(tile, cell) {
    tile.style.setProperty("--r", Math.floor(cell / this.cols));
    tile.style.setProperty("--c", cell % this.cols);
    return tile;
  }

  // Show a board as it is.
  show(board, note = "") {
    clearTimeout(this.timer);
    this.timer = 0;
    this.element.classList.add("still");
    this.settle(board, new Set(), -1);
    this.end(note);
  }

  // Show what a move made: slides, then the merged tiles and the one that dropped.
  animate(board, made, note = "") {
    if (this.timer) {
      clearTimeout(this.timer);
      this.settle(this.goal, new Set(), -1);
    }
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
        this.extra.push(tile);
      } else moved.set(to, tile);
      this.placed(tile, to);
    }
    for (const [cell, tile] of moved) this.tiles.set(cell, tile);
    this.goal = board;
    this.timer = setTimeout(() => {
      this.timer = 0;
      this.settle(board, merged, made.drop.cell);
      this.end(note);
    }, SLIDE_MS);
  }

  settle(board, merged, dropped) {
    for (const tile of this.extra) tile.remove();
    this.extra = [];
    board.flat().forEach((value, cell) => {
      let tile = this.tiles.get(cell);
      if (!value) {
        if (tile) tile.remove();
        this.tiles.delete(cell);
        return;
      }
      if (!tile) {
        tile = this.placed(element("tile"), cell);
        tile.append(document.createElement("span"));
        this.tiles.set(cell, tile);
        this.field.append(tile);
      }
      const name = `tile v${value}`
        + (cell === dropped ? " new" : merged.has(cell) ? " merged" : "");
      if (tile.className !== name) tile.className = name;
      const text = String(value);
      if (tile.firstChild.textContent !== text) {
        tile.firstChild.textContent = text;
        tile.style.setProperty("--fit", FIT[Math.min(text.length, 9)]);
      }
    });
  }

  end(note) {
    this.element.classList.toggle("over", Boolean(note));
    this.element.querySelector(".end")?.remove();
    if (!note) return;
    const told = element("end");
    told.textContent = note;
    this.element.append(told);
  }
}

function element(name) {
  const made = document.createElement("div");
  made.className = name;
  return made;
}
