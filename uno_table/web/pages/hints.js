// What the adviser would do, as bars.

import { $, make } from "./dom.js";
import { percent, t } from "./strings/texts.js";

export function showHints(hints, players) {
  const box = $("hint");
  box.hidden = !hints;
  if (!hints) return;
  const rows = hints.actions.map((each) => {
    const bar = make("meter", { min: 0, max: 1, value: each.share, ariaLabel: each.name });
    return make("li", {}, make("span", {}, each.name), bar, make("span", {}, percent(each.share)));
  });
  const winning = Math.min(Math.max((hints.value * (players - 1) + 1) / players, 0), 1); // who loses shares −1
  const value = hints.value === null ? "" : ` ${t("hint.value", { chance: percent(winning) })}`;
  const waiting = t(hints.compiling ? "hint.compiling" : "hint.thinking", { name: hints.by });
  const text = hints.actions.length ? `${t("hint.would", { name: hints.by })}${value}` : waiting;
  box.replaceChildren(make("h2", {}, t("hint.title")), make("p", {}, text), make("ul", {}, ...rows));
}
