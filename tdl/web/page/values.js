// The four moves as buttons, each with its value as a number and a bar.

import { amount } from "/dom.js";

export const ACTIONS = ["up", "right", "down", "left"];

// The move of the largest value; null where there is none, or where several moves show the same number.
export function bestOf(values) {
  const high = amount(Math.max(...values.filter((value) => value !== null)));
  const best = ACTIONS.filter((_, i) => values[i] !== null && amount(values[i]) === high);
  return best.length === 1 ? best[0] : null;
}

// The value at which bars start: a round number at or below the lowest, so that differences are seen.
function barStart(low, high) {
  if (high === low) return Math.min(0, low);
  const step = 10 ** Math.floor(Math.log10(high - low));
  return Math.floor(low / step) * step;
}

export class Values {
  // `chosen(action)` is called with the name of the move that was clicked; `note` tells where bars start.
  constructor(element, note, chosen) {
    Object.assign(this, { element, note, buttons: [...element.children] });
    for (const button of this.buttons) button.onclick = () => chosen(button.dataset.action);
  }

  // Show the values of a board; null: they are still being searched for. `played` is the move that a record has.
  show({ values, legal, played }, playing) {
    const { classList } = this.element;
    classList.toggle("thinking", values === null && (!playing || classList.contains("thinking")));
    if (values === null) {
      for (const button of this.buttons) button.setAttribute("aria-disabled", String(!legal.includes(button.dataset.action)));
      return;
    }
    const known = values.filter((value) => value !== null);
    const best = bestOf(values), high = Math.max(...known), start = barStart(Math.min(...known), high);
    const from = known.length ? `Bars start at ${start.toLocaleString("en", { maximumFractionDigits: 6 })}.` : "";
    this.note.textContent = played ? `${from} ● is the move that was made.` : from;
    this.buttons.forEach((button, i) => {
      const { action } = button.dataset, value = values[i];
      const share = value === null || high === start ? 0 : (value - start) / (high - start);
      const text = value === null ? "–" : amount(value);
      button.querySelector("i").style.transform = `scaleX(${share.toFixed(3)})`;
      button.querySelector(".number").textContent = text;
      button.querySelector(".mark").textContent = `${action === played ? "●" : ""}${action === best ? "★" : ""}`;
      button.classList.toggle("best", action === best);
      button.setAttribute("aria-disabled", String(value === null || played !== undefined));
      const notes = [value === null ? "not legal" : text, action === best && "best", action === played && "played"];
      if (!playing) button.setAttribute("aria-label", `${action}: ${notes.filter(Boolean).join(", ")}`);
    });
  }
}
