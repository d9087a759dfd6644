// The page: the game as it stands, who moves, and what is shown.

import { Board } from "/board.js";
import { scoreChart } from "/charts.js";
import { $, number } from "/dom.js";
import { listenToKeys, listenToSwipes } from "/input.js";
import { Judge } from "/judge.js";
import { Library } from "/library.js";
import { Replay, bestRecord, fillRecords } from "/replay.js";
import { fileOf, get, post, remember, remembered } from "/requests.js";
import { NewGameForm } from "/new_game.js";
import { allDone, inTurn } from "/turns.js";
import { Values, bestOf } from "/values.js";

const SPEEDS = [1, 2, 4, 8, 15, 30, 60, 120, 300]; // moves a second
const SMOOTH = 8; // up to so many a second tiles are seen to slide
const QUICK_PLIES = 2; // the server adds values up to here unasked

const board = new Board($("board"));
const library = new Library($("entries"), (name) => guarded(() => choose(name)));
const values = new Values($("values"), $("bars"), (action) => guarded(() => move(action)));
const form = new NewGameForm();
const judge = new Judge(() => ({ ...playedBy(), plies: Number($("depth").value) }));
const replay = new Replay((state, smooth) => show(state, smooth));

let game = null; // { id, rules, checkpoint, most_plies, seed, board }
let view = null; // the board that is shown, with score, values ...
let scores = [0];
let liveScores = null; // scores of the game, while a record is shown
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
  const request = { seed: game ? game.seed : Number($("seed").value), plies: 1, ...wish };
  let opened;
  try {
    opened = await inTurn(() => post("/api/new", request));
  } catch (error) {
    if (played) showState();
    throw error;
  }
  const depth = Math.min(Number($("depth").value), opened.most_plies);
  take(opened, depth);
  performance.mark("board");
  if (depth > 1) await search(depth);
  tell();
}

// Take a game as the server gives it.
function take(opened, depth) {
  game = opened;
  replay.close();
  $("depth").max = game.most_plies;
  $("depth").value = depth;
  library.mark(game.checkpoint);
  showGame(game.state, game.scores);
  rememberGame();
}

// What a reload comes back to.
function rememberGame() {
  const record = replay.source?.game, { sweep } = remembered();
  remember({ game: game.id, ...(record && { record }), ...(sweep && { sweep }) });
}

// Go on with a game of before.
async function goOn(id) {
  const opened = await get(`/api/game?${new URLSearchParams({ id })}`).catch((error) => {
    if (error.status !== 404) throw error;
    throw new Error("The game of this address is gone: the server was started anew, or had too many. This is a new one.");
  });
  take(opened, opened.state.plies);
  showDepth(opened.state.plies);
  tell();
  searchMissing();
}

// What requests say of agent and rules, so that they are those of this game.
function playedBy() {
  const { rules, checkpoint } = game;
  return checkpoint === null ? { game: rules.game, size: rules.size, tiles: rules.tiles } : { checkpoint };
}

// Show the game that is played, from a new one or after a record.
function showGame(state, before) {
  [scores, liveScores] = [before, null];
  board.setUp(game.rules.rows, game.rules.cols);
  tellGame();
  show(state);
}

function tellGame() {
  const { rules, checkpoint, id } = game;
  form.fill(game);
  $("who").textContent = `${checkpoint ?? "By hand"}: ${rules.game} on ${rules.size}${game.board ? ", from a board of yours" : ""}`;
  $("values-title").textContent = checkpoint === null ? "Rewards of the moves" : "Values of the moves";
  document.title = `tdl – ${checkpoint ?? "by hand"}`;
  $("save").href = `/api/game.jsonl?id=${encodeURIComponent(id)}`;
}

// A game by the rules of the form.
const newGame = (seed) => begin(form.wished(game, seed));

// Stop the play, change the game, and show what there is to know of the new board.
async function change(work) {
  await pause();
  await inTurn(work);
  tell();
  searchMissing();
}

async function move(action) {
  if (replay.on) return;
  await change(async () => {
    if (!view || view.over || !view.legal.includes(action)) return;
    try {
      show((await post("/api/move", { id: game.id, action, version: view.version })).state, true);
    } catch (error) {
      if (error.status !== 409) throw error;
      show((await post("/api/values", { id: game.id })).state); // it has changed: look again
    }
  });
}

