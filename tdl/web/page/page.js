// The page: what was asked of it, the game as it stands, and who moves.

import { Board } from "/board.js";
import { scoreChart } from "/charts.js";
import { called, Library } from "/library.js";

const ACTIONS = { up: "↑", right: "→", down: "↓", left: "←" };
const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300]; // moves a second
const SMOOTH = 8; // up to so many a second tiles are seen to slide
const QUICK_PLIES = 2; // the server adds values up to here unasked

const $ = (id) => document.getElementById(id);
const board = new Board($("board"));
const library = new Library($("entries"), (name) => guarded(() => begin({ checkpoint: name })), get);

let options; // what the server offers
let game = null; // { id, rules, checkpoint, most_plies, seed }
let view = null; // the board that is shown, with score, values ...
let scores = [0];
let playing = 0; // number of the play that is on; 0: none
let plays = 0;
let shown = []; // times of the boards shown last, for the rate
let chain = Promise.resolve(); // what changes the game is asked one after another
let drawn = true; // whether the chart is up to date

// ---- asking the server

async function answer(response) {
  const data = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw Object.assign(new Error(data.error), { status: response.status });
  return data;
}

async function get(path) {
  return answer(await sent(fetch(path)));
}

async function post(path, data) {
  const body = JSON.stringify(data);
  return answer(await sent(fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body })));
}

async function sent(request) {
  return request.catch(() => { throw new Error("The server does not answer. Is it still running?"); });
}

function inTurn(work) {
  const done = chain.then(work);
  chain = done.catch(() => {});
  return done;
}

async function guarded(work) {
  try {
    $("error").hidden = true;
    return await work();
  } catch (error) {
    playing = 0;
    showState();
    $("error-text").textContent = error.message;
    $("error").hidden = false;
  }
  return undefined;
}

// ---- the game

async function begin(wish) {
  const frozen = playing;
  playing = 0;
  const asked = { seed: game ? game.seed : Number($("seed").value), plies: 1, ...wish };
  let made;
  try {
    made = await inTurn(() => post("/api/new", asked));
  } catch (error) {
    if (frozen) showState();
    throw error;
  }
  const depth = Math.min(Number($("depth").value), made.most_plies);
  game = made;
  board.setUp(made.rules.rows, made.rules.cols);
  scores = [0];
  $("depth").max = made.most_plies;
  $("depth").value = depth;
  fillForm();
  library.mark(made.checkpoint);
  show(made.state);
  performance.mark("board");
  if (depth > 1) await think(depth);
  tell();
}

function fillForm() {
  const { rules, seed } = game;
  $("game").value = rules.game;
  $("size").value = rules.size;
  const own = [...$("tiles").options].find((each) => each.value === "");
  if (own) own.remove();
  if (rules.tiles === null) $("tiles").add(new Option("the agent's own", ""), 0);
  $("tiles").value = rules.tiles ?? "";
  $("seed").value = seed;
  const where = `${called(rules.game)} on ${rules.size}`;
  $("who").textContent = game.checkpoint === null ? `By hand: ${where}` : `${game.checkpoint}: ${where}`;
  document.title = `tdl – ${game.checkpoint ?? "by hand"}`;
  $("save").href = `/api/game.json?id=${encodeURIComponent(game.id)}`;
}

const sameRules = () => game && $("game").value === game.rules.game && $("size").value === game.rules.size
  && $("tiles").value === (game.rules.tiles ?? "");

function wished(seed) {
  const [name, size, tiles] = ["game", "size", "tiles"].map((id) => $(id).value);
  if (game && game.checkpoint !== null && sameRules()) return { checkpoint: game.checkpoint, seed };
  return { game: name, size, tiles: tiles || null, seed };
}

async function move(action) {
  await pause();
  await inTurn(async () => {
    if (!view || view.over || !view.legal.includes(action)) return;
    try {
      const { state } = await post("/api/move", { id: game.id, action, version: view.version });
      show(state, true);
      tell();
    } catch (error) {
      if (error.status !== 409) throw error;
      show((await post("/api/values", { id: game.id })).state); // it has changed: look again
    }
  });
  missing();
}

async function step() {
  await pause();
  if (view.over) return;
  await inTurn(() => advance(true));
  tell();
  missing();
}

async function advance(smooth) {
  const { frames, state } = await post("/api/step", { id: game.id, count: 1 });
  for (const frame of frames) show(frame, smooth);
  if (!frames.length) show(state);
}

async function undo(count = 1) {
  await pause();
  await inTurn(async () => show((await post("/api/undo", { id: game.id, count })).state));
  tell();
  missing();
}

// Ask for the values of a depth that takes a search. What they are asked of may have changed when they come.
async function think(plies) {
  const { id } = game;
  const { state } = await post("/api/values", plies === undefined ? { id } : { id, plies });
  if (!game || id !== game.id) return;
  if (plies !== undefined) showDepth(state.plies);
  if (state.version !== view.version) return;
  view = state;
  showValues();
}

