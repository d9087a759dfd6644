// A recorded game: a slider over its moves, with marks where an agent would have moved otherwise.

import { marks } from "/charts.js";
import { $, amount, create, number } from "/dom.js";

const MOST = 8; // of the largest mistakes in the list
const LEAST = 0.05; // points; what is lost below is shown as nothing

export class Replay {
  // `show(view, smooth)` is called with each board that is to be shown.
  constructor(show) {
    Object.assign(this, { show, game: null, source: null, at: 0, mistakes: [] });
  }

  get on() { return this.game !== null; }

  get last() { return this.game.made.length; }

  // Take a game as the server gives it; `source` is the request that it answered.
  open(game, source) {
    Object.assign(this, { game, source, scores: [0], mistakes: [] });
    for (const { reward } of game.made) this.scores.push(this.scores.at(-1) + reward);
    game.losses?.forEach((loss, move) => { if (loss >= LEAST) this.mistakes.push(move); });
    $("replay").hidden = false;
    $("replay-title").textContent = `Recorded ${gameName(game)}`;
    $("at").max = this.last;
    this.tellMistakes();
    this.to(0);
  }

  close() {
    this.game = this.source = null;
    $("replay").hidden = true;
  }

  // Show the board after so many moves.
  to(at, smooth = false) {
    const before = this.at;
    this.at = Math.max(0, Math.min(this.last, at));
    $("at").value = this.at;
    $("at-text").textContent = this.text(this.at);
    $("at").setAttribute("aria-valuetext", this.text(this.at));
    $("before").disabled = !this.mistakes.some((move) => move < this.at);
    $("after").disabled = !this.mistakes.some((move) => move > this.at);
    this.show(this.view(), smooth && this.at === before + 1);
  }

  by(moves, smooth = false) {
    this.to(this.at + moves, smooth);
  }

  // To the next board on which the move was a mistake, or to the one before.
  toMistake(forth) {
    const next = forth ? this.mistakes.find((move) => move > this.at) : this.mistakes.findLast((move) => move < this.at);
    if (next !== undefined) this.to(next);
  }

  // What keys do while a record is shown; `scrub(work)` stops the play first.
  keys(scrub) {
    const keys = {
      ArrowLeft: () => this.by(-1), ArrowRight: () => this.by(1), PageUp: () => this.by(-10), PageDown: () => this.by(10),
      Home: () => this.to(0), End: () => this.to(this.last), b: () => this.toMistake(false), m: () => this.toMistake(true),
    };
    return Object.fromEntries(Object.entries(keys).map(([key, work]) => [key, () => scrub(work)]));
  }

  // The board as the page shows those of a game that is played.
  view() {
    const { game, at } = this, end = at === this.last;
    return {
      board: game.boards[at],
      score: this.scores[at],
      moves: at,
      largest: Math.max(...game.boards[at].flat()),
      over: end,
      end: !end ? "" : `${game.complete ? "Game over" : "Given up"}: ${number(this.scores[at])} points`,
      legal: [],
      values: end ? [null, null, null, null] : game.values[at],
      played: end ? null : game.made[at].action,
      made: at ? game.made[at - 1] : undefined,
    };
  }

  // The move that follows, who made it and what it lost.
  text(at) {
    const { made, losses, best } = this.game;
    const where = `${number(at)} of ${number(this.last)} moves`;
    if (at === this.last) return `${where}: the end`;
    const next = `${where}. Next: ${made[at].action}, by the ${made[at].by}`;
    if (!losses || losses[at] < LEAST) return next;
    return `${next}; ${best ? `${best[at]} is better by` : "it loses"} ${amount(losses[at])}`;
  }

  tellMistakes() {
    const { by, losses, best, made } = this.game;
    $("marks").replaceChildren(marks(losses ?? [], LEAST));
    const sum = (losses ?? []).reduce((all, loss) => all + loss, 0);
    $("mistakes-text").textContent = by === null
      ? "Choose an agent of this game in the list to see where it would have moved otherwise."
      : `${number(this.mistakes.length)} mistakes by ${by}; ${amount(sum / Math.max(this.last, 1))} points lost a move. The largest:`;
    const largest = [...this.mistakes].sort((a, b) => losses[b] - losses[a]).slice(0, MOST);
    $("mistakes").replaceChildren(...largest.map((move) => {
      const better = best ? `, better ${best[move]}` : "";
      const textContent = `${number(move)}: ${made[move].action}${better}, −${amount(losses[move])}`;
      return create("li", {}, create("button", { className: "small", textContent, onclick: () => this.to(move) }));
    }));
  }
}

// The number of a game among those of its seed.
const gameName = ({ episode, own_start: ownStart }) => (ownStart ? "game from a board of one's own" : `game ${number(episode)}`);

// The recorded games, by folder, for the list to choose from.
export function fillRecords(select, games) {
  const chosen = select.value, groups = new Map();
  for (const game of games) {
    const { name, folder, called, seed, score } = game;
    if (!groups.has(folder)) groups.set(folder, create("optgroup", { label: folder === "." ? "this folder" : folder }));
    const text = `${gameName(game)}: ${number(score)} points · ${called}, seed ${seed} · ${name.split("/").at(-1)}`;
    groups.get(folder).append(Object.assign(new Option(text, name), { game }));
  }
  select.replaceChildren(...groups.values());
  if (games.some(({ name }) => name === chosen)) select.value = chosen;
}

// The name of the best game of the rules and the folder of the one that is chosen; undefined without any.
export function bestRecord(select) {
  const [{ game: chosen } = {}] = select.selectedOptions;
  const alike = [...select.options].map(({ game }) => game).filter((game) => game.folder === chosen.folder && game.called === chosen.called);
  return alike.reduce((best, game) => (game.score > (best?.score ?? -1) ? game : best), undefined)?.name;
}