async function step() {
  await change(() => {
    if (view.over) return undefined;
    return replay.on ? replay.by(1, true) : advance(true);
  });
}

async function advance(smooth) {
  const { frames, state } = await post("/api/step", { id: game.id, count: 1 });
  for (const frame of frames) show(frame, smooth);
  if (!frames.length) show(state);
}

async function undo() {
  await change(async () => {
    if (replay.on) replay.by(-1);
    else show((await post("/api/undo", { id: game.id })).state);
  });
}

// Ask for the values of a depth that takes a search. What they are asked of may have changed when they come.
async function search(plies) {
  const { id } = game;
  const { state } = await post("/api/values", plies === undefined ? { id } : { id, plies });
  if (!game || id !== game.id) return;
  if (plies !== undefined) showDepth(state.plies);
  if (state.version !== view.version) return;
  view = state;
  values.show(view, playing);
}

function searchMissing() {
  if (view && !view.over && view.values === null) guarded(() => search());
}

// ---- recorded games

// Show a record of the folder, `{ game }`, or of a file, `{ text, name }`.
async function openRecord(source) {
  await pause();
  const record = await post("/api/replay", { ...source, checkpoint: game.checkpoint });
  liveScores ??= scores;
  board.setUp(record.rows, record.cols);
  replay.open(record, source);
  rememberGame();
  $("who").textContent = `Recorded: ${record.title}, seed ${record.seed}, game ${record.episode}`;
  $("values-title").textContent = record.by === null ? "Rewards of the moves" : "Values of the moves";
  $("at").focus();
}

async function leaveRecord() {
  await pause();
  const { state } = await post("/api/values", { id: game.id });
  replay.close();
  rememberGame();
  showGame(state, liveScores);
}

// Another agent; a record that is shown is then judged by it.
async function choose(checkpoint) {
  const { source } = replay;
  await begin({ checkpoint });
  if (source) await openRecord(source);
}

const restart = () => (replay.on ? pause().then(() => replay.to(0)) : begin(form.wished(game, game.seed, game.board)));
const scrub = (work) => pause().then(work);

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
    if (replay.on) {
      await sleep(1000 / speed);
      if (mine === playing) replay.by(1, speed <= SMOOTH);
    } else if (view.plies <= QUICK_PLIES && speed > SMOOTH) {
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
    due = Math.min(due + Math.max(0, now - before) * speed() / 1000, 1 + speed() / 10); // a frame may be of a time before
    before = now;
    const count = Math.min(Math.floor(due), ahead.length);
    if (count < 1) continue;
    due -= count;
    for (const frame of ahead.slice(0, count - 1)) note(frame);
    show(ahead[count - 1]);
    ahead.splice(0, count);
  }
  if (fetching) await fetching;
  if (failed) throw failed;
  if (ahead.length) show((await post("/api/undo", { id, count: ahead.length })).state);
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const nextFrame = () => new Promise(requestAnimationFrame);

// ---- showing

function note(state) {
  if (replay.on) scores = replay.scores.slice(0, state.moves + 1);
  else {
    scores.length = Math.min(scores.length, state.moves);
    scores[state.moves] = state.score;
  }
  if (state.made) shown.push(performance.now());
}

function show(state, smooth = false) {
  note(state);
  view = state;
  const end = state.end ?? (state.over ? `Game over: ${number(state.score)} points` : "");
  if (smooth && state.made) board.animate(state.board, state.made, end);
  else board.show(state.board, end);
  $("score").textContent = number(state.score);
  $("largest").textContent = number(state.largest);
  $("moves").textContent = number(state.moves);
  if (drawn) {
    drawn = false;
    setTimeout(() => { drawn = true; scoreChart($("chart"), scores); }, playing ? 120 : 0);
  }
  showState();
}

function showState() {
  $("play").textContent = playing ? "❚❚ Pause" : "▶ Play";
  $("play").disabled = $("step").disabled = !view || view.over;
  $("undo").disabled = !view?.moves;
  $("undo").textContent = replay.on ? "Back" : "Undo";
  const now = performance.now();
  while (shown.length && now - shown[0] > 2000) shown.shift();
  const span = now - (shown[0] ?? now);
  $("rate").textContent = playing && span > 300 ? String(Math.round((shown.length - 1) / span * 1000)) : "–";
  if (view) values.show(view, playing);
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
  const best = view.values && bestOf(view.values);
  const hint = view.over ? "Game over." : best && game.checkpoint !== null ? `The agent would go ${best}.` : "";
  $("told").textContent = `Score ${view.score}. ${hint} ${rows}.`;
}

