// What Python says, in the reader's language: phrases are the key of a text and its arguments, which may be phrases.

import { capital, sentence, t } from "./translate.js";

const COLOUR_OF = { r: "red", y: "yellow", g: "green", b: "blue", p: "pink", t: "teal", o: "orange", u: "purple" };

const colourName = (colour) => t(`colour.${colour}`);

// The name of a card; if it has two sides, `front/back`, of both.
function cardName(card) {
  const [front, back] = card.split("/");
  if (back) return t("card.two_sides", { front: cardName(front), back: cardName(back) });
  if (/^d?w/.test(card)) return t(`card.${card}`);
  const rank = card.slice(1);
  const symbol = /^\d$/.test(rank) ? Number(rank) : t(`symbol.${rank}`);
  return t("card.coloured", { colour: colourName(COLOUR_OF[card[0]]), symbol });
}

function actionName(action) {
  const [, wild, colour] = /^([\w+/]+):(\w)$/.exec(action) ?? [];
  if (wild === "colour") return t("action.declare", { colour: colourName(COLOUR_OF[colour]) });
  if (wild) return t("action.play_wild", { card: cardName(wild), colour: colourName(COLOUR_OF[colour]) });
  const [, pair] = /^(..)x2$/.exec(action) ?? [];
  if (pair) return t("action.play_two", { card: cardName(pair) });
  const [, place] = /^swap(\d)$/.exec(action) ?? [];
  if (place) return t("action.swap", { number: Number(place) });
  return action in SPOKEN ? t(SPOKEN[action]) : t("action.play", { card: cardName(action) });
}

const SPOKEN = Object.fromEntries(["draw", "pass", "challenge", "accept", "call", "catch", "jump_in"]
  .map((action) => [action, `action.${action}`]));

const MADE = {
  card: ({ card }) => cardName(card),
  colour: ({ colour }) => colourName(colour),
  action: ({ action }) => actionName(action),
  list: ({ parts }) => parts.join(t("joint.list")),
  clauses: ({ parts }) => parts.join(t("joint.clauses")),
  text: ({ parts }) => parts.join(t("joint.text")),
  and: ({ parts }) => parts.join(t("joint.and")),
  capital: ({ text }) => capital(text),
  sentence: ({ text }) => sentence(text),
};

// Values of Python with a text in place of each phrase.
function translated(value) {
  if (Array.isArray(value)) return value.map(translated);
  if (value === null || typeof value !== "object") return value;
  const { phrase, ...rest } = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, translated(each)]));
  if (phrase === undefined) return rest;
  return MADE[phrase] ? MADE[phrase](rest) : t(phrase, rest);
}

export { actionName, cardName, colourName, translated };
