// What is known of the hands against the same opponents: how many were won, as a bar and in words.

import { make } from "./dom.js";
import { percent, t } from "./strings/texts.js";

export function recordParts(record) {
  const { title, people, hands, won, habit } = record;
  const faces = people.map((person) => make("img", { src: `/faces/${encodeURIComponent(person)}.svg`, alt: "" }));
  return [
    make("h3", {}, title, make("span", { class: "faces" }, ...faces)),
    make("p", { class: "won" }, t("level.record", { won, number: hands })),
    bar(record),
    make("p", { class: "help" }, range(record), " ", verdict(record)),
    make("p", { class: "habit" }, habit || noHabit(record)),
  ];
}

// The bar is what was won, the line around its end where the rate may settle, and the mark what equals would win.
function bar({ rate, low, high, fair }) {
  const element = make("div", { class: "wins", role: "img", ariaLabel:
    t("record.bar", shares({ rate, low, high, fair })) },
    make("div", { class: "rate" }), make("div", { class: "range" }), make("div", { class: "fair" }),
    make("span", { class: "fair-text" }, t("record.fair", { fair: percent(fair) })));
  for (const [name, value] of Object.entries({ rate, low, high, fair })) element.style.setProperty(`--${name}`, value);
  return element;
}

const shares = (rates) => Object.fromEntries(Object.entries(rates).map(([name, rate]) => [name, percent(rate)]));

const range = ({ rate, low, high }) => t("record.range", shares({ rate, low, high }));

function verdict({ low, high, fair }) {
  if (low > fair) return t("record.more");
  if (high < fair) return t("record.less");
  return t("record.unclear");
}

function noHabit({ measured }) {
  if (!measured) return t("record.not_known");
  return t("record.no_habit", { number: measured });
}