// ---- input

const KEYS = {
  ArrowUp: () => move("up"), ArrowRight: () => move("right"), ArrowDown: () => move("down"), ArrowLeft: () => move("left"),
  " ": toggle, s: step, u: undo, Backspace: undo, r: restart, n: () => newGame(game.seed + 1),
  "+": () => slide("speed", 1), "=": () => slide("speed", 1), "-": () => slide("speed", -1),
};

function toggle() {
  return playing ? pause().then(searchMissing) : play();
}

function slide(id, by) {
  $(id).value = Number($(id).value) + by;
  $(id).dispatchEvent(new Event("input"));
}

async function playOn() {
  await begin({ ...playedBy(), ...judge.pasted() });
  $("board").focus();
}

async function watchBest() {
  const name = bestRecord($("game-file"));
  if (!name) return;
  $("game-file").value = name;
  await openRecord({ game: name });
  play();
}

function listen() {
  listenToKeys(() => (replay.on ? { ...KEYS, ...replay.keys(scrub) } : KEYS), (plies) => slide("depth", plies - Number($("depth").value)), (work) => {
    if (game) guarded(work);
    return game;
  });
  listenToSwipes($("board"), (action) => guarded(() => move(action)));
  const on = (id, kind, work) => $(id).addEventListener(kind, (event) => {
    if (kind === "submit") event.preventDefault();
    guarded(() => work(event));
  });
  const clicks = {
    play: toggle, step, undo, restart, new: () => newGame(game.seed + 1), leave: leaveRecord, refresh: () => library.refresh(),
    before: replay.keys(scrub).b, after: replay.keys(scrub).m,
    copy: () => { $("cells").value = view.board.map((row) => row.join(" ")).join("\n"); },
    "go-on": () => judge.beside(playOn), "best-game": watchBest, "error-close": () => {},
  };
  for (const [id, work] of Object.entries(clicks)) on(id, "click", work);
  on("rules", "submit", () => newGame(Number($("seed").value)));
  on("game", "change", () => form.usualTiles());
  on("judge", "submit", () => judge.beside(() => judge.ask()));
  on("record", "submit", () => { if ($("game-file").value) return openRecord({ game: $("game-file").value }); });
  on("file", "change", async () => {
    const [file] = $("file").files;
    if (!file) return;
    $("file").value = ""; // the same file may be chosen again
    await openRecord({ text: await file.text(), name: file.name });
  });
  on("look", "click", async () => openRecord({ text: await fileOf(game.id), name: "this game" }));
  on("at", "input", () => scrub(() => replay.to(Number($("at").value))));
  on("records", "toggle", async () => { if ($("records").open) fillRecords($("game-file"), (await get("/api/games")).games); });
  on("filter", "input", () => library.filter($("filter").value));
  on("depth", "input", async () => {
    const plies = Number($("depth").value);
    showDepth(plies);
    await search(plies);
  });
  on("speed", "input", showSpeed);
  for (const id of ["depth", "speed"]) $(id).addEventListener("pointerup", () => $(id).blur()); // arrows then move again
}

async function start() {
  const options = await get("/api/start");
  if (options.sweep && !location.search) return location.replace("/sweep"); // the folder that is served is one
  form.setUp(options);
  const { game: kept, record, sweep, watch } = remembered();
  if (sweep) $("back").href = `/sweep?${new URLSearchParams({ sweep })}`;
  $("back").hidden = !sweep;
  const ways = [() => begin({ checkpoint: options.checkpoint }), () => begin({ checkpoint: null })];
  if (watch) ways.unshift(() => begin({ checkpoint: watch }).then(() => { guarded(play); }));
  if (kept) ways.unshift(() => goOn(kept));
  await firstThatWorks(ways);
  if (record) await openRecord({ game: record });
  return undefined;
}

// There is a board whatever has become of the game or the agent; what went wrong first is told then.
async function firstThatWorks([way, ...others]) {
  try {
    await way();
  } catch (error) {
    if (others.length) await firstThatWorks(others).catch(() => {});
    throw error;
  }
}

listen();
showSpeed();
showDepth(1);
guarded(() => start().finally(() => library.refresh())); // what is wrong with the start stays told
