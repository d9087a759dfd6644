// Keys and swipes.

// Call `act(work)` with what `keys()` has for a key that is pressed outside of fields; digits call `digit(number)`. Of the
// keys a slider takes only arrows and the like.
export function listenToKeys(keys, digit, act) {
  document.addEventListener("keydown", (event) => {
    const { target, key } = event;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.matches("input:not([type=range]), select, textarea") || (target.matches("input") && key.length > 1)) return;
    if (key === " " && target.matches("button, summary, a")) return;
    const number = Number(key);
    const work = keys()[key.length === 1 ? key.toLowerCase() : key] ?? (number >= 1 && number <= 5 ? () => digit(number) : null);
    if (work && act(work)) event.preventDefault();
  });
}

// Call `moved(action)` for a swipe over an element.
export function listenToSwipes(element, moved) {
  let start = null;
  element.addEventListener("pointerdown", (event) => { start = [event.clientX, event.clientY]; });
  element.addEventListener("pointerup", (event) => {
    if (!start) return;
    const [x, y] = [event.clientX - start[0], event.clientY - start[1]];
    start = null;
    if (Math.max(Math.abs(x), Math.abs(y)) < 24) return;
    moved(Math.abs(x) > Math.abs(y) ? (x > 0 ? "right" : "left") : (y > 0 ? "down" : "up"));
  });
  element.addEventListener("pointercancel", () => { start = null; });
}
