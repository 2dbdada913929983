// Everything that can be done besides laying cards: buttons, and the keys that press them.

import { colourBadge } from "./cards.js";
import { $, make, reconcile } from "./dom.js";

const KEYS = { draw: "d", pass: "p", challenge: "c", accept: "a", call: "u", catch: "c", jump_in: "j" };

const LOUD = new Set(["call", "catch", "jump_in"]);

export const keyOf = (action) => KEYS[action] ?? "";

export function showMoves(state, act) {
  const create = () => make("button");
  const focused = $("moves").contains(document.activeElement);
  reconcile($("moves"), state.moves, (move) => move.action, create, (button, move) => {
    const colour = /^colour:/.test(move.action) ? colourBadge(move.name.replace("Declare ", "")) : null;
    button.className = LOUD.has(move.action) ? "move loud" : "move";
    button.dataset.action = move.action;
    button.replaceChildren(
      colour ?? move.name,
      ...(keyOf(move.action) ? [" ", make("kbd", { ariaHidden: "true" }, keyOf(move.action).toUpperCase())] : []),
      ...(move.share === null ? [] : [make("span", { class: "share" }, ` ${Math.round(100 * move.share)}\u00a0%`)]),
    );
    button.onclick = () => act(move.action);
  });
  $("moves").hidden = state.moves.length === 0;
  if (focused && !$("moves").contains(document.activeElement)) $("you").focus();
}
