// The list of this folder's agents, each with its learning curve, which is asked for when it comes into view.

import { curve } from "/charts.js";

export class Library {
  // `chosen(name)` is called with the name of the entry that was clicked, null for playing by hand.
  constructor(list, chosen, ask) {
    Object.assign(this, { list, chosen, ask, curves: new Map(), current: null, wanted: "" });
    this.seen = new IntersectionObserver((entries) => {
      for (const entry of entries) if (entry.isIntersecting) this.draw(entry.target);
    });
  }

  async refresh() {
    const { entries } = await this.ask("/api/library");
    this.seen.disconnect();
    this.list.replaceChildren(this.item({ name: null, checkpoint: true }), ...entries.map((entry) => this.item(entry)));
    this.mark(this.current);
    this.filter(this.wanted);
    return entries.length;
  }

  item(entry) {
    const [row, button, title, about, plot, name] = ["li", "button", "b", "small", "span", "small"].map((each) => document.createElement(each));
    button.className = entry.name === null ? "entry hand" : "entry";
    button.entry = entry;
    title.textContent = entry.name === null ? "By hand" : entry.title;
    name.textContent = entry.name === entry.title ? "" : entry.name;
    name.className = "path";
    about.textContent = entry.name === null ? "no agent: a move is worth its reward" : description(entry);
    if (entry.error || !entry.checkpoint) about.className = "bad";
    plot.className = "curve";
    button.append(title, about, plot, name);
    button.addEventListener("click", () => this.chosen(entry.name));
    row.append(button);
    if (entry.curve) this.seen.observe(button);
    return row;
  }

  async draw(button) {
    this.seen.unobserve(button);
    const { name, changed } = button.entry;
    if (this.curves.get(name)?.changed !== changed) {
      const asked = async () => this.ask(`/api/curve?run=${encodeURIComponent(name)}`); // not all names have an address
      const data = await asked().catch(() => null);
      if (!data) return;
      this.curves.set(name, { changed, ...data });
    }
    const { episode, mean } = this.curves.get(name);
    const plot = button.querySelector(".curve");
    plot.replaceChildren(curve(episode, mean));
    const best = Math.round(Math.max(...mean)).toLocaleString("en");
    plot.title = `mean score in training: up to ${best} in ${episode.at(-1)?.toLocaleString("en")} games`;
  }

  mark(name) {
    this.current = name;
    for (const button of this.list.querySelectorAll(".entry")) {
      button.setAttribute("aria-current", String(button.entry.name === name));
    }
  }

  filter(text) {
    this.wanted = text.toLowerCase();
    for (const row of this.list.children) {
      const { name, title } = row.firstChild.entry;
      row.hidden = name !== null && !`${title} ${name}`.toLowerCase().includes(this.wanted);
    }
  }
}

function description(entry) {
  if (entry.error) return "cannot be read";
  const parts = [entry.game, entry.size, entry.kind === "ntuple" ? null : entry.kind];
  if (entry.episodes) parts.push(`${entry.episodes.toLocaleString("en")} games`);
  if (entry.mean) parts.push(`mean ${Math.round(entry.mean).toLocaleString("en")}`);
  if (!entry.checkpoint) parts.push("no checkpoint");
  else if (entry.status && entry.status !== "finished") parts.push(entry.status);
  return parts.filter(Boolean).join(" · ");
}
