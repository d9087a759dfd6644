// Texts whose contrast with the ground behind them is below 4.5 (3 for large ones), by the formula of WCAG 2.
() => {
  const parsed = (colour) => { const n = colour.match(/[\d.]+/g).map(Number); return n.length < 4 ? [...n, 1] : n; };
  const light = (c) => c.slice(0, 3).map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (e) => {
    for (let at = e; at; at = at.parentElement) {
      const colour = parsed(getComputedStyle(at).backgroundColor);
      if (colour[3] === 1) return colour;
    }
    return [255, 255, 255, 1];
  };
  const tiles = document.querySelector("#board .field") ?? document.createElement("div"); // there, or nowhere
  const values = [1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233, 377, 610, 987, 1597, 2584, 4181, 6765, 10946, 17711];
  for (let i = 2; i <= 131072; i *= 2) values.push(i);
  for (const value of values) {
    const [tile, number] = [document.createElement("div"), document.createElement("span")];
    tile.className = `tile v${value}`;
    number.textContent = "2";
    tile.append(number);
    tiles.append(tile);
  }
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    const own = [...e.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
    if (!own || e.closest("[hidden], :disabled") || !e.getClientRects().length) continue;
    const style = getComputedStyle(e);
    const [a, b] = [light(parsed(e instanceof SVGElement ? style.fill : style.color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push(`${e.className || e.id || e.tagName} ${e.textContent.trim().slice(0, 20)}: ${ratio.toFixed(2)}`);
  }
  for (const tile of document.querySelectorAll("#board .tile")) if (tile.textContent === "2" && !tile.style.cssText) tile.remove();
  return low;
}