function missing() {
  if (view && !view.over && view.values === null) guarded(() => think());
}

// ---- the agent plays

function pause() {
  if (!playing) return chain;
  playing = 0;
  showState();
  return chain;
}

async function play() {
  if (playing || !game || view.over) return;
  const mine = playing = ++plays;
  shown = [];
  showState();
  while (mine === playing && !view.over) {
    const speed = SPEEDS[$("speed").value];
    if (view.plies <= QUICK_PLIES && speed > SMOOTH) {
      await inTurn(() => stream(mine));
      await sleep(0);
    } else {
      const start = performance.now();
      if (view.values === null) await think();
      if (mine !== playing) break;
      await inTurn(async () => { if (mine === playing) await advance(speed <= SMOOTH); });
      await sleep(1000 / speed - (performance.now() - start));
    }
  }
  if (mine === playing) playing = 0;
  showState();
  tell();
}

// Many moves a second: they come in batches, and each board is shown when it is due. What was not shown is taken back.
async function stream(mine) {
  const ahead = [];
  let fetching = null, failed = null, due = 1, before = performance.now();
  const speed = () => SPEEDS[$("speed").value];
  const wanted = () => mine === playing && speed() > SMOOTH && view.plies <= QUICK_PLIES && Number($("depth").value) === view.plies;
  const { id } = game;
  while (wanted() && !failed && !(view.over && !ahead.length)) {
    const last = ahead.at(-1) ?? view;
    if (!fetching && !last.over && ahead.length < speed() / 4) {
      fetching = post("/api/step", { id, count: Math.min(200, Math.ceil(speed() / 4)) })
        .then(({ frames }) => ahead.push(...frames), (error) => { failed = error; })
        .finally(() => { fetching = null; });
    }
    const now = await nextFrame();
    due = Math.min(due + (now - before) * speed() / 1000, 1 + speed() / 10);
    before = now;
    const count = Math.min(Math.floor(due), ahead.length);
    if (!count) continue;
    due -= count;
    for (const frame of ahead.slice(0, count - 1)) note(frame);
    show(ahead[count - 1]);
    ahead.splice(0, count);
  }
  if (fetching) await fetching;
  if (failed) throw failed;
  if (ahead.length) show((await post("/api/undo", { id, count: ahead.length })).state);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, Math.max(0, ms)));
const nextFrame = () => new Promise((done) => requestAnimationFrame(done));

// ---- showing

function note(state) {
  scores.length = Math.min(scores.length, state.moves);
  scores[state.moves] = state.score;
  if (state.made) shown.push(performance.now());
}

function show(state, smooth = false) {
  note(state);
  view = state;
  const end = state.over ? `Game over: ${number(state.score)} points` : "";
  if (smooth && state.made) board.animate(state.board, state.made, end);
  else board.show(state.board, end);
  $("score").textContent = number(state.score);
  $("largest").textContent = number(state.largest);
  $("moves").textContent = number(state.moves);
  showRate();
  showValues();
  if (drawn) {
    drawn = false;
    setTimeout(() => { drawn = true; scoreChart($("chart"), scores); }, playing ? 120 : 0);
  }
  $("undo").disabled = !view.moves;
  if (!playing) showState();
}

function showRate() {
  const now = performance.now();
  while (shown.length && now - shown[0] > 2000) shown.shift();
  const span = now - (shown[0] ?? now);
  $("rate").textContent = playing && span > 300 ? String(Math.round((shown.length - 1) / span * 1000)) : "–";
}

function showValues() {
  const { values, best, legal } = view;
  if (values === null) {
    if (!playing) $("values").classList.add("thinking");
    for (const button of $("values").children) {
      button.setAttribute("aria-disabled", String(!legal.includes(button.dataset.action)));
    }
    return;
  }
  $("values").classList.remove("thinking");
  const known = values.filter((value) => value !== null);
  const [low, high] = [Math.min(...known), Math.max(...known)];
  Object.keys(ACTIONS).forEach((action, i) => {
    const button = $("values").children[i], value = values[i], { bar, amount, mark } = button.parts;
    const share = value === null ? 0 : high > low ? 0.08 + 0.92 * (value - low) / (high - low) : 1;
    bar.style.transform = `scaleX(${share.toFixed(3)})`;
    amount.textContent = value === null ? "–" : value.toLocaleString("en", { maximumFractionDigits: 1, minimumFractionDigits: 1 });
    mark.textContent = action === best ? "★" : "";
    button.classList.toggle("best", action === best);
    button.setAttribute("aria-disabled", String(value === null));
    if (!playing) button.setAttribute("aria-label", `${action}: ${value === null ? "not legal" : amount.textContent}${action === best ? ", best" : ""}`);
  });
}

function showState() {
  $("play").textContent = playing ? "❚❚ Pause" : "▶ Play";
  $("play").disabled = !view || view.over;
  $("step").disabled = !view || view.over;
  $("undo").disabled = !view || !view.moves;
  if (!playing) $("rate").textContent = "–";
  if (view && !playing) showValues();
}

