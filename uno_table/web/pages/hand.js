// Your hand: a fan of cards as buttons, with arrow keys to go along.

import { cardImage } from "./cards.js";
import { choose } from "./choose.js";
import { $, make, notice, reconcile } from "./dom.js";
import { percent, t } from "./strings/texts.js";

const MOST_IN_A_ROW = 20;
const NARROW = 26; // pixels of a card that a finger needs to hit it, and not its neighbour

export function showHand(state, act) {
  const counts = new Map();
  const keyOf = (each) => {
    const before = counts.get(each.card) ?? 0;
    counts.set(each.card, before + 1);
    return `${each.card} ${before}`;
  };
  const before = [...$("hand").querySelectorAll("button")].indexOf(document.activeElement);
  reconcile($("hand"), state.hand, keyOf, create, (element, each) => update(element, each, state, act));
  fan();
  if (before >= 0 && !$("hand").contains(document.activeElement)) focusCard(before);
}

// As many cards as there are fit into a row by lying closer together.
function fan() {
  const cards = [...$("hand").children];
  if (!cards.length) return;
  const rows = Math.ceil(cards.length / MOST_IN_A_ROW);
  const inRow = Math.ceil(cards.length / rows);
  const width = cards[0].offsetWidth;
  const most = Math.min(inRow, 8); // degrees that the outer cards are turned by, which takes them outwards
  const room = $("hand").clientWidth - 12 - width * (1 + 0.06 * most);
  const step = Math.min(width * 1.05, inRow > 1 ? room / (inRow - 1) : width);
  $("hand").dataset.rows = String(rows);
  $("hand").dataset.narrow = String(step < NARROW);
  $("hand").style.setProperty("--gap", `${Math.floor(step - width)}px`);
  cards.forEach((card, index) => {
    const middle = (inRow - 1) / 2;
    const off = middle ? ((index % inRow) - middle) / middle : 0;
    card.classList.toggle("first", index % inRow === 0);
    card.style.setProperty("--turn", `${(off * most).toFixed(2)}deg`);
    card.style.setProperty("--drop", `${(off * off * Math.min(inRow, 12)).toFixed(1)}px`);
  });
}

new ResizeObserver(fan).observe($("hand"));

function create(each) {
  return make("li", {}, make("button", { class: "card" }, cardImage(each.card), make("span", { class: "share" })));
}

function update(element, each, state, act) {
  const button = element.firstChild;
  const playable = each.actions.length > 0;
  element.classList.toggle("playable", playable);
  element.classList.toggle("drawn", each.drawn);
  element.dataset.drawn = t("hand.drawn");
  button.setAttribute("aria-disabled", String(!playable && !each.mistakes.length));
  button.setAttribute("aria-label", label(each, state));
  button.lastChild.textContent = each.share === null ? "" : percent(each.share);
  button.onpointerdown = (event) => {
    button.lifts = event.pointerType === "touch" && $("hand").dataset.narrow === "true" && document.activeElement !== button;
  };
  button.onclick = (event) => {
    if (button.lifts) button.focus();
    else {
      if (event.detail) $("you").focus({ preventScroll: true }); // a mouse or a finger: no card stays over its neighbour
      lay(each, act);
    }
    button.lifts = false;
  };
}

function label(each, state) {
  const words = [each.name];
  if (each.drawn) words.push(t("hand.just_drawn"));
  if (state.hand.some((other) => other.actions.length)) words.push(t(each.actions.length ? "hand.can_be_played" : "hand.no_match"));
  if (each.share !== null) words.push(t("hand.hint", { share: percent(each.share) }));
  return words.join(t("joint.list"));
}

function lay(each, act) {
  if (each.actions.length === 1) act(each.actions[0].action);
  else if (each.actions.length) choose(t("hand.play", { card: each.name }), each.actions, act);
  else if (each.mistakes.length) {
    choose(t("hand.punished", { card: each.name }), each.mistakes, act);
  } else notice(t("hand.not_now", { card: each.name }));
}

function focusCard(index) {
  const cards = [...$("hand").querySelectorAll("button")];
  if (cards.length) cards[Math.max(0, Math.min(index, cards.length - 1))].focus();
}

export function walkHand(event) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
  if (!(event.key in steps)) return;
  const at = [...$("hand").querySelectorAll("button")].indexOf(document.activeElement);
  if (at < 0) return;
  event.preventDefault();
  focusCard(at + steps[event.key]);
}
