// Charts of a sweep: scales, learning curves with bands, and parallel coordinates. What is drawn is changed in place.

import { node } from "/charts.js";

const LEFT = 46, RIGHT = 12, TOP = 8, BOTTOM = 24, HEIGHT = 250; // pixels of the curves
const ROW = 62, LETTER = 6.6; // pixels of an axis of the parallel coordinates, and of a letter of its labels
const LOGS_FROM = 4; // numbers whose largest is so many times the smallest are shown by logarithms

const COMPACT = { notation: "compact", maximumSignificantDigits: 3 };

export const short = (value) => value.toLocaleString("en", COMPACT).replace("K", "k");

export const scaled = (low, high, start, end) => (value) => start + (value - low) / (high - low || 1) * (end - start);

// Round numbers from `low` to `high`, some `most` of them.
export function ticks(low, high, most) {
  const rough = (high - low) / most;
  if (!(rough > 0)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((times) => times * power >= rough * 0.999);
  const first = Math.ceil(low / step - 1e-9), count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: count }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

// Children of `parent`, one for each item by its name, in their order: those that are there stay, so nothing flickers.
export function keyed(parent, items, make, update) {
  const before = new Map([...parent.children].map((child) => [child.key, child]));
  const focused = document.activeElement;
  items.forEach((item, i) => {
    const child = before.get(item.name) ?? Object.assign(make(item), { key: item.name });
    if (parent.children[i] !== child) parent.insertBefore(child, parent.children[i] ?? null);
    update(child, item, i);
  });
  while (parent.children.length > items.length) parent.lastElementChild.remove();
  if (document.activeElement !== focused && parent.contains(focused)) focused.focus({ preventScroll: true });
}

const set = (element, attributes) => {
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
};

const label = (text, attributes) => {
  const element = node("text", attributes);
  element.textContent = text;
  return element;
};

// A place that is drawn anew when it has another width.
class Drawing {
  constructor(place, ...parts) {
    this.svg = node("svg", { class: "lines", "aria-hidden": "true" });
    this.svg.append(...parts);
    place.append(this.svg);
    new ResizeObserver(([{ contentRect }]) => {
      this.width = Math.floor(contentRect.width);
      this.redraw();
    }).observe(place);
  }

  show(...shown) {
    this.shown = shown;
    this.redraw();
  }

  redraw() {
    if (this.shown && this.width) this.draw(this.width, ...this.shown);
  }

  setHeight(height) {
    set(this.svg, { viewBox: `0 0 ${this.width} ${height}`, width: this.width, height });
  }
}

// ---- learning curves

export class Curves extends Drawing {
  constructor(place) {
    const [frame, clip, lines] = [node("g", { class: "frame" }), node("rect", { y: 0 }), node("g", {})];
    const [clipping, bands] = [node("clipPath", { id: "inside" }), node("g", { "clip-path": "url(#inside)" })];
    clipping.append(clip);
    super(place, clipping, frame, bands, lines);
    Object.assign(this, { frame, clip, bands, lines });
  }

  // Settings, the best last; `mark(element, setting)` gives an element the colour of its setting.
  draw(width, settings, along, mark) {
    const points = new Map(settings.map(({ name, curve }) => [name, curve ? pointsOf(curve) : []]));
    const all = [...points.values()].flat(), means = all.map(({ mean }) => mean);
    const last = all.reduce((most, { at }) => Math.max(most, at), 1);
    const lowest = Math.min(...means), high = Math.max(...means) * 1.06;
    const low = lowest < 0.4 * high ? Math.min(0, lowest) : lowest;
    const x = scaled(0, last, LEFT, width - RIGHT), y = scaled(low, high, HEIGHT - BOTTOM, TOP);
    this.setHeight(HEIGHT);
    set(this.clip, { x: LEFT, width: width - LEFT - RIGHT, height: HEIGHT - BOTTOM });
    this.frame.replaceChildren(...frame(width, x, y, last, low, high, along));
    keyed(this.bands, settings, () => node("path", { class: "band" }), (path, setting) => {
      mark(path, setting);
      const banded = points.get(setting.name).filter(({ low }) => low !== null);
      const [below, above] = ["low", "high"].map((bound) => banded.map((point) => [x(point.at), y(point[bound])]));
      path.setAttribute("d", outline([...below, ...above.reverse()]));
    });
    keyed(this.lines, settings, line, (group, setting) => {
      mark(group, setting);
      const [first, ...others] = points.get(setting.name).map((p) => [x(p.at), y(p.mean)]);
      const start = first && !others.length ? [[first[0] - 3, first[1]]] : []; // a point alone can be seen, too
      trace(group, outline(first ? [...start, first, ...others] : []));
    });
  }
}

function pointsOf({ at, mean, low, high }) {
  const points = at.map((games, i) => ({ at: games, mean: mean[i], low: low[i], high: high[i] }));
  return points.filter((point) => point.mean !== null);
}

function frame(width, x, y, last, low, high, along) {
  const rows = ticks(low, high, 5).flatMap((value) => [
    node("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value) }),
    label(short(value), { x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" }),
  ]);
  const columns = ticks(0, last, width < 420 ? 3 : 5).map((value) => {
    const text = value ? short(value) : `0 ${along}`;
    return label(text, { x: x(value), y: HEIGHT - 6, "text-anchor": value ? "middle" : "start" });
  });
  return [...rows, ...columns];
}

function outline(points) {
  return points.length ? `M${points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`).join("L")}` : "";
}

// A line that can be seen, and around it one that is easy to hit.
function line() {
  const group = node("g", {});
  group.append(node("path", { class: "hit" }), node("path", { class: "line" }));
  return group;
}

function trace(group, d) {
  for (const path of group.children) path.setAttribute("d", d);
}

// ---- parallel coordinates

export class Parallel extends Drawing {
  constructor(place) {
    const [lines, frame] = [node("g", {}), node("g", { class: "frame" })];
    super(place, lines, frame);
    Object.assign(this, { frame, lines });
  }

  // Settings, the best last, through an axis for each key and one for the score.
  draw(width, settings, { keys, score }, mark) {
    this.setHeight(ROW * (keys.length + 1) - 6);
    const means = settings.map(({ mean }) => mean).filter((mean) => mean !== null);
    const known = { name: score, scale: "linear", values: [...new Set(means)].sort((a, b) => a - b) };
    const axes = [
      ...keys.map((key) => ({ ...axis(key, width), value: ({ values }) => values[key.key] })),
      ...(means.length ? [{ ...axis(known, width), value: ({ mean }) => mean ?? NaN }] : []),
    ];
    this.frame.replaceChildren(...axes.flatMap((one, row) => drawnAxis(one, row, width)));
    keyed(this.lines, settings, line, (group, setting) => {
      mark(group, setting);
      const points = axes.map(({ x, value }, row) => [x(value(setting)), rowAt(row)]);
      trace(group, outline(points.filter(([x]) => Number.isFinite(x))));
    });
  }
}

const rowAt = (row) => ROW * row + 26;

// Where the values of a key are on its axis, and the labels. Numbers that are too close for names of a figure stay numbers.
function axis({ key, name, scale, values }, width) {
  const [start, end] = [12, width - 24], [low, high] = [values[0], values.at(-1)];
  if (!values.length || values.some((value) => typeof value !== "number")) {
    const room = (end - start) / Math.max(1, values.length);
    const x = (value) => start + room * (values.indexOf(value) + 0.5);
    return { name, x, labels: values.map((value) => [x(value), cut(String(value ?? "none"), room)]) };
  }
  const logs = scale === "log" || (scale === "names" && low > 0 && high >= LOGS_FROM * low);
  const byLogs = scaled(Math.log(low), Math.log(high), start, end);
  const x = logs ? (value) => byLogs(Math.log(value)) : scaled(low, high, start, end);
  const shown = key !== undefined && values.length <= 8 ? values : logs ? powers(low, high) : ticks(low, high, width / 90);
  return { name: logs ? `${name} (logarithmic)` : name, x, labels: shown.map((value) => [x(value), short(value)]) };
}

function powers(low, high) {
  const exponents = Array.from({ length: 20 }, (_, i) => Math.floor(Math.log10(low)) + i);
  const round = exponents.flatMap((exponent) => [1, 2, 5].map((times) => Number(`${times}e${exponent}`)));
  return round.filter((value) => value >= low && value <= high);
}

function cut(text, room) {
  const most = Math.max(2, Math.floor((room - 4) / LETTER));
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}

function drawnAxis({ name, labels }, row, width) {
  const y = rowAt(row), elements = [
    label(name, { x: 2, y: y - 11, class: "name" }),
    node("line", { x1: 2, x2: width - 2, y1: y, y2: y }),
  ];
  let free = -Infinity; // where the last label ends
  for (const [x, text] of labels) {
    const half = text.length * LETTER / 2, at = Math.min(Math.max(x, half + 1), width - half - 1);
    elements.push(node("line", { x1: x, x2: x, y1: y - 3, y2: y + 3 }));
    if (at - half < free) continue;
    elements.push(label(text, { x: at, y: y + 17, "text-anchor": "middle" }));
    free = at + half + 6;
  }
  return elements;
}