function showDepth(plies) {
  $("depth-text").textContent = plies === 1 ? "1 ply" : `${plies} plies`;
}

function showSpeed() {
  $("speed-text").textContent = `${SPEEDS[$("speed").value]} a second`;
}

// For those who do not see the board.
function tell() {
  if (!view || playing) return;
  const rows = view.board.map((row) => row.map((value) => value || "empty").join(" ")).join("; ");
  const hint = view.over ? "Game over." : view.best ? `The agent would go ${view.best}.` : "";
  $("told").textContent = `Score ${view.score}. ${hint} ${rows}.`;
}

const number = (value) => value.toLocaleString("en");

// ---- hands

function makeValues() {
  for (const [action, arrow] of Object.entries(ACTIONS)) {
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
    button.addEventListener("click", () => guarded(() => move(action)));
    $("values").append(button);
  }
}

const KEYS = {
  ArrowUp: () => move("up"), ArrowRight: () => move("right"), ArrowDown: () => move("down"), ArrowLeft: () => move("left"),
  " ": () => toggle(), s: () => step(), u: () => undo(), Backspace: () => undo(),
  r: () => begin(wished(game.seed)), n: () => begin(wished(game.seed + 1)),
  "+": () => slide("speed", 1), "=": () => slide("speed", 1), "-": () => slide("speed", -1),
};

function toggle() {
  return playing ? pause() : play();
}

function slide(id, by) {
  $(id).value = Number($(id).value) + by;
  $(id).dispatchEvent(new Event("input"));
}

function pressed(event) {
  const { target, key } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || !game) return;
  if (target.matches("input, select, textarea")) return;
  if (key === " " && target.matches("button, summary, a")) return;
  const depth = Number(key);
  const act = KEYS[key.length === 1 ? key.toLowerCase() : key]
    ?? (depth >= 1 && depth <= 5 ? () => slide("depth", depth - Number($("depth").value)) : null);
  if (!act) return;
  event.preventDefault();
  guarded(act);
}

function swipes(element) {
  let start = null;
  element.addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
  element.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = [event.clientX - start[0], event.clientY - start[1]];
    start = null;
    if (Math.max(Math.abs(x), Math.abs(y)) < 24) return;
    const action = Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : (y > 0 ? "down" : "up");
    guarded(() => move(action));
  });
  element.addEventListener("pointercancel", () => { start = null; });
}

async function judge() {
  const rows = $("cells").value.trim().split("\n").map((row) => row.trim().split(/[\s,]+/).map(Number));
  $("judged").textContent = "";
  const { values, best } = await post("/api/judge", { id: game.id, board: rows.map((row) => row.map((v) => (Number.isNaN(v) ? -1 : v))) });
  $("judged").textContent = best === null ? "No move is legal." : Object.keys(ACTIONS).map((action, i) =>
    `${action} ${values[i] === null ? "–" : values[i].toFixed(1)}${action === best ? " ★" : ""}`).join("   ");
}

function listen() {
  document.addEventListener("keydown", pressed);
  swipes($("board"));
  const on = (id, kind, work) => $(id).addEventListener(kind, (event) => {
    if (kind === "submit") event.preventDefault();
    guarded(() => work(event));
  });
  on("play", "click", toggle);
  on("step", "click", step);
  on("undo", "click", () => undo());
  on("restart", "click", () => begin(wished(game.seed)));
  on("new", "click", () => begin(wished(game.seed + 1)));
  on("rules", "submit", () => begin(wished(Number($("seed").value))));
  on("game", "change", () => { $("tiles").value = options.games[$("game").value]; });
  on("judge", "submit", judge);
  on("copy", "click", () => { $("cells").value = view.board.map((row) => row.join(" ")).join("\n"); });
  on("refresh", "click", refresh);
  on("filter", "input", () => library.filter($("filter").value));
  on("error-close", "click", () => {});
  on("depth", "input", async () => {
    const plies = Number($("depth").value);
    showDepth(plies);
    await think(plies);
  });
  on("speed", "input", showSpeed);
  for (const id of ["depth", "speed"]) $(id).addEventListener("pointerup", () => $(id).blur()); // arrows then move again
}

async function refresh() {
  $("nothing").hidden = await library.refresh() > 0;
}

async function start() {
  options = await get("/api/start");
  for (const name of Object.keys(options.games)) $("game").add(new Option(called(name), name));
  for (const size of options.sizes) $("size").add(new Option(size));
  for (const tiles of options.tiles) $("tiles").add(new Option(tiles));
  $("size").value = "4x4";
  $("tiles").value = options.games.pow2;
  try {
    await begin({ checkpoint: options.checkpoint });
  } catch (error) {
    await begin({ checkpoint: null }); // there is a board whatever has become of the agent
    throw error;
  }
}

makeValues();
listen();
showSpeed();
showDepth(1);
guarded(start).then(() => guarded(refresh));
