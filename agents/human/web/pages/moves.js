// Everything that can be done besides laying cards: buttons, and the keys that press them.

import { colourBadge } from "./cards.js";
import { $, make, reconcile } from "./dom.js";

const KEYS = { draw: "d", pass: "p", challenge: "c", accept: "a", call: "u", catch: "c", jump_in: "j" };

const LABELS = {
  call: "Call UNO!",
  catch: "Catch!",
  challenge: "Challenge",
  accept: "Take the cards",
  jump_in: "Jump in!",
};

const LOUD = new Set(["call", "catch", "jump_in"]);

export const keyOf = (action) => KEYS[action] ?? "";

function wording(move, state) {
  if (move.action === "draw") return "Draw a card";
  if (move.action === "pass") return state.phase === "drawn" ? "Keep the card" : "Let it go";
  if (move.action === "accept" && state.penalty) return `Draw ${state.penalty} cards`;
  return LABELS[move.action] ?? move.name.charAt(0).toUpperCase() + move.name.slice(1);
}

export function showMoves(state, act) {
  const create = () => make("button");
  const focused = $("moves").contains(document.activeElement);
  reconcile($("moves"), state.moves, (move) => move.action, create, (button, move) => {
    const share = state.hints?.actions.find((each) => each.action === move.action)?.share;
    const colour = /^colour:/.test(move.action) ? colourBadge(move.name.replace("declare ", "")) : null;
    button.className = LOUD.has(move.action) ? "move loud" : "move";
    button.dataset.action = move.action;
    button.replaceChildren(
      colour ?? wording(move, state),
      ...(keyOf(move.action) ? [" ", make("kbd", { ariaHidden: "true" }, keyOf(move.action).toUpperCase())] : []),
      ...(share === undefined ? [] : [make("span", { class: "share" }, ` ${Math.round(100 * share)}\u00a0%`)]),
    );
    button.onclick = () => act(move.action);
  });
  $("moves").hidden = state.moves.length === 0;
  if (focused && !$("moves").contains(document.activeElement)) $("you").focus();
}
