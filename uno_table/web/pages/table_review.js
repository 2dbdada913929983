// "Where did I go wrong?" at the table: a panel beside the board says how far the review is, then its verdict and the costly
// choices. The board shows the table as it was before the choice that is looked at.

import { $, make } from "./dom.js";
import { follow } from "./jobs.js";
import { choiceParts, openPage, progress, showProgress } from "./review.js";
import { percent, t } from "./strings/texts.js";

// Opens the review that a job makes. `look` is called with each view that the board is to show, `closed` when it is closed.
export function reviewAtTable(job, look, closed) {
  const panel = $("review-panel");
  const close = make("button", { id: "review-close" }, t("review.back"));
  panel.replaceChildren(make("header", {}, make("h2", { id: "review-title" }, t("review.title")), close), progress());
  panel.hidden = false;
  panel.scrollIntoView({ block: "nearest" });
  close.focus({ preventScroll: true });
  const stop = follow(job, (state) => (state.page ? showVerdict(state, look) : showProgress(state)));
  close.onclick = () => {
    stop();
    panel.hidden = true;
    panel.replaceChildren();
    closed();
  };
}

const signed = (share) => (share < 0 ? "\u2212" : "+") + percent(Math.abs(share));

// What the cards and the choices brought, as the page of the whole hand says it.
function sumOf(luck, found) {
  const choices = signed(-found.reduce((sum, { cost }) => sum + cost, 0));
  return luck === null ? t("replay.sum.choices", { choices }) : t("replay.sum", { luck: signed(luck), choices });
}

function showVerdict({ page, luck, found, views }, look) {
  const worst = found.reduce((most, each, place) => (each.cost > (found[most]?.cost ?? 0) ? place : most), -1);
  const verdict = worst < 0 ? t("replay.verdict.none")
    : t("replay.verdict.worst", { ...found[worst], cost: percent(found[worst].cost, 1) });
  const choices = found.map((choice, place) => make("button", { onclick: () => go(place) }, ...choiceParts(choice)));
  function go(place) {
    choices.forEach((button, other) => button.setAttribute("aria-current", String(other === place)));
    look(views[place]);
  }
  const title = t("review.page");
  const list = make("ol", { id: "review-found", ariaLabel: t("replay.mistakes") }, ...choices.map((button) => make("li", {}, button)));
  $("review-wait").replaceChildren(
    make("p", { id: "review-verdict", role: "status" }, verdict),
    make("p", { id: "review-sum" }, sumOf(luck, found)),
    found.length > 1 ? list : "", // a single one is the verdict
    make("button", { id: "review-page", onclick: () => openPage(page, title, t("review.back")) }, title));
  if (worst >= 0) go(worst);
}
