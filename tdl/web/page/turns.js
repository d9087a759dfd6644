// What changes the game is done one after another.

let chain = Promise.resolve();

// Do some work after all that was begun before; the promise is that of the work.
export function inTurn(work) {
  const done = chain.then(work);
  chain = done.catch(() => {});
  return done;
}

// Settles when all that was begun before is done.
export const allDone = () => chain;
