// The four moves as buttons, each with its value as a number and a bar.

export const ACTIONS = { up: "↑", right: "→", down: "↓", left: "←" };

export class Values {
  // `chosen(action)` is called with the name of the move that was clicked.
  constructor(element, chosen) {
    this.element = element;
    for (const [action, arrow] of Object.entries(ACTIONS)) element.append(valueButton(action, arrow, chosen));
  }

  // Show the values of a board; null: they are still being searched for.
  show({ values, best, legal }, playing) {
    const buttons = [...this.element.children];
    this.element.classList.toggle("thinking", values === null && (!playing || this.element.classList.contains("thinking")));
    if (values === null) {
      for (const button of buttons) button.setAttribute("aria-disabled", String(!legal.includes(button.dataset.action)));
      return;
    }
    const known = values.filter((value) => value !== null);
    const [low, high] = [Math.min(...known), Math.max(...known)];
    buttons.forEach((button, i) => {
      const { action } = button.dataset, value = values[i], { bar, amount, mark } = button.parts;
      const share = value === null ? 0 : high > low ? 0.08 + 0.92 * (value - low) / (high - low) : 1;
      bar.style.transform = `scaleX(${share.toFixed(3)})`;
      amount.textContent = value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
      mark.textContent = action === best ? "★" : "";
      button.classList.toggle("best", action === best);
      button.setAttribute("aria-disabled", String(value === null));
      if (!playing) button.setAttribute("aria-label", `${action}: ${value === null ? "not legal" : amount.textContent}${action === best ? ", best" : ""}`);
    });
  }
}

function valueButton(action, arrow, chosen) {
  const button = document.createElement("button");
  const [sign, name, track, amount, mark] = Array.from({ length: 5 }, () => document.createElement("span"));
  const bar = document.createElement("i");
  button.className = "value";
  button.dataset.action = action;
  sign.textContent = arrow;
  name.textContent = action[0].toUpperCase() + action.slice(1);
  track.className = "bar";
  amount.className = "number";
  mark.className = "mark";
  track.append(bar);
  button.append(sign, name, track, amount, mark);
  button.parts = { bar, amount, mark };
  button.addEventListener("click", () => chosen(action));
  return button;
}

// Values as a line of text.
export function valuesText(values, best) {
  if (best === null) return "No move is legal.";
  return Object.keys(ACTIONS).map((action, i) =>
    `${action} ${values[i] === null ? "–" : values[i].toFixed(1)}${action === best ? " ★" : ""}`).join("   ");
}
