// The middle of the table: both piles, the colour, the penalty and the direction.

import { cardImage, colourBadge } from "./cards.js";
import { $, notice, setText } from "./dom.js";
import { showArrows } from "./players.js";
import { t } from "./strings/texts.js";

export function showPiles(view, act) {
  const drawing = view.moves.some((move) => move.action === "draw");
  const draw = $("draw");
  draw.setAttribute("aria-disabled", String(!drawing));
  const pile = t(drawing ? "pile.draw_ready" : "pile.draw", { number: view.drawPile });
  const next = view.nextBack ? t("pile.next_back", { card: view.nextBack.name }) : "";
  draw.setAttribute("aria-label", [pile, next].filter(Boolean).join(t("joint.list")));
  draw.title = next;
  showCard(draw.firstChild, view.nextBack ? `?/${view.nextBack.card}` : "back");
  draw.classList.toggle("ready", drawing);
  draw.onclick = () => (drawing ? act("draw") : notice(t("pile.cannot_draw")));
  setText($("draw-count"), t("pile.to_draw", { number: view.drawPile }));
  setText($("discard-count"), t("pile.laid", { number: view.discards }));
  const top = $("top");
  showCard(top, view.top);
  top.alt = t("pile.top", { card: view.topName });
  setText($("direction"), t(view.clockwise ? "clockwise" : "counter_clockwise"));
  showArrows(view.clockwise);
  document.body.classList.toggle("dark-side", view.side === "dark");
  setText($("side"), view.side ? t(view.side === "dark" ? "side.dark" : "side.light") : "");
  setText($("last-face"), view.lastFace ? t("pile.last_face", { card: view.lastFace.name }) : "");
  const colour = $("colour");
  if (colour.dataset.colour !== String(view.colour)) {
    colour.dataset.colour = view.colour;
    colour.replaceChildren(`${t("colour")} `, view.colour ? colourBadge(view.colour) : t("colour.none"));
  }
  setText($("penalty"), view.penalty ? t("pile.penalty", { number: view.penalty }) : "");
}

function showCard(image, card) {
  if (image.dataset.card === card) return;
  image.dataset.card = card;
  image.src = cardImage(card).src;
}
