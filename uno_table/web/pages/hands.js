// "Your hands": how a person plays, by whom they play against, and their last hands to look at again.

import { hostKey, request } from "./api.js";
import { $, make, notice, reconcile, setText } from "./dom.js";
import { follow } from "./jobs.js";
import { recordParts } from "./record.js";
import { openPage, openReview } from "./review.js";
import { fillLanguages, fillPage, t } from "./strings/texts.js";

const bearer = hostKey();

async function begin() {
  fillPage();
  fillLanguages($("language"));
  const kept = await load();
  if (!kept?.hands) return;
  openNamed();
  if (kept.unmeasured) measure();
}

// Shows what the server knows. Returns it, with the number of hands.
async function load() {
  let kept;
  try {
    kept = await request("/api/me", { bearer });
  } catch (error) {
    notice(error.message);
    return null;
  }
  const hands = kept.keeps ? kept.records.reduce((sum, each) => sum + each.hands, 0) : 0;
  $("empty").hidden = hands > 0;
  $("kept").hidden = hands === 0;
  $("empty-text").textContent = t(kept.keeps ? "own.none.text" : "own.keeps_none");
  if (hands) show(kept);
  return { ...kept, hands };
}

function show({ records, latest, unreadable }) {
  reconcile($("records"), records, ({ title }) => title, () => make("li", { class: "panel" }), refresh(recordParts));
  reconcile($("latest"), latest, ({ id }, place) => `${id} ${place}`, () => make("li"), refresh(handParts));
  setText($("unreadable"), unreadable ? t("own.unreadable", { number: unreadable }) : "");
}

// Elements whose content stays the same are left alone: focus stays in them.
const refresh = (parts) => (element, item) => {
  const shown = JSON.stringify(item);
  if (element.dataset.shown === shown) return;
  element.dataset.shown = shown;
  element.replaceChildren(...parts(item));
};

const MARKS = { won: "✔", lost: "✘", nobody: "–" };

function handParts({ id, title, result, costly }) {
  const word = t(`own.result.${result}`);
  const choices = costly === null ? "" : costly === 0 ? t("own.costly.none") : t("own.costly", { number: costly });
  const what = make("p", {}, make("b", { class: result }, make("span", { ariaHidden: "true" }, `${MARKS[result]} `), word),
    ` – ${title}${choices && `: ${choices}`}`);
  const look = (kind, text) =>
    make("a", { class: "button", href: `#${kind}=${id}`, ariaLabel: `${text} (${word}, ${title})` }, text);
  return [what, make("p", { class: "tools" }, look("replay", t("own.replay")), look("review", t("review.title")))];
}

// --- measuring hands that are not measured yet

let stopMeasuring = () => {};

async function measure() {
  let measured = 0;
  try {
    const { job } = await request("/api/me/measuring", { bearer, body: {} });
    stopMeasuring = follow(job, ({ done, total, over, error }) => {
      if (error) notice(error);
      $("measuring").hidden = over || !total;
      Object.assign($("measuring-bar"), { max: total ?? 1, value: done ?? 0 });
      $("measuring-count").textContent = total ? t("own.measured", { done, number: total }) : "";
      if (done > measured) load();
      measured = done ?? measured;
    });
  } catch (error) {
    notice(error.message);
  }
}

// --- looking at a hand again: its address is that of the page with #replay=… or #review=…

let opened = false;

async function openNamed() {
  const [kind, id] = location.hash.slice(1).split("=");
  if (opened || !["replay", "review"].includes(kind) || !id) return;
  opened = true;
  const closed = () => {
    opened = false;
    history.replaceState(null, "", location.pathname);
  };
  try {
    const { page, job } = await request(`/api/me/hands/${encodeURIComponent(id)}/${kind}`, { bearer, body: {} });
    if (page) openPage(page, t("own.replay"), t("own.back"), closed);
    else openReview(job, t("own.back"), closed);
  } catch (error) {
    closed();
    notice(error.message);
  }
}

window.addEventListener("hashchange", openNamed);

$("forget").onclick = async () => {
  if (!confirm(t("own.confirm"))) return;
  stopMeasuring();
  try {
    const { deleted } = await request("/api/me", { bearer, method: "DELETE" });
    setText($("forgotten"), t("own.deleted", { number: deleted }));
  } catch (error) {
    notice(error.message);
  }
  load();
};

begin();
