// Games as files and boards as text, for the page that needs no server. The keys: tdl/sessions/game_lines.py.

import { ACTIONS } from "/values.js";

const digits = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");

// The file of a game. Its digest is of the first line as Python writes it, and empty where the page is not from a file or
// by https; `record` has what all games share, as Python writes it.
export async function fileText({ moves, rules, seed, score, start, ownStart, plies, legal }, record) {
  const rows = (board) => JSON.stringify(rules.rowsOf(board)).replaceAll(",", ", ");
  let sum = 0;
  const lines = moves.map(({ board, action, reward, values, tile, cell, by }, move) => {
    sum += reward;
    const line = { move, board: rules.rowsOf(board), action: ACTIONS[action], reward, values, tile: rules.tiles[tile], cell, score: sum };
    return `${JSON.stringify(by === "agent" ? line : { ...line, by })}\n`;
  }).join("");
  const fields = { ...record, episode: 0, moves: moves.length, plies, score, seed, start: rows(start) };
  if (legal.length) fields.complete = false;
  if (ownStart) fields.own_start = true;
  const header = (all) => `{${Object.keys(all).sort().map((key) => `"${key}": ${all[key]}`).join(", ")}}`;
  const digest = await crypto.subtle?.digest("SHA-256", new TextEncoder().encode(header(fields) + lines));
  return `${header({ ...fields, digest: `"${digest ? digits(digest) : ""}"` })}\n${lines}`;
}

// The game of a file, every move held against the rules.
export function parsed(text, rules, name) {
  let number = 0;
  try {
    const lines = text.trimEnd().split("\n").map((line) => { number += 1; return JSON.parse(line); });
    number = 1;
    const [header, ...rest] = lines;
    if (header.format !== "tdl-game-1") throw new Error("not of a game of this program");
    let board = boardOf(header.start, rules);
    const start = board;
    const moves = rest.map((line) => {
      number += 1;
      const move = moveOf(line, board, rules);
      board = move.after;
      return move;
    });
    return { header, start, moves };
  } catch (error) {
    throw new Error(`${name}: line ${number}: ${error instanceof SyntaxError ? "cut or corrupt (not JSON)" : error.message}`);
  }
}

function moveOf({ board: rows, action: word, by = "agent", values, tile, cell, loss = null }, board, rules) {
  const action = ACTIONS.indexOf(word), moved = action < 0 ? null : rules.move(board, action), index = rules.tiles.indexOf(tile);
  if (String(boardOf(rows, rules)) !== String(board)) throw new Error("its board is not the one that the move before led to");
  if (!moved) throw new Error(`${word} is not legal`);
  if (moved.after[cell] !== 0 || index < 1) throw new Error(`the tile ${tile} cannot drop on cell ${cell}`);
  moved.after[cell] = index;
  return { board, action, by, values, loss, cell, tile: index, ...moved };
}

// The board of rows, or of a text: numbers in reading order, with anything between them, or a hexadecimal digit for each cell.
export function boardOf(written, rules, exponents = false) {
  const count = rules.rows * rules.cols;
  const parts = typeof written === "string" ? written.replace(/^0x/i, "").match(/[0-9a-f]+|[.\-_*]/gi) ?? [] : written.flat();
  const hexadecimal = [1, rules.rows].includes(parts.length) && parts.join("").length === count;
  const words = hexadecimal ? [...parts.join("")] : parts;
  if (words.length !== count) throw new Error(`board: ${words.length} cells; expected ${count} in ${rules.rows} rows of ${rules.cols}`);
  return Uint8Array.from(words, (word, cell) => {
    const number = hexadecimal ? parseInt(word, 16) : Number(/^[.\-_*]$/.test(word) ? 0 : word);
    const tile = hexadecimal || exponents ? number : rules.tiles.indexOf(number);
    if (!(tile >= 0 && tile <= rules.largest)) throw new Error(`board cell ${cell}: got ${word}; expected a tile of the game`);
    return tile;
  });
}
