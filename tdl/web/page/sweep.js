// A sweep while it runs, or when it has ended: what its files say, again and again, and one setting that stands out.

import { $, create, number } from "/dom.js";
import { get, remembered } from "/requests.js";
import { Curves, Parallel, keyed, scaled, short, ticks } from "/sweep_charts.js";

const OFTEN = 2000, SELDOM = 10_000; // milliseconds between two looks: while it runs, and else
const COLOURED = 7, SHOWN = 12; // the best settings have a colour; so many are in the list unasked
const MOST_RUNNING = 12;
const LONG = 26; // names of more letters have a line of their own, as on a phone
const NARROW = matchMedia("(max-width: 560px)");
const STATES = {
  leads: ["★", "leads"], stays: ["", "in the race"], stopped: ["■", "stopped"], diverged: ["✕", "diverged"],
  failed: ["✕", "failed"], running: ["▶", "running"], interrupted: ["", "interrupted"], waiting: ["", "waits"],
  ended: ["", ""],
};

const curves = new Curves($("curves")), parallel = new Parallel($("keys"));
const colours = new Map(); // number of a colour, by the name of its setting; kept while it is among the best
const query = new URLSearchParams(location.search);

let state = null;
let picked = null; // name of the setting that stands out
let all = false; // whether all settings are in the list
let next = null; // the timer of the next look

// ---- looking

async function look() {
  clearTimeout(next);
  if (document.hidden) return;
  let pause = SELDOM;
  try {
    state = await get(`/api/sweep?${query}`);
    $("error").hidden = true;
    show();
    if (state.status === "running") pause = OFTEN;
  } catch (error) {
    $("error-text").textContent = error.message;
    $("error").hidden = false;
    if (!state) say($("who"), "");
  }
  clearTimeout(next);
  next = setTimeout(look, pause);
}

function show() {
  performance.mark("sweep");
  document.querySelector("main").hidden = false;
  giveColours();
  showFinding();
  showSettings();
  showRunning();
  showCharts();
  showImportance();
  performance.measure("shown", "sweep");
}

function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

const round = (value) => number(Math.abs(value) < 100 ? Number(value.toPrecision(3)) : Math.round(value));

function duration(seconds) {
  if (seconds < 90) return `${Math.max(1, Math.round(seconds))} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`;
}

// ---- colours, and the setting that stands out

function giveColours() {
  const best = state.settings.filter(({ mean }) => mean !== null).slice(0, COLOURED).map(({ name }) => name);
  for (const name of colours.keys()) if (!best.includes(name)) colours.delete(name);
  const free = [...Array(COLOURED).keys()].filter((colour) => ![...colours.values()].includes(colour));
  for (const name of best) if (!colours.has(name)) colours.set(name, free.shift());
}

function mark(element, setting) {
  const { name } = setting;
  if (element.dataset.setting !== name) element.dataset.setting = name;
  element.dataset.colour = colours.get(name) ?? "";
  element.classList.toggle("out", isOut(setting));
  element.classList.toggle("on", name === picked);
}

// Whether a setting plays no more.
const isOut = ({ state: word }) => ["stopped", "diverged", "failed"].includes(word);

function pick(name) {
  if (name === picked) return;
  picked = name;
  for (const element of document.querySelectorAll("[data-setting]")) {
    element.classList.toggle("on", element.dataset.setting === name);
  }
  showPicked();
}

function showPicked() {
  const setting = state.settings.find(({ name }) => name === picked);
  document.body.classList.toggle("picking", Boolean(setting));
  const text = setting ? `${setting.name}: ${result(setting)}` : "Point at a line or a setting to see it alone.";
  for (const element of document.querySelectorAll(".picked")) say(element, text);
}

function result({ mean, low, high, seeds, of }) {
  if (mean === null) return "no score yet";
  const interval = low === null ? "" : ` [${round(low)}, ${round(high)}]`;
  return `${round(mean)}${interval}, ${seedsText(seeds, of)}`;
}

const seedsText = (seeds, of) => `${seeds} of ${of} ${of === 1 ? "seed" : "seeds"}`;

// ---- the finding

