// The other players around the table, in the order in which they sit: clockwise, from your left on.

import { backChip, cardImage, pile } from "./cards.js";
import { $, make, reconcile } from "./dom.js";
import { listed, t } from "./strings/texts.js";

export function showPlayers(state) {
  const number = state.players.length;
  const others = state.players.map((_, place) => state.players[(state.you + 1 + place) % number]).slice(0, -1);
  reconcile($("players"), others, (player) => player.seat, createPlayer, (element, player) => {
    const shown = JSON.stringify([player, state.deciding, state.you, state.scored]);
    if (element.dataset.shown === shown) return;
    element.dataset.shown = shown;
    element.className = classes(player, state);
    element.replaceChildren(...parts(player, state));
  });
  placeAll();
}

const GAP = 8;

const boxOf = (element) => ({ element, width: element.offsetWidth, height: element.offsetHeight });

const sum = (numbers) => numbers.reduce((one, other) => one + other, 0);

const most = (boxes, side) => Math.max(0, ...boxes.map((box) => box[side]));

const lengthOf = (boxes, side) => sum(boxes.map((box) => box[side])) + GAP * Math.max(boxes.length - 1, 0);

// Players sit along the left side, the far side and the right side; no box may cover another one or the piles. Fewest sit at
// the sides such that the far side has room for the others. The table grows if the boxes need more than its height.
function placeAll() {
  const ring = $("ring");
  const boxes = [...$("players").children].map(boxOf);
  const centre = boxOf($("centre"));
  const plans = [];
  for (let beside = Math.min(1, Math.floor(boxes.length / 2)); 2 * beside <= boxes.length; beside++) {
    plans.push(plan(boxes, beside, centre, ring.clientWidth));
  }
  const usual = plans.findIndex(({ sides }) => sides[0].length >= Math.floor((boxes.length + 1) / 4));
  const fits = ({ wide, need }, height) => wide <= ring.clientWidth && need <= height;
  ring.style.minHeight = "";
  const wanted = [...plans.slice(usual), ...plans.slice(0, usual)];
  const chosen = wanted.find((each) => fits(each, ring.clientHeight))
    ?? wanted.filter((each) => fits(each, Infinity)).sort((one, other) => one.need - other.need)[0] ?? wanted[0];
  if (!chosen) return;
  ring.style.minHeight = `${Math.ceil(chosen.need)}px`;
  const { clientWidth: width, clientHeight: height } = ring;
  spread(chosen.far, "width", 0, width).forEach((left, index) => put(chosen.far[index], left, 0));
  chosen.sides.forEach((side, right) => spread(side, "height", chosen.from, height).forEach((top, index) =>
    put(side[index], right ? width - side[index].width : 0, top)));
  put(centre, (width - centre.width) / 2, chosen.under + (height - chosen.under - centre.height) / 2);
}

// Who sits where if so many sit at each side, how wide and how high that is, and where the sides and the piles begin.
function plan(boxes, beside, centre, width) {
  const far = boxes.slice(beside, boxes.length - beside);
  const sides = [boxes.slice(0, beside).reverse(), boxes.slice(boxes.length - beside)];
  const reach = most(sides.flat(), "width") + GAP;
  const under = far.length ? most(far, "height") + GAP : 0;
  const [first] = spread(far, "width", 0, width);
  const last = far.length ? spread(far, "width", 0, width).at(-1) + far.at(-1).width : 0;
  const from = far.length && beside && (first < reach || last > width - reach) ? under : 0;
  const need = Math.max(under + centre.height, ...sides.map((side) => from + lengthOf(side, "height")));
  return { far, sides, from, under, need, wide: Math.max(lengthOf(far, "width"), 2 * reach * (beside > 0) + centre.width) };
}

// Where boxes begin that share the room between two places evenly.
function spread(boxes, side, from, to) {
  const free = (to - from - sum(boxes.map((box) => box[side]))) / (boxes.length || 1);
  let at = from + free / 2;
  return boxes.map((box) => {
    const begin = at;
    at += box[side] + free;
    return begin;
  });
}

function put({ element }, left, top) {
  element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`;
}

const watcher = new ResizeObserver(placeAll);
watcher.observe($("ring"));
watcher.observe($("centre"));

function createPlayer() {
  const element = make("li");
  watcher.observe(element);
  return element;
}

// Arrows beside the piles, never behind them, point the way that turns go: down on the right, and up on the left.
export function showArrows(clockwise) {
  const ring = $("arrows");
  if (!ring.children.length) {
    for (const [side, degrees] of [[1, 90], [-1, 270]]) {
      for (const place of [-1, 0, 1]) {
        const arrow = make("span", {}, "➤");
        arrow.style.setProperty("--side", String(side));
        arrow.style.setProperty("--place", String(side * place));
        arrow.style.setProperty("--bend", String(Math.abs(place)));
        arrow.style.setProperty("--turn", `${degrees + 35 * place}deg`);
        ring.append(arrow);
      }
    }
  }
  ring.classList.toggle("counter", !clockwise);
}

function classes(player, state) {
  const marks = { player: true, deciding: state.deciding === player.seat, out: player.out, away: player.away };
  return Object.keys(marks).filter((mark) => marks[mark]).join(" ");
}

function parts(player, state) {
  const marker = state.deciding === player.seat ? make("span", { class: "pointer", ariaHidden: "true" }, "▶ ") : null;
  const face = player.face ? make("img", { class: "face", src: `/faces/${encodeURIComponent(player.name)}.svg`, alt: "" }) : null;
  const content = [
    make("p", { class: "name", title: player.about || player.name }, face, marker, player.name),
    make("p", { class: "tags" }, pile(player.cards), ...tagsOf(player, state)),
  ];
  if (player.known.length) {
    content.push(make("p", { class: "known" }, make("span", {}, `${t("you_know")} `),
      ...player.known.map((each) => Object.assign(cardImage(each.card), { alt: each.name }))));
  }
  if (player.backs.length) {
    content.push(make("p", { class: "backs" },
      make("span", { class: "unseen" }, `${t("other_sides")} ${listed(player.backs.map((each) => each.name))}`),
      make("span", { ariaHidden: "true" }, ...player.backs.map(backChip))));
  }
  return content;
}

// What is to be said of a player, as elements.
export function tagsOf(player, state) {
  const all = [
    ["decides", state.deciding === player.seat && player.seat !== state.you],
    ["uno", player.called],
    ["dealer", player.dealer],
    ["put_out", player.putOut],
    ["out", player.out && !player.putOut],
    ["away", player.away && player.seat !== state.you],
    ["failed", player.failed],
    ["points", state.scored, player.score],
    ["won", player.won > 0, player.won],
    ["matches", player.matches > 0, player.matches],
  ];
  return all.filter(([, holds]) => holds).map(([name, , number]) =>
    make("span", { class: name === "uno" ? "tag loud" : "tag" }, t(`tag.${name}`, { number })));
}
