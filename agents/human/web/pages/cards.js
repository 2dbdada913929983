// Cards and colours as elements.

import { make } from "./dom.js";

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
  return make("span", { class: `colour ${colour}` }, make("span", { ariaHidden: "true" }, `${figure} ${letter} `), colour);
}

export function backs(number) {
  const fan = make("span", { class: "backs", ariaHidden: "true" });
  for (let card = 0; card < Math.min(number, 8); card++) {
    fan.append(make("img", { src: "/cards/back.svg", alt: "" }));
  }
  return fan;
}