const PARTS = {
  finished: "done", running: "running", paused: "paused at a rung", failed: "failed", interrupted: "interrupted",
  waiting: "waiting", spared: "not needed: the race stopped their settings",
};

function showFinding() {
  const { answer, name, jobs, notes, race, status } = state;
  say($("who"), `Sweep ${name}`);
  const share = Math.round(100 * (jobs.finished + jobs.failed + jobs.spared) / jobs.all);
  const title = `${status === "running" ? `${share}% ` : ""}${name} – tdl`;
  if (document.title !== title) document.title = title;
  say($("answer"), answer || "No score yet: the first job is not over.");
  const texts = [...cautions(), ...notes].map((text) => ({ name: text }));
  keyed($("notes"), texts, ({ name }) => create("li", { textContent: name }), () => {});
  const parts = Object.keys(PARTS).map((name) => ({ name, jobs: jobs[name] ?? 0 })).filter(({ jobs }) => jobs);
  keyed($("shares"), parts, ({ name }) => create("i", { className: name }), (bar, { jobs }) => {
    bar.style.flexGrow = jobs;
  });
  keyed($("parts"), parts, ({ name }) => create("li", { className: name }), (item, { name, jobs }) => {
    say(item, `${number(jobs)} ${PARTS[name]}`);
  });
  const looks = race && `Race after ${race.looks} ${race.looks === 1 ? "look" : "looks"}: ${race.text}.`;
  say($("status"), [statusText(), looks].filter(Boolean).join(" "));
}

function statusText() {
  const { status, jobs, left, seconds, at_most: most } = state;
  const played = `${number(jobs.finished + jobs.failed)} of ${number(jobs.all)} jobs are played`;
  const taken = `${duration(seconds)} of one core`; // of all jobs together
  if (status === "ended") return `Ended: ${played}, in ${taken}.`;
  if (status === "stopped") return `Stopped: ${played}, and nobody works on the others. The same command goes on.`;
  const rest = left === null ? "" : `, ${most ? "at most" : "about"} ${duration(left)} left`;
  return `Running: ${played}${rest}; ${taken} so far.`;
}

// What must not be concluded.
function cautions() {
  const { settings } = state, known = settings.filter(({ mean }) => mean !== null);
  if (!known.length) return [];
  const single = known.length > 1 && known.every(({ seeds }) => seeds === 1);
  return [
    single && "One seed each does not say which setting is better: seeds differ, too.",
    known[0].seeds === 2 && known.length > 1 && "Two seeds are few: intervals are wide, and the order may be chance.",
    state.race && known.some(isOut)
      && "Settings that stopped have few seeds: they are worse than the leader, but their order is not known.",
  ].filter(Boolean);
}

// ---- the settings

function showSettings() {
  const { settings } = state, range = shownRange(settings);
  const stacked = NARROW.matches || settings.some(({ name }) => name.length > LONG);
  document.querySelector(".ranking").classList.toggle("stacked", stacked);
  say($("scale-text"), `${state.score}: means over seeds, with 95% intervals`);
  const x = scaled(range.low, range.high, 0, 100), known = settings.some(({ mean }) => mean !== null);
  $("scale").hidden = !known;
  const numbers = known ? ticks(range.low, range.high, 4).map((value) => ({ name: String(value), value })) : [];
  keyed($("scale").lastElementChild, numbers, () => create("span"), (tick, { value }) => {
    say(tick, short(value));
    tick.style.left = `${x(value)}%`;
  });
  keyed($("settings"), settings, settingRow, (row, setting, rank) => showSetting(row, setting, rank, x));
  $("all").hidden = settings.length <= SHOWN;
  say($("all"), all ? `The best ${SHOWN} only` : `All ${settings.length} settings`);
}

// The means, and as much of the best's interval as they take; what is far below the others is off the scale.
function shownRange(settings) {
  const means = settings.map(({ mean }) => mean).filter((mean) => mean !== null);
  if (!means.length) return { low: 0, high: 1 };
  const [best, least] = [means[0], means.at(-1)], middle = means[Math.floor(means.length / 2)];
  const lowest = best > middle ? Math.max(least, best - 4 * (best - middle)) : least;
  const room = best - lowest || Math.abs(best) / 10 || 1, [{ low, high }] = settings;
  const [below, above] = [Math.max(low ?? best, lowest - room), Math.min(high ?? best, best + room)];
  return { low: Math.min(lowest, below) - room / 10, high: above + room / 10 };
}

