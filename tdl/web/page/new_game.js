// The form of a new game: its rules, its board, the tiles that drop, and the seed.

import { $ } from "/dom.js";

export class NewGameForm {
  // Offer what the server has.
  setUp({ games, sizes }) {
    this.games = new Map(games.map((game) => [game.name, game]));
    for (const { name } of games) $("game").add(new Option(name));
    for (const size of sizes) $("size").add(new Option(size));
    $("size").value = "4x4";
    this.usualTiles();
  }

  fillTiles() {
    const { words } = this.games.get($("game").value);
    $("tiles").replaceChildren(...Object.entries(words).map(([name, text]) => new Option(text, name)));
    for (const option of $("tiles").options) option.title = `tiles=${option.value}`;
  }

  usualTiles() {
    this.fillTiles();
    $("tiles").value = this.games.get($("game").value).tiles;
  }

  // Show the rules of a game.
  fill({ rules, seed }) {
    $("game").value = rules.game;
    $("size").value = rules.size;
    this.fillTiles();
    if (rules.tiles === null) $("tiles").add(new Option(`${rules.drops} (the agent's own)`, ""), 0);
    $("tiles").value = rules.tiles ?? "";
    $("seed").value = seed;
  }

  // The request for a game of this form; its agent, and a board of one's own, stay while the rules are these.
  wished({ rules, checkpoint }, seed, board = null) {
    const [game, size, tiles] = ["game", "size", "tiles"].map((id) => $(id).value);
    const same = game === rules.game && size === rules.size && tiles === (rules.tiles ?? "");
    if (checkpoint !== null && same) return { checkpoint, seed, board };
    return { game, size, tiles: tiles || null, seed, board: same ? board : null };
  }
}
