// A hand again, in a dialog: its replay, or "Where did I go wrong?", which shows how far the review is and what it has
// found, then its page.

import { $, make } from "./dom.js";
import { follow } from "./jobs.js";
import { inLanguage, percent, sentence, t } from "./strings/texts.js";

// Opens the review that a job makes. `back` is the text of the button that closes it; `closed` is called when it is.
export function openReview(job, back, closed) {
  let stop = () => {};
  open(t("review.title"), progress(), back, () => {
    stop();
    closed();
  });
  stop = follow(job, (state) => {
    if (state.page) $("review-wait").replaceWith(pageOf(state.page, t("review.page")));
    else showProgress(state);
  });
}

// Opens a page of a hand.
export function openPage(page, title, back, closed = () => {}) {
  open(title, pageOf(page, title), back, closed);
}

function open(title, content, back, closed) {
  const close = make("button", { id: "page-close" }, back);
  const dialog = make("dialog", { id: "page-box", ariaLabelledby: "page-title" },
    make("header", {}, make("h2", { id: "page-title" }, title), close), content);
  document.body.append(dialog);
  close.onclick = () => dialog.close();
  dialog.onclose = () => {
    dialog.remove();
    closed();
  };
  dialog.showModal();
}

const pageOf = (page, title) => make("iframe", { id: "page", title, sandbox: "allow-scripts", src: inLanguage(page) });

// How far a review is, and the costly choices that it has found: empty before `showProgress`.
export function progress() {
  return make("div", { id: "review-wait" },
    make("p", { role: "status", id: "review-state" }, t("review.measuring")),
    make("progress", { id: "review-bar", ariaLabelledby: "review-state" }),
    make("p", { id: "review-count" }),
    make("p", { class: "help" }, t("review.about")),
    make("ol", { id: "review-found", ariaLive: "polite", ariaLabel: t("review.found") }));
}

export function showProgress({ error, done, total, found }) {
  if (error) $("review-wait").replaceChildren(make("p", { class: "notice", role: "alert" }, sentence(error)));
  if (error || !total) return;
  Object.assign($("review-bar"), { max: total, value: done });
  $("review-count").textContent = t("review.count", { done, number: total });
  const list = $("review-found");
  list.append(...found.slice(list.children.length).map((choice) => make("li", {}, ...choiceParts(choice))));
}

export const choiceParts = ({ chosen, better, cost }) =>
  [make("b", {}, sentence(chosen)), ` ${t("review.cost", { cost: percent(cost, 1), better })}`];
