// The other players around the table, in the order in which they sit: clockwise, from your left on.

import { cardImage, pile } from "./cards.js";
import { $, make, reconcile } from "./dom.js";

export function showPlayers(state, send) {
  const number = state.players.length;
  const first = state.you === null ? 0 : state.you + 1;
  const others = state.players.map((_, place) => state.players[(first + place) % number]);
  if (state.you !== null) others.pop();
  reconcile($("players"), others, (player) => player.seat, () => make("li"), (element, player) => {
    const shown = JSON.stringify([player, state.deciding, state.you, state.scored]);
    if (element.dataset.shown === shown) return;
    element.dataset.shown = shown;
    element.className = classes(player, state);
    element.replaceChildren(...parts(player, state, send));
  });
  placeAll();
}

function placeAll() {
  const seats = [...$("players").children];
  seats.forEach((seat, index) => place(seat, index, seats.length));
}

new ResizeObserver(placeAll).observe($("players"));

// Seats stand along the left side, the far side and the right side of the table, where there is room for them.
function place(element, index, number) {
  const side = (element.parentElement.clientHeight - element.offsetHeight) / (element.offsetHeight + 8);
  const far = (element.parentElement.clientWidth - element.offsetWidth) / (element.offsetWidth + 8);
  const way = ((index + 0.5) / number) * (2 * side + far);
  const across = Math.min(Math.max((way - side) / far, 0), 1);
  const down = way < side ? 1 - way / side : Math.max((way - side - far) / side, 0);
  element.style.setProperty("--across", across.toFixed(3));
  element.style.setProperty("--down", down.toFixed(3));
}

// Arrows around the piles point the way that turns go.
export function showArrows(clockwise) {
  const ring = $("arrows");
  if (!ring.children.length) {
    for (const degrees of [-40, 0, 40, 140, 180, 220]) {
      const angle = (Math.PI * degrees) / 180;
      const element = make("span", {}, "➤");
      element.style.setProperty("--x", Math.cos(angle).toFixed(4));
      element.style.setProperty("--y", Math.sin(angle).toFixed(4));
      element.style.setProperty("--turn", `${(angle + Math.PI / 2).toFixed(4)}rad`);
      ring.append(element);
    }
  }
  ring.classList.toggle("counter", !clockwise);
}

function classes(player, state) {
  const marks = { player: true, deciding: state.deciding === player.seat, out: player.out, away: player.away };
  return Object.keys(marks).filter((mark) => marks[mark]).join(" ");
}

function parts(player, state, send) {
  const marker = state.deciding === player.seat ? make("span", { class: "pointer", ariaHidden: "true" }, "▶ ") : null;
  const face = player.face ? make("img", { class: "face", src: `/faces/${encodeURIComponent(player.name)}.svg`, alt: "" }) : null;
  const content = [
    make("p", { class: "name", title: player.about || player.name }, face, marker, player.name),
    make("p", { class: "tags" }, pile(player.cards), ...tags(player, state).map((text) =>
      make("span", { class: text === "UNO!" ? "tag loud" : "tag" }, text))),
  ];
  if (player.known.length) {
    content.push(make("p", { class: "known" }, make("span", {}, "You know "),
      ...player.known.map((each) => Object.assign(cardImage(each.card), { alt: each.name }))));
  }
  if (player.away && state.you === 0) {
    content.push(make("button", { onclick: () => send({ type: "stand_in", seat: player.seat }) }, "Let an agent play"));
  }
  return content;
}

export function tags(player, state) {
  const all = [
    [state.deciding === player.seat, "decides"],
    [player.called, "UNO!"],
    [player.dealer, "dealer"],
    [player.out, "out of the match"],
    [player.away, "away"],
    [player.standIn, "an agent plays"],
    [state.scored, `${player.score} points`],
    [player.won > 0, `won ${player.won}`],
    [player.matches > 0, `${player.matches} ${player.matches === 1 ? "match" : "matches"}`],
  ];
  return all.filter(([holds]) => holds).map(([, text]) => text);
}
