// What the adviser would do, as bars.

import { $, make } from "./dom.js";

export function showHints(hints, players) {
  const box = $("hint");
  box.hidden = !hints;
  if (!hints) return;
  const rows = hints.actions.map((each) => {
    const bar = make("meter", { min: 0, max: 1, value: each.share, ariaLabel: each.name });
    return make("li", {}, make("span", {}, each.name), bar, make("span", {}, `${(100 * each.share).toFixed(0)}\u00a0%`));
  });
  const winning = Math.min(Math.max((hints.value * (players - 1) + 1) / players, 0), 1); // who loses shares −1
  const value = hints.value === null ? "" : ` It gives you a chance of ${Math.round(100 * winning)}\u00a0% to win.`;
  const text = hints.actions.length ? `What ${hints.by} would do.${value}` : `${hints.by} is thinking …`;
  box.replaceChildren(make("h2", {}, "Hint"), make("p", {}, text), make("ul", {}, ...rows));
}
