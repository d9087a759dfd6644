// Requests to the server, and what a reload comes back to.

async function answer(path, options) {
  return fetch(path, options).catch(() => {
    throw new Error("The server does not answer. Is it still running?");
  });
}

export async function get(path, options) {
  const response = await answer(path, options);
  const data = await response.json().catch(() => ({ error: `the server answered ${response.status}` }));
  if (!response.ok) throw Object.assign(new Error(data.error), { status: response.status });
  return data;
}

export function post(path, data) {
  return get(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });
}

// The file of a game.
export async function fileOf(id) {
  return (await answer(`/api/game.jsonl?${new URLSearchParams({ id })}`)).text();
}

// What a reload comes back to is in the address.
export const remembered = () => Object.fromEntries(new URLSearchParams(location.search));

export function remember(names) {
  history.replaceState(null, "", `?${new URLSearchParams(names)}`);
}
