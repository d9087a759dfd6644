// The page: the game as it stands, who moves, and what is shown.

import { Board } from "/board.js";
import { scoreChart } from "/charts.js";
import { listenToKeys, listenToSwipes } from "/hands.js";
import { Library } from "/library.js";
import { allDone, get, inTurn, post } from "/requests.js";
import { Values, valuesText } from "/values.js";

const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300]; // moves a second
const SMOOTH = 8; // up to so many a second tiles are seen to slide
const QUICK_PLIES = 2; // the server adds values up to here unasked

const $ = (id) => document.getElementById(id);
const board = new Board($("board"));
const library = new Library($("entries"), (name) => guarded(() => begin({ checkpoint: name })), get);
const values = new Values($("values"), (action) => guarded(() => move(action)));

let options; // what the server offers
let game = null; // { id, rules, checkpoint, most_plies, seed }
let view = null; // the board that is shown, with score, values ...
let scores = [0];
let playing = 0; // number of the play that is on; 0: none
let plays = 0;
let shown = []; // times of the boards shown last, for the rate
let drawn = true; // whether the chart is up to date

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
  const played = playing;
  playing = 0;
  const asked = { seed: game ? game.seed : Number($("seed").value), plies: 1, ...wish };
  try {
    game = await inTurn(() => post("/api/new", asked));
  } catch (error) {
    if (played) showState();
    throw error;
  }
  const depth = Math.min(Number($("depth").value), game.most_plies);
  board.setUp(game.rules.rows, game.rules.cols);
  scores = [0];
  $("depth").max = game.most_plies;
  $("depth").value = depth;
  fillForm();
  library.mark(game.checkpoint);
  show(game.state);
  performance.mark("board");
  if (depth > 1) await search(depth);
  tell();
}

function fillForm() {
  const { rules, seed } = game;
  $("game").value = rules.game;
  $("size").value = rules.size;
  const own = [...$("tiles").options].find((option) => option.value === "");
  if (own) own.remove();
  if (rules.tiles === null) $("tiles").add(new Option("the agent's own", ""), 0);
  $("tiles").value = rules.tiles ?? "";
  $("seed").value = seed;
  const where = `${rules.title} on ${rules.size}`;
  $("who").textContent = game.checkpoint === null ? `By hand: ${where}` : `${game.checkpoint}: ${where}`;
  document.title = `tdl – ${game.checkpoint ?? "by hand"}`;
  $("save").href = `/api/game.json?id=${encodeURIComponent(game.id)}`;
}

function usualTiles() {
  $("tiles").value = options.games.find(({ name }) => name === $("game").value).tiles;
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
  searchMissing();
}

async function step() {
  await pause();
  if (view.over) return;
  await inTurn(() => advance(true));
  tell();
  searchMissing();
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
  searchMissing();
}

// Ask for the values of a depth that takes a search. What they are asked of may have changed when they come.
async function search(plies) {
  const { id } = game;
  const { state } = await post("/api/values", plies === undefined ? { id } : { id, plies });
  if (!game || id !== game.id) return;
  if (plies !== undefined) showDepth(state.plies);
  if (state.version !== view.version) return;
  view = state;
  showValues();
}

function searchMissing() {
  if (view && !view.over && view.values === null) guarded(() => search());
}

// ---- the agent plays

function pause() {
  if (playing) {
    playing = 0;
    showState();
  }
  return allDone();
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
      if (view.values === null) await search();
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
  values.show(view, playing);
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

async function judge() {
  const rows = $("cells").value.trim().split("\n").map((row) => row.trim().split(/[\s,]+/).map(Number));
  $("judged").textContent = "";
  const { values, best } = await post("/api/judge", { id: game.id, board: rows.map((row) => row.map((v) => (Number.isNaN(v) ? -1 : v))) });
  $("judged").textContent = valuesText(values, best);
}

function listen() {
  listenToKeys(KEYS, (plies) => slide("depth", plies - Number($("depth").value)), (work) => {
    if (game) guarded(work);
    return game;
  });
  listenToSwipes($("board"), (action) => guarded(() => move(action)));
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
  on("game", "change", usualTiles);
  on("judge", "submit", judge);
  on("copy", "click", () => { $("cells").value = view.board.map((row) => row.join(" ")).join("\n"); });
  on("refresh", "click", refresh);
  on("filter", "input", () => library.filter($("filter").value));
  on("error-close", "click", () => {});
  on("depth", "input", async () => {
    const plies = Number($("depth").value);
    showDepth(plies);
    await search(plies);
  });
  on("speed", "input", showSpeed);
  for (const id of ["depth", "speed"]) $(id).addEventListener("pointerup", () => $(id).blur()); // arrows then move again
}

async function refresh() {
  $("nothing").hidden = await library.refresh() > 0;
}

async function start() {
  options = await get("/api/start");
  for (const { name, title } of options.games) $("game").add(new Option(title, name));
  for (const size of options.sizes) $("size").add(new Option(size));
  for (const tiles of options.tiles) $("tiles").add(new Option(tiles));
  $("size").value = "4x4";
  usualTiles();
  try {
    await begin({ checkpoint: options.checkpoint });
  } catch (error) {
    await begin({ checkpoint: null }); // there is a board whatever has become of the agent
    throw error;
  }
}

listen();
showSpeed();
showDepth(1);
guarded(start).then(() => guarded(refresh));