const span = (className) => create("span", { className });

function settingRow({ name }) {
  const ranged = create("span", { className: "interval" }, create("i"), create("b"));
  const about = create("span", { className: "about" }, span("seeds"), span("why"));
  const button = create("button", {}, span("swatch"), span("name"), ranged, span("mean"), about);
  button.ariaExpanded = "false";
  const jobs = create("ul", { className: "jobs", hidden: true });
  button.onclick = () => {
    jobs.hidden = !jobs.hidden;
    button.ariaExpanded = String(!jobs.hidden);
    showJobs(jobs, state.settings.find((setting) => setting.name === name));
  };
  return create("li", {}, button, jobs);
}

function showSetting(row, setting, rank, x) {
  const [button, jobs] = row.children, [, name, ranged, mean, about] = button.children, [seeds, why] = about.children;
  row.hidden = !all && rank >= SHOWN;
  mark(row, setting);
  say(name, setting.name);
  say(mean, setting.mean === null ? "–" : round(setting.mean));
  say(seeds, seedsText(setting.seeds, setting.of));
  say(why, stateText(setting));
  showInterval(ranged, setting, x);
  const label = `${setting.name}: ${[result(setting), why.textContent].filter(Boolean).join(", ")}. Jobs`;
  if (button.ariaLabel !== label) button.ariaLabel = label;
  showJobs(jobs, setting);
}

// The state in words; where there is a reason, it says the state, too.
function stateText({ state: word, why }) {
  const [sign, text] = STATES[word] ?? ["", word];
  if (word === "stays" && state.status === "ended") return "stayed to the end";
  return `${sign} ${why || text}`.trim();
}

function showInterval(ranged, { mean, low, high }, x) {
  const [bar, dot] = ranged.children, at = mean === null ? null : x(mean);
  const [from, to] = [Math.max(0, x(low ?? mean)), Math.min(100, x(high ?? mean))];
  bar.hidden = mean === null || low === null || to <= 0;
  bar.style.left = `${from}%`;
  bar.style.width = `${Math.max(0, to - from)}%`;
  bar.classList.toggle("goes-on-left", x(low ?? mean) < 0);
  bar.classList.toggle("goes-on-right", x(high ?? mean) > 100);
  dot.hidden = mean === null;
  dot.classList.toggle("off", at < 0);
  dot.style.left = `${Math.max(0, at)}%`;
}

function showJobs(list, { jobs }) {
  if (list.hidden) return;
  const begun = jobs.filter(({ status }) => !(status in UNBEGUN)).map((job) => ({ name: String(job.seed), ...job }));
  const others = Object.entries(UNBEGUN).flatMap(([name, text]) => {
    const seeds = jobs.filter(({ status }) => status === name).length;
    return seeds ? [{ name, text: `${seeds} ${text}` }] : [];
  });
  const hint = begun.length && !begun.some(({ watch }) => watch) ? [{ name: "hint", text: UNWATCHED }] : [];
  keyed(list, [...begun, ...others, ...hint], () => create("li", {}, create("a")), ({ firstChild }, job) => {
    showLink(firstChild, job);
    say(firstChild, job.text ?? `seed ${job.seed}: ${job.score === null ? job.status : round(job.score)}`);
  });
}

const UNBEGUN = { waiting: "waiting", spared: "not needed" };
const UNWATCHED = "without checkpoints, so they cannot play: save.final=true keeps those of a sweep";

// A link to the games of a job's agent, where it has one.
function showLink(link, { job, watch }) {
  const address = watch && `/?${new URLSearchParams({ watch: state.prefix + job, sweep: query.get("sweep") ?? "." })}`;
  if (!watch) link.removeAttribute("href");
  else if (link.getAttribute("href") !== address) link.href = address;
  link.title = watch ? "Watch its agent play" : "";
}

// ---- what runs

