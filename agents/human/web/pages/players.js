// The other players, in the order in which they sit, from your left on.

import { backs } from "./cards.js";
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
}

function classes(player, state) {
  const marks = { player: true, deciding: state.deciding === player.seat, out: player.out, away: player.away };
  return Object.keys(marks).filter((mark) => marks[mark]).join(" ");
}

function parts(player, state, send) {
  const cards = player.cards === 1 ? "1 card" : `${player.cards} cards`;
  const marker = state.deciding === player.seat ? make("span", { class: "pointer", ariaHidden: "true" }, "▶ ") : null;
  const content = [
    make("p", { class: "name" }, marker, player.name),
    make("p", { class: "held" }, backs(player.cards), make("span", {}, cards)),
    make("p", { class: "tags" }, ...tags(player, state).map((text) =>
      make("span", { class: text === "UNO!" ? "tag loud" : "tag" }, text))),
  ];
  if (player.known.length) content.push(make("p", { class: "known" }, `You know: ${player.known.join(" ")}`));
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
