// Cards and colours as elements.

import { make } from "./dom.js";
import { colourName } from "./strings/phrases.js";
import { t } from "./strings/texts.js";

export const COLOURS = {
  red: { letter: "R", figure: "▲" },
  yellow: { letter: "Y", figure: "●" },
  green: { letter: "G", figure: "■" },
  blue: { letter: "B", figure: "◆" },
};

export function cardImage(card) {
  return make("img", { src: `/cards/${card.replace("+", "_")}.svg`, alt: "", draggable: false });
}

// A colour told by word, letter and figure as well.
export function colourBadge(colour) {
  const { letter, figure } = COLOURS[colour];
  return make("span", { class: `colour ${colour}` }, make("span", { ariaHidden: "true" }, `${figure} ${letter} `), colourName(colour));
}

// How many cards somebody holds: a pile with the number on it.
export function pile(number) {
  return make("span", { class: number > 1 ? "held several" : "held" },
    make("img", { src: "/cards/back.svg", alt: "" }), make("b", {}, String(number)),
    make("span", { class: "unseen" }, ` ${t("cards_held", { number })}`));
}