function showRunning() {
  const { running, settings } = state;
  $("running-part").hidden = !running.length;
  const jobs = running.slice(0, MOST_RUNNING).map((job) => ({ name: job.job, ...job }));
  keyed($("running"), jobs, runningJob, (item, job) => {
    const [link] = item.children, [, name, bar, text, watch] = link.children, setting = settings[job.setting];
    mark(item, setting);
    showLink(link, job);
    say(name, `${setting.name}, seed ${job.seed}`);
    if (job.share === null) bar.removeAttribute("value");
    else bar.value = job.share;
    bar.ariaLabel = `${setting.name}, seed ${job.seed}`;
    const speed = job.speed && `${short(job.speed)} moves/s`, left = job.left !== null && `${duration(job.left)} left`;
    say(text, [job.share !== null && `${Math.round(100 * job.share)}%`, left, speed].filter(Boolean).join(" · "));
    say(watch, job.watch ? "Watch ▸" : "");
  });
  say($("running-rest"), running.length > MOST_RUNNING ? `and ${running.length - MOST_RUNNING} more` : "");
}

function runningJob() {
  const bar = create("progress", { max: 1 });
  return create("li", {}, create("a", {}, span("swatch"), span("name"), bar, span("text"), span("watch")));
}

// ---- charts

function showCharts() {
  const upwards = [...state.settings].reverse(), along = state.along === "episode" ? "games" : state.along;
  const drawn = upwards.filter(({ curve }) => curve?.at.length);
  const known = state.settings.filter(({ mean }) => mean !== null);
  $("curves-part").hidden = !drawn.length;
  if (drawn.length) curves.show(drawn, along, mark);
  $("keys-part").hidden = known.length < 2 || !state.keys.length;
  if (!$("keys-part").hidden) parallel.show(upwards, state, mark);
  const [best] = known, highest = best ? ` Highest: ${best.name}, ${result(best)}.` : "";
  $("curves").ariaLabel = `Mean score in training against ${along}, of ${drawn.length} settings.${highest}`;
  $("keys").ariaLabel = `Lines through ${state.keys.map(({ name }) => name).join(", ")} and the score.${highest}`;
  const coloured = known.filter(({ name }) => colours.has(name));
  keyed($("legend"), coloured, () => create("li", {}, span("swatch"), span("name")), (item, setting) => {
    mark(item, setting);
    say(item.lastElementChild, setting.name);
  });
  showPicked();
}

function showImportance() {
  const { shares, rest, text } = state.importance;
  $("importance-part").hidden = state.keys.length < 2 || !shares.length && !text;
  const names = new Map(state.keys.map(({ key, name }) => [key, name]));
  const rows = shares.map(({ key, share }) => ({ name: key, share, text: names.get(key) ?? key }));
  if (shares.length && rest !== null) rows.push({ name: " rest", share: rest, text: "the rest" });
  keyed($("importance"), rows, shareRow, (item, row) => {
    const [name, bar, share] = item.children;
    say(name, row.text);
    bar.firstChild.style.width = `${100 * row.share}%`;
    say(share, `${Math.round(100 * row.share)}%`);
  });
  say($("importance-text"), text);
}

const shareRow = () => create("li", {}, span("name"), create("span", { className: "bar" }, create("i")), span("number"));

// ---- input

const settingOf = (event) => event.target.closest?.("[data-setting]")?.dataset.setting ?? null;

function listen() {
  const focused = () => settingOf({ target: document.activeElement });
  document.addEventListener("pointerover", (event) => pick(settingOf(event) ?? focused()));
  document.addEventListener("focusin", (event) => pick(settingOf(event)));
  document.addEventListener("focusout", () => pick(null));
  for (const chart of [$("curves"), $("keys")]) {
    chart.addEventListener("click", (event) => { // a tap, too: it stays until another one
      const name = settingOf(event);
      [...$("settings").children].find((row) => row.dataset.setting === name)?.firstChild.focus({ preventScroll: true });
    });
  }
  $("all").onclick = () => {
    all = !all;
    showSettings();
  };
  document.addEventListener("visibilitychange", look);
  NARROW.addEventListener("change", () => state && showSettings());
}

$("games").href = `/?${new URLSearchParams({ sweep: remembered().sweep ?? "." })}`;
listen();
look();
