// Everything that can be done besides laying cards: buttons, and the keys that press them.

import { colourBadge, declaredBy } from "./cards.js";
import { $, make, reconcile } from "./dom.js";
import { percent } from "./strings/texts.js";

const KEYS = { draw: "d", pass: "p", challenge: "c", accept: "a", call: "u", catch: "c", jump_in: "j" };

const LOUD = new Set(["call", "catch", "jump_in"]);

export const keyOf = (action) => KEYS[action] ?? "";

export function showMoves(state, act) {
  const create = () => make("button");
  const focused = $("moves").contains(document.activeElement);
  reconcile($("moves"), state.moves, (move) => move.action, create, (button, move) => {
    const colour = declaredBy(move.action) ? colourBadge(declaredBy(move.action)) : null;
    button.className = LOUD.has(move.action) ? "move loud" : "move";
    button.dataset.action = move.action;
    button.replaceChildren(
      colour ?? move.name,
      ...(keyOf(move.action) ? [" ", make("kbd", { ariaHidden: "true" }, keyOf(move.action).toUpperCase())] : []),
      ...(move.share === null ? [] : [make("span", { class: "share" }, ` ${percent(move.share)}`)]),
    );
    button.onclick = () => act(move.action);
  });
  $("moves").hidden = state.moves.length === 0;
  if (focused && !$("moves").contains(document.activeElement)) $("you").focus();
}
