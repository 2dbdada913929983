// A hand again, in a dialog: its replay, or "Where did I go wrong?", which shows how far the review is and what it has
// found, then its page.

import { $, make } from "./dom.js";
import { follow } from "./jobs.js";
import { inLanguage, percent, sentence, t } from "./strings/texts.js";

// Opens the review that a job makes. `back` is the text of the button that closes it; `closed` is called when it is.
export function openReview(job, back, closed) {
  let stop = () => {};
  open(t("review.title"), waiting(), back, () => {
    stop();
    closed();
  });
  stop = follow(job, show);
}

// Opens the page of a replay.
export function openReplay(page, back, closed) {
  open(t("own.replay"), pageOf(page, t("own.again")), back, closed);
}

function open(title, content, back, closed) {
  const close = make("button", { id: "review-close" }, back);
  const dialog = make("dialog", { id: "review-box", ariaLabelledby: "review-title" },
    make("header", {}, make("h2", { id: "review-title" }, title), close), content);
  document.body.append(dialog);
  close.onclick = () => dialog.close();
  dialog.onclose = () => {
    dialog.remove();
    closed();
  };
  dialog.showModal();
}

function waiting() {
  return make("div", { id: "review-wait" },
    make("p", { role: "status", id: "review-state" }, t("review.measuring")),
    make("progress", { id: "review-bar", ariaLabelledby: "review-state" }),
    make("p", { id: "review-count" }),
    make("p", { class: "help" }, t("review.about")),
    make("ol", { id: "review-found", ariaLive: "polite", ariaLabel: t("review.found") }));
}

function show(state) {
  if (state.page) $("review-wait").replaceWith(pageOf(state.page, t("review.page")));
  else if (state.error) $("review-wait").replaceChildren(make("p", { class: "notice", role: "alert" }, sentence(state.error)));
  else if (state.total) showSteps(state);
}

function pageOf(page, title) {
  return make("iframe", { id: "review-page", title, sandbox: "allow-scripts", src: inLanguage(page) });
}

function showSteps({ done, total, found }) {
  Object.assign($("review-bar"), { max: total, value: done });
  $("review-count").textContent = t("review.count", { done, number: total });
  const list = $("review-found");
  const added = found.slice(list.children.length);
  list.append(...added.map(({ chosen, better, cost }) =>
    make("li", {}, make("b", {}, sentence(chosen)), ` ${t("review.cost", { cost: percent(cost, 1), better })}`)));
}
