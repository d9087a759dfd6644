// "Judge a board": what is pasted goes to the server as it is, and its answer or its refusal stands beside the box.

import { Board } from "/board.js";
import { $, amount, create } from "/dom.js";
import { post } from "/requests.js";
import { ACTIONS } from "/values.js";

export class Judge {
  // `wish()` is what a request says of the agent, its depth and the rules.
  constructor(wish) {
    Object.assign(this, { wish, board: new Board($("judged-board")) });
  }

  // What the box has, for a request.
  pasted() {
    return { board: $("cells").value, exponents: $("exponents").checked };
  }

  // Do some work; what is wrong stands beside the box.
  async beside(work) {
    $("judge-error").textContent = "";
    try {
      await work();
    } catch (error) {
      $("judged").hidden = true;
      $("judge-error").textContent = error.message;
    }
  }

  async ask() {
    const { plies, ...wish } = this.wish();
    this.show(await post("/api/judge", { plies, ...wish, ...this.pasted() }), plies);
  }

  show({ board, values, best, losses, checkpoint }, plies) {
    $("judged").hidden = false;
    this.board.setUp(board.length, board[0].length);
    this.board.show(board);
    const by = checkpoint === null ? "Rewards of the moves" : `By ${checkpoint}, ${plies === 1 ? "1 ply" : `${plies} plies`}`;
    $("judged-by").textContent = best === null ? "The game is over: no move is legal." : `${by}:`;
    $("judged-table").hidden = best === null;
    $("judged-moves").replaceChildren(...ACTIONS.map((action) => {
      const legal = values[action] !== null;
      const cells = [action, legal ? amount(values[action]) : "–", action === best ? "★ best" : legal ? amount(losses[action]) : "illegal"];
      return create("tr", { className: action === best ? "best" : "" }, ...cells.map((textContent) => create("td", { textContent })));
    }));
    $("judged").scrollIntoView({ block: "nearest" });
  }
}
