// The four moves as buttons, each with its value as a number and a bar.

export const ACTIONS = { up: "↑", right: "→", down: "↓", left: "←" };

export const amount = (value) => value.toLocaleString("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });

// The move of the largest value; null where there is none, or where several moves show the same number.
export function bestOf(values) {
  const known = values.filter((value) => value !== null);
  const high = amount(Math.max(...known));
  const best = Object.keys(ACTIONS).filter((action, i) => values[i] !== null && amount(values[i]) === high);
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
    Object.assign(this, { element, note });
    for (const [action, arrow] of Object.entries(ACTIONS)) element.append(valueButton(action, arrow, chosen));
  }

  // Show the values of a board; null: they are still being searched for. `played` is the move that a record has.
  show({ values, legal, played }, playing) {
    const buttons = [...this.element.children];
    this.element.classList.toggle("thinking", values === null && (!playing || this.element.classList.contains("thinking")));
    if (values === null) {
      for (const button of buttons) button.setAttribute("aria-disabled", String(!legal.includes(button.dataset.action)));
      return;
    }
    const known = values.filter((value) => value !== null);
    const best = bestOf(values), high = Math.max(...known), start = barStart(Math.min(...known), high);
    const from = known.length ? `Bars start at ${start.toLocaleString("en", { maximumFractionDigits: 6 })}.` : "";
    this.note.textContent = played ? `${from} ● is the move that was made.` : from;
    buttons.forEach((button, i) => {
      const { action } = button.dataset, value = values[i], { bar, number, mark } = button.parts;
      const share = value === null || high === start ? 0 : (value - start) / (high - start);
      bar.style.transform = `scaleX(${share.toFixed(3)})`;
      number.textContent = value === null ? "–" : amount(value);
      mark.textContent = `${action === played ? "●" : ""}${action === best ? "★" : ""}`;
      button.classList.toggle("best", action === best);
      button.setAttribute("aria-disabled", String(value === null || played !== undefined));
      const notes = [value === null ? "not legal" : number.textContent, ...(action === best ? ["best"] : []), ...(action === played ? ["played"] : [])];
      if (!playing) button.setAttribute("aria-label", `${action}: ${notes.join(", ")}`);
    });
  }
}

function valueButton(action, arrow, chosen) {
  const button = document.createElement("button");
  const [sign, name, track, number, mark] = Array.from({ length: 5 }, () => document.createElement("span"));
  const bar = document.createElement("i");
  button.className = "value";
  button.dataset.action = action;
  sign.textContent = arrow;
  name.textContent = action[0].toUpperCase() + action.slice(1);
  track.className = "bar";
  number.className = "number";
  mark.className = "mark";
  track.append(bar);
  button.append(sign, name, track, number, mark);
  button.parts = { bar, number, mark };
  button.addEventListener("click", () => chosen(action));
  return button;
}

// Values as a line of text.
export function valuesText(values) {
  const best = bestOf(values);
  if (values.every((value) => value === null)) return "No move is legal.";
  return Object.keys(ACTIONS).map((action, i) =>
    `${action} ${values[i] === null ? "–" : amount(values[i])}${action === best ? " ★" : ""}`).join("   ");
}
