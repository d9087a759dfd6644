// Stands for requests.js in the page that `tdl export --format=web` makes: it answers as tdl/web/site.py does.

import { $ } from "/dom.js";
import { boardOf, fileText, parsed } from "/game_text.js";
import { Player, halves } from "/network.js";
import { OpenGame, chosen, made, mostPlies } from "/open_game.js";
import { Rules } from "/rules.js";
import { ACTIONS } from "/values.js";

const described = JSON.parse($("player").textContent);
const { start, name, record } = described;
const rules = new Rules(described.game);

export const player = halves($("weights").textContent).then((weights) => new Player(rules, described, weights));

let open = null; // the game that is played

const ANSWERS = {
  "/api/start": () => start,
  "/api/library": () => ({ entries: [] }),
  "/api/new": async (wish) => whole(open = await begun(wish)),
  "/api/values": async ({ plies }) => { await open.look(plies); return { state: open.state() }; },
  "/api/move": ({ action, version }) => {
    if (version !== open.version) throw Object.assign(new Error("the board has changed meanwhile"), { status: 409 });
    open.move(ACTIONS.indexOf(action));
    return { state: { ...open.state(), made: made(rules, open.moves.at(-1)) } };
  },
  "/api/step": async ({ count }) => ({ frames: await open.step(count), state: open.state() }),
  "/api/undo": ({ count = 1 }) => { open.undo(count); return { state: open.state() }; },
  "/api/judge": async (wish) => judged(await begun(wish)),
  "/api/replay": async ({ text, name: file }) => replayed(parsed(text, rules, file), await player),
};

async function begun({ seed = 0, plies, board = null, exponents = false }) {
  return new OpenGame(await player, seed, plies, board === null ? null : boardOf(board, rules, exponents));
}

function whole(game) {
  const { id, seed, scores, ownStart } = game;
  const board = ownStart ? rules.rowsOf(game.start) : null;
  return { id, rules: start.rules, checkpoint: name, most_plies: mostPlies(game.player), seed, board, scores, state: game.state() };
}

async function judged(game) {
  await game.look();
  const { values } = game, first = chosen(values);
  const byName = (numbers) => Object.fromEntries(ACTIONS.map((action, i) => [action, numbers[i]]));
  const losses = values.map((value) => (value === null ? null : values[first] - value));
  return { board: rules.rowsOf(game.board), best: ACTIONS[first] ?? null, values: byName(values), losses: byName(losses), checkpoint: name };
}

function replayed({ header, start: first, moves }, judge) {
  const { game, rows, cols } = start.rules;
  const values = moves.map(({ board }) => judge.values(board, 1));
  const judgedMoves = moves.length > 0 && moves.every(({ loss }) => loss !== null);
  return {
    boards: [first, ...moves.map(({ after }) => after)].map((board) => rules.rowsOf(board)),
    made: moves.map((move) => made(rules, move)),
    rows, cols, title: `${game} on ${rows}x${cols}`, seed: header.seed, episode: header.episode,
    own_start: header.own_start ?? false, complete: header.complete ?? true,
    by: judgedMoves ? "the deeper search of the record" : `${name}, 1 ply`,
    values: judgedMoves ? moves.map((move) => move.values) : values,
    losses: moves.map(({ action, loss }, i) => (judgedMoves ? loss : Math.max(...values[i].filter((v) => v !== null)) - values[i][action])),
    best: judgedMoves ? null : values.map((four) => ACTIONS[chosen(four)]),
  };
}

export const post = async (path, data = {}) => ANSWERS[path](data);
export const get = post;
export const textOf = (game) => fileText(game, record);
export const fileOf = () => textOf(open);
export const remembered = () => ({}); // a file's address takes no more
export const remember = () => {};

$("save").parentElement.hidden = !isSecureContext; // else there is no digest
$("save").addEventListener("click", async (event) => {
  event.preventDefault();
  const link = Object.assign(document.createElement("a"), { download: "game.jsonl" });
  link.href = URL.createObjectURL(new Blob([await fileOf()]));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
});
