// What is known of the hands against the same opponents: how many were won, as a bar and in words.

import { make } from "./dom.js";

const percent = (share) => `${Math.round(100 * share)}\u00a0%`;

export function recordParts(record) {
  const { title, people, hands, won, habit } = record;
  const faces = people.map((person) => make("img", { src: `/faces/${encodeURIComponent(person)}.svg`, alt: "" }));
  return [
    make("h3", {}, title, make("span", { class: "faces" }, ...faces)),
    make("p", { class: "won" }, `You have won ${won} of ${hands} ${hands === 1 ? "hand" : "hands"}.`),
    bar(record),
    make("p", { class: "help" }, range(record), " ", verdict(record)),
    make("p", { class: "habit" }, habit || noHabit(record)),
  ];
}

// The bar is what was won, the line around its end where the rate may settle, and the mark what equals would win.
function bar({ rate, low, high, fair }) {
  const element = make("div", { class: "wins", role: "img", ariaLabel:
    `Won ${percent(rate)}, probably between ${percent(low)} and ${percent(high)} in the long run; your fair share is ${percent(fair)}` },
    make("div", { class: "rate" }), make("div", { class: "range" }), make("div", { class: "fair" }),
    make("span", { class: "fair-text" }, `your fair share: ${percent(fair)}`));
  for (const [name, value] of Object.entries({ rate, low, high, fair })) element.style.setProperty(`--${name}`, value);
  return element;
}

const range = ({ rate, low, high }) =>
  `That is ${percent(rate)}. If you play on like this, it will probably settle between ${percent(low)} and ${percent(high)}.`;

function verdict({ low, high, fair }) {
  if (low > fair) return "That is more than your fair share: you play better than the others.";
  if (high < fair) return "That is less than your fair share: the others play better.";
  return "More hands will tell whether that is more or less than your fair share.";
}

function noHabit({ measured }) {
  if (!measured) return "What costs you most is not known yet.";
  return `No habit that costs you wins stands out in the ${measured === 1 ? "hand" : `${measured} hands`} looked at so far.`;
}
