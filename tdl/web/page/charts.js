// Curves as SVG.

import { create, number } from "/dom.js";

const WIDTH = 300;
const HEIGHT = 100;

export function node(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return element;
}

const plot = () => node("svg", { class: "plot", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });

// A curve of at most `most` points (x, y) with its ground, scaled to its largest values.
export function curve(xs, ys, most = 240) {
  const svg = plot();
  svg.append(node("line", { x1: 0, x2: WIDTH, y1: HEIGHT, y2: HEIGHT }));
  if (xs.length < 2) return svg;
  const step = Math.ceil(xs.length / most), last = xs.length - 1;
  const shown = [...xs.keys()].filter((i) => i === last || i % step === 0);
  const top = Math.max(1, ...shown.map((i) => ys[i]));
  const points = shown.map((i) => {
    const x = (xs[i] - xs[0]) / (xs[last] - xs[0] || 1) * WIDTH;
    return `${x.toFixed(1)} ${(HEIGHT - ys[i] / top * (HEIGHT - 4)).toFixed(1)}`;
  });
  const line = `M${points.join("L")}`;
  svg.append(node("path", { class: "under", d: `${line}L${WIDTH} ${HEIGHT}L0 ${HEIGHT}Z` }), node("path", { d: line }));
  return svg;
}

// The score of a game, move by move, with the figures at its ends.
export function scoreChart(place, scores) {
  const moves = scores.length - 1;
  place.replaceChildren(
    curve([...scores.keys()], scores),
    create("span", { className: "mark-top", textContent: number(scores[moves]) }),
    create("span", { className: "mark-end", textContent: `${number(moves)} moves` }),
  );
  place.setAttribute("aria-label", `Score against moves: ${scores[moves]} after ${moves}`);
}

// A line for each loss from `least` on, where its move is along the width; the largest is as high as the plot.
export function marks(losses, least) {
  const svg = plot();
  const most = losses.reduce((a, b) => Math.max(a, b), 0);
  const columns = new Map(); // the largest loss of each column that can be told from others
  losses.forEach((loss, move) => {
    const x = Math.round(move / losses.length * WIDTH * 2) / 2;
    if (loss >= least) columns.set(x, Math.max(loss, columns.get(x) ?? 0));
  });
  const lines = [...columns].map(([x, loss]) => `M${x} ${HEIGHT}V${(HEIGHT - 8 - loss / most * (HEIGHT - 8)).toFixed(1)}`);
  if (lines.length) svg.append(node("path", { class: "loss", d: lines.join("") }));
  return svg;
}
