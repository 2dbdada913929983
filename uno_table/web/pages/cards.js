// Cards and colours as elements.

import { make } from "./dom.js";
import { colourName } from "./strings/phrases.js";
import { t } from "./strings/texts.js";

export const COLOURS = {
  red: { letter: "R", figure: "▲" },
  yellow: { letter: "Y", figure: "●" },
  green: { letter: "G", figure: "■" },
  blue: { letter: "B", figure: "◆" },
  pink: { letter: "P", figure: "▲" },
  teal: { letter: "T", figure: "●" },
  orange: { letter: "O", figure: "■" },
  purple: { letter: "U", figure: "◆" },
};

const byLetter = (letter) => Object.keys(COLOURS).find((colour) => COLOURS[colour].letter === letter?.toUpperCase());

// The colour that an action declares, if it does: `w:g`, `colour:g`.
export const declaredBy = (action) => byLetter(/:(\w)$/.exec(action)?.[1]);

export const colourOfKey = (key) => byLetter(/^\w$/.exec(key)?.[0]);

export function cardImage(card) {
  const address = card.replaceAll("+", "_").replace("/", "~").replace("?", "unseen");
  return make("img", { src: `/cards/${address}.svg`, alt: "", draggable: false });
}

// The other face of a card that somebody else holds, small: its text in its colour.
export const backChip = ({ card }) =>
  make("span", { class: `back-chip ${/^d?w/.test(card) ? "" : `colour ${byLetter(card[0])}`}` }, card.toUpperCase());

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
