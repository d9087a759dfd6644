// Requests to the server, and what changes the game one after another.

let chain = Promise.resolve();

async function answer(response) {
  const data = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw Object.assign(new Error(data.error), { status: response.status });
  return data;
}

async function sent(request) {
  return request.catch(() => { throw new Error("The server does not answer. Is it still running?"); });
}

export async function get(path) {
  return answer(await sent(fetch(path)));
}

export async function post(path, data) {
  const body = JSON.stringify(data);
  return answer(await sent(fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body })));
}

// Do some work after all that was begun before; the promise is that of the work.
export function inTurn(work) {
  const done = chain.then(work);
  chain = done.catch(() => {});
  return done;
}

// Settles when all that was begun before is done.
export const allDone = () => chain;
