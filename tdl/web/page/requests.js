// Requests to the server, and what changes the game one after another.

let chain = Promise.resolve();

export async function get(path, options) {
  const response = await fetch(path, options).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
  const data = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw Object.assign(new Error(data.error), { status: response.status });
  return data;
}

export function post(path, data) {
  return get(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
}

// Do some work after all that was begun before; the promise is that of the work.
export function inTurn(work) {
  const done = chain.then(work);
  chain = done.catch(() => {});
  return done;
}

// Settles when all that was begun before is done.
export const allDone = () => chain;
