// What has just happened, as short movements: cards that fly, words that stand out. Nothing here says anything that is not
// said elsewhere, and nothing flies for who has asked the system for less motion.

import { cardImage } from "./cards.js";
import { $, make } from "./dom.js";
import { play } from "./sound.js";
import { t } from "./strings/texts.js";

const still = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_FLYING = 4;
const WORDS = {
  s: "symbol.s", r: "symbol.r", "+2": "symbol.+2", "+4": "symbol.+4", da: "symbol.da", se: "symbol.se", f: "symbol.f",
  "+1": "symbol.+1", "+5": "symbol.+5", "w+2": "symbol.+2", dwc: "card.dwc",
  "w+4": "said.draw_four", "wr+4": "said.draw_four", "w+6": "said.draw_six", "w+10": "said.draw_ten",
  wcr: "said.roulette",
};

export function showMotion(before, state) {
  if (!before || before.epoch !== state.epoch || state.waiting.length) return;
  if (before.result && !state.result) {
    state.players.forEach((player) => draws(player, player.cards, state));
    return;
  }
  const next = before.firstEvent + before.events.length;
  const moved = state.handsMoved && state.handsMoved.event >= next;
  const turned = state.turned && state.turned.event >= next;
  if (moved) swaps(state);
  state.players.forEach((player, seat) => {
    const more = player.cards - before.players[seat].cards;
    if (more > 0 && !moved) draws(player, more, state);
    if (player.called && !before.players[seat].called) say(player, t("tag.uno"), state, "uno");
  });
  if (state.discards > before.discards) lays(before, state, (turned && state.turned.card) || state.top);
  if (turned) turnOver();
  const mine = (each) => each.deciding === each.you;
  if (mine(state) && !mine(before)) play("turn");
  if (state.result && !before.result) play(state.result.youWon ? "won" : "over");
}

function draws(player, number, state) {
  for (let card = 0; card < Math.min(number, MOST_FLYING); card++) {
    fly("back", $("draw"), placeOf(player, state), 70 * card);
  }
  if (number > 1 && player.cards > number) say(player, `+${number}`, state, "draw");
  else play("draw");
}

let landing = 0;
let onPile = null;

function showOnPile(card) {
  onPile = card;
  $("top").src = cardImage(card).src;
}

// The pile shows its card once the copy that flies there has landed.
function lays(before, state, card) {
  const player = state.players.find((each) => each.laidTop);
  play("lay");
  if (!player) return;
  if (!still.matches) {
    showOnPile(landing ? onPile : before.top);
    landing += 1;
    fly(card, placeOf(player, state), $("top"), 0, () => {
      landing -= 1;
      showOnPile(landing ? state.top : $("top").dataset.card);
    });
  }
  const [face] = card.split("/");
  const word = WORDS[face] ?? WORDS[face.slice(1)];
  if (word) say(player, t(word), state, "lay");
}

// All cards turn over: the style sheet turns those of the piles and the hands, unless less motion is asked for.
function turnOver() {
  if (still.matches) return;
  const board = $("table");
  board.classList.add("turning");
  board.addEventListener("animationend", () => board.classList.remove("turning"), { once: true });
}

// Hands go from their old owners to the new ones; shuffled ones to the middle of the table and back.
function swaps(state) {
  play("draw");
  const { pairs } = state.handsMoved;
  for (const [from, to] of pairs) {
    for (let card = 0; card < 3; card++) {
      fly("back", placeOf(state.players[from], state), placeOf(state.players[to], state), 70 * card);
    }
  }
  if (pairs.length) return;
  state.players.filter((player) => !player.out).forEach((player) => {
    fly("back", placeOf(player, state), $("centre"), 0);
    fly("back", $("centre"), placeOf(player, state), 380);
  });
}

const placeOf = (player, state) =>
  (player.seat === state.you ? $("hand") : $("players").querySelector(`[data-key="${player.seat}"]`)) ?? $("top");

function middle(element) {
  const box = element.getBoundingClientRect();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

const flights = new Set();

// When all cards that fly now have landed.
export const landed = () => Promise.race([
  Promise.all(flights),
  new Promise((resolve) => setTimeout(resolve, 1500)), // a hidden tab may draw nothing
]);

function fly(card, from, to, delay, land = () => {}) {
  if (still.matches) return;
  const image = make("div", { class: "flying", ariaHidden: "true" }, cardImage(card));
  const [start, end] = [middle(from), middle(to)];
  document.body.append(image);
  const at = ({ x, y }) => `translate(${x}px, ${y}px) translate(-50%, -50%)`;
  const flight = image.animate({ transform: [at(start), at(end)] }, { duration: 340, delay, easing: "ease-out", fill: "both" });
  const flown = new Promise((resolve) => { flight.onfinish = flight.oncancel = resolve; }).then(() => {
    flights.delete(flown);
    land();
    image.remove();
  });
  flights.add(flown);
}

function say(player, text, state, sound) {
  play(sound);
  const { x, y } = middle(placeOf(player, state));
  const bubble = make("div", { class: "bubble", ariaHidden: "true" }, text);
  bubble.style.setProperty("--x", `${x}px`);
  bubble.style.setProperty("--y", `${y}px`);
  document.body.append(bubble);
  setTimeout(() => bubble.remove(), 1100);
}
