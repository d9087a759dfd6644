// Curves as SVG.

const SPACE = "http://www.w3.org/2000/svg";
const WIDTH = 300;
const HEIGHT = 100;

function node(name, attributes) {
  const made = document.createElementNS(SPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

// A curve of at most `most` points (x, y) with its ground, scaled to its largest values.
export function curve(xs, ys, most = 240) {
  const plot = node("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  plot.append(node("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }));
  if (xs.length < 2) return plot;
  const step = Math.max(1, Math.ceil(xs.length / most));
  const [first, right] = [xs[0], xs[xs.length - 1]];
  const top = Math.max(1, ...ys.filter((_, i) => i % step === 0), ys[ys.length - 1]);
  const at = (i) => `${((xs[i] - first) / (right - first || 1) * WIDTH).toFixed(1)} ${(HEIGHT - ys[i] / top * (HEIGHT - 4)).toFixed(1)}`;
  const points = [];
  for (let i = 0; i < xs.length - 1; i += step) points.push(at(i));
  points.push(at(xs.length - 1));
  const line = `M${points.join("L")}`;
  plot.append(node("path", { class: "under", d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` }), node("path", { d: line }));
  return plot;
}

// The score of a game, move by move, with the figures at its ends.
export function scoreChart(place, scores) {
  const moves = scores.length - 1;
  place.replaceChildren(curve(scores.map((_, i) => i), scores));
  place.append(label("mark-top", scores[moves].toLocaleString("en")), label("mark-end", `${moves.toLocaleString("en")} moves`));
  place.setAttribute("aria-label", `Score against moves: ${scores[moves]} after ${moves}`);
}

// A line for each loss from `least` on, where its move is along the width; the largest is as high as the plot.
export function marks(losses, least) {
  const plot = node("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  const most = losses.reduce((a, b) => Math.max(a, b), 0);
  const columns = new Map(); // the largest loss of each column that can be told from others
  losses.forEach((loss, move) => {
    const x = Math.round(move / losses.length * WIDTH * 2) / 2;
    if (loss >= least) columns.set(x, Math.max(loss, columns.get(x) ?? 0));
  });
  const lines = [...columns].map(([x, loss]) => `M${x} ${HEIGHT}V${(HEIGHT - 8 - loss / most * (HEIGHT - 8)).toFixed(1)}`);
  if (lines.length) plot.append(node("path", { class: "loss", d: lines.join("") }));
  return plot;
}

function label(name, text) {
  const made = document.createElement("span");
  made.className = name;
  made.textContent = text;
  return made;
}
