// The middle of the table: both piles, the colour, the penalty and the direction.

import { cardImage, colourBadge } from "./cards.js";
import { $, notice, setText } from "./dom.js";
import { showArrows } from "./players.js";
import { t } from "./strings/texts.js";

export function showPiles(view, act) {
  const drawing = view.moves.some((move) => move.action === "draw");
  const draw = $("draw");
  draw.setAttribute("aria-disabled", String(!drawing));
  draw.setAttribute("aria-label", t(drawing ? "pile.draw_ready" : "pile.draw", { number: view.drawPile }));
  draw.classList.toggle("ready", drawing);
  draw.onclick = () => (drawing ? act("draw") : notice(t("pile.cannot_draw")));
  setText($("draw-count"), t("pile.to_draw", { number: view.drawPile }));
  setText($("discard-count"), t("pile.laid", { number: view.discards }));
  const top = $("top");
  if (top.dataset.card !== view.top) {
    top.dataset.card = view.top;
    top.src = cardImage(view.top).src;
  }
  top.alt = t("pile.top", { card: view.topName });
  setText($("direction"), t(view.clockwise ? "clockwise" : "counter_clockwise"));
  showArrows(view.clockwise);
  const colour = $("colour");
  if (colour.dataset.colour !== String(view.colour)) {
    colour.dataset.colour = view.colour;
    colour.replaceChildren(`${t("colour")} `, view.colour ? colourBadge(view.colour) : t("colour.none"));
  }
  setText($("penalty"), view.penalty ? t("pile.penalty", { number: view.penalty }) : "");
}
