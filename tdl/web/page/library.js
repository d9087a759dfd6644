// The list of this folder's agents, each with its learning curve, which is asked for when it comes into view.

import { curve } from "/charts.js";
import { create, number } from "/dom.js";
import { get } from "/requests.js";

export class Library {
  // `chosen(name)` is called with the name of the entry that was clicked, null for playing by hand.
  constructor(list, chosen) {
    Object.assign(this, { list, chosen, curves: new Map(), current: null, wanted: "" });
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.draw(entry.target);
    });
  }

  async refresh() {
    const { entries, sweeps = [] } = await get("/api/library");
    this.seen.disconnect();
    const byHand = { name: null, title: "By hand", plays: true };
    const [playing, others] = [true, false].map((plays) => [byHand, ...entries].filter((entry) => entry.plays === plays));
    this.count = create("summary");
    const rest = create("ul", {}, ...others.map((entry) => this.item(entry)));
    this.folded = create("li", {}, create("details", { className: "folded" }, this.count, rest));
    this.list.replaceChildren(...linksTo(sweeps), ...playing.map((entry) => this.item(entry)), this.folded);
    this.mark(this.current);
    this.filter(this.wanted);
  }

  item(entry) {
    const { name, title } = entry;
    const about = create("small", { textContent: description(entry), className: entry.error ? "bad" : "" });
    const path = create("small", { className: "path", textContent: name === title ? "" : name });
    const properties = { className: name === null ? "entry hand" : "entry", entry, onclick: () => this.chosen(name) };
    const button = create("button", properties, create("b", { textContent: title }), about, create("span", { className: "curve" }), path);
    if (entry.curve) this.seen.observe(button);
    return create("li", {}, button);
  }

  async draw(button) {
    this.seen.unobserve(button);
    const { name, changed } = button.entry;
    if (this.curves.get(name)?.changed !== changed) {
      const asked = async () => get(`/api/curve?run=${encodeURIComponent(name)}`); // not all names have an address
      const data = await asked().catch(() => null);
      if (!data) return;
      this.curves.set(name, { changed, ...data });
    }
    const { episode, mean } = this.curves.get(name);
    const plot = button.querySelector(".curve");
    plot.replaceChildren(curve(episode, mean));
    if (episode.length) plot.title = `mean score in training: up to ${number(Math.round(Math.max(...mean)))} in ${number(episode.at(-1))} games`;
  }

  mark(name) {
    this.current = name;
    for (const button of this.list.querySelectorAll(".entry")) {
      button.setAttribute("aria-current", String(button.entry.name === name));
    }
  }

  filter(text) {
    this.wanted = text.toLowerCase();
    for (const button of this.list.querySelectorAll(".entry")) {
      const { name, title } = button.entry;
      button.parentElement.hidden = name !== null && !`${title} ${name}`.toLowerCase().includes(this.wanted);
    }
    const others = this.folded.querySelectorAll("ul li:not([hidden])").length;
    this.folded.hidden = !others;
    this.count.textContent = `${number(others)} that cannot play`;
  }
}

// Links to the pages of sweeps, folded; none where there are none.
function linksTo(sweeps) {
  if (!sweeps.length) return [];
  const links = sweeps.map((sweep) => create("li", {}, create("a", {
    href: `/sweep?${new URLSearchParams({ sweep })}`, textContent: sweep === "." ? "this folder" : sweep,
  })));
  const summary = create("summary", { textContent: sweeps.length === 1 ? "1 sweep" : `${number(sweeps.length)} sweeps` });
  return [create("li", {}, create("details", { className: "folded" }, summary, create("ul", {}, ...links)))];
}

function description({ name, error, game, size, kind, episodes, mean, block, checkpoint, status }) {
  if (name === null) return "no agent: a move is worth its reward";
  if (error) return "cannot be read";
  return [
    game,
    size,
    kind !== "ntuple" && kind,
    episodes && `${number(episodes)} games`,
    mean && `mean ${number(Math.round(mean))}`,
    block && `best block ${number(Math.round(block))}`,
    checkpoint ? status !== "finished" && status : "no weights",
  ].filter(Boolean).join(" · ");
}
