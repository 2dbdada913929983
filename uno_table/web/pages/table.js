// The table: takes what the server says this seat may know, shows it, and sends what the person does.

import { showHints } from "./hints.js";
import { readFragment, request } from "./api.js";
import { Connection } from "./connection.js";
import { $, make, notice, setText } from "./dom.js";
import { showHand, walkHand } from "./hand.js";
import { announce, showLog } from "./log.js";
import { landed, showMotion } from "./motion.js";
import { keyOf, showMoves } from "./moves.js";
import { showPiles } from "./piles.js";
import { showPlayers, tagsOf } from "./players.js";
import { capital, fillLanguages, fillPage, inLanguage, t } from "./strings/texts.js";
import { reviewAtTable } from "./table_review.js";

const table = location.pathname.split("/").pop();
const path = `/api/tables/${table}`;
let state = null;
let past = null; // the view that the board shows instead, while a choice is looked at again
let connection = null;
let token = null;
let clockEnds = 0;
let lastSituation = "";

// Why a table is gone for good.
const GONE = {
  1008: "gone.too_many",
  4403: "gone.not_yours",
  4404: "gone.no_table",
  4405: "gone.not_opened",
  4409: "gone.elsewhere",
};

const send = (message) => connection.send(message);
const act = (action) => (past ? notice(capital(t("refused.over"))) : send({ type: "move", action, ticket: state.ticket }));

// --- coming to the table

async function begin() {
  const fragment = readFragment();
  token = fragment.get("seat");
  if (!token && fragment.get("invite")) {
    $("join-name").value = localStorage.getItem("name") ?? "";
    $("join").querySelector("form").onsubmit = (event) => {
      event.preventDefault();
      sitDown(fragment.get("invite"));
    };
    $("join").addEventListener("cancel", (event) => event.preventDefault());
    $("join").showModal();
    return;
  }
  if (token) connect();
  else gone(4403);
  reopenReview();
}

async function sitDown(invitation) {
  const name = $("join-name").value;
  try {
    ({ token } = await request(`${path}/seats`, { body: { invitation, name } }));
  } catch (error) {
    $("join").querySelector("h2").after(make("p", { class: "notice", role: "alert" }, error.message));
    return;
  }
  localStorage.setItem("name", name);
  history.replaceState(null, "", `#seat=${token}`);
  $("join").close();
  connect();
}

function connect() {
  connection = new Connection(`${path}/socket`, { type: "hello", token }, {
    state: show,
    refused: notice,
    online: (online, text = "") => {
      setText($("offline"), text);
      document.body.classList.toggle("offline", !online);
      if (online && $("hints").getAttribute("aria-pressed") === "true" && !state?.hinting) askForHints(true);
    },
    gone,
  });
}

function gone(code) {
  $("table").hidden = true;
  setText($("offline"), "");
  $("notice").classList.remove("banner");
  notice(t(GONE[code]));
}

// --- showing what is

function show(message) {
  const before = state;
  state = { ...message, hinting: state?.hinting ?? false };
  $("table").dataset.ticket = state.ticket;
  showHints(state.hints, state.players.length);
  showClock();
  showOwn();
  showInvitations();
  document.title = t(state.deciding === state.you ? "table.title_your_move" : "table.title");
  if (past) {
    if (!state.result) notice(state.situation);
    return;
  }
  const news = showBoard(state);
  showMotion(before, state);
  if (state.result && before && !before.result) landed().then(showResult);
  else showResult();
  const now = state.result ? `${state.result.text} ${state.result.match}` : state.situation;
  announce(now === lastSituation && !news.length ? [] : [...news, now]);
  lastSituation = now;
}

// Shows a view of the table. Returns the events that are new in the log.
function showBoard(message) {
  const view = { ...message, scored: message.players.some((player) => player.score > 0) };
  $("table").hidden = false;
  showPlayers(view);
  showPiles(view, act);
  showHand(view, act);
  showMoves(view, act);
  $("you").classList.toggle("deciding", view.deciding === view.you);
  $("hand-title").replaceChildren(...ownTitle(view));
  setText($("title"), view.rules);
  setText($("situation"), view.result ? "" : view.situation);
  return showLog(view);
}

function showOwn() {
  $("hints").hidden = !state.canHint;
  $("undo").hidden = state.players.filter((player) => player.kind === "person").length > 1;
  $("undo").disabled = !state.canUndo;
}

function ownTitle(view) {
  const player = view.players[view.you];
  return [`${t("hand.count", { number: player.cards })} `, ...tagsOf(player, view)];
}

function showResult() {
  const { result } = state;
  const box = $("result");
  const shown = JSON.stringify(result);
  if (box.dataset.shown === shown) return;
  const hadFocus = document.activeElement === document.body || $("you").contains(document.activeElement);
  box.dataset.shown = shown;
  box.hidden = !result;
  if (!result) {
    box.replaceChildren();
    return;
  }
  keepScore();
  const points = (player) => (result.counted ? [result.points?.[player.seat] ?? 0, player.score] : []);
  const rows = state.players.map((player) => make("tr", { class: player.seat === state.you ? "own" : "" },
    make("th", { scope: "row" }, player.name),
    ...[...points(player), player.won].map((number) => make("td", {}, String(number)))));
  const counts = result.counted ? ["result.hand", "result.points", "result.won"] : ["result.won"];
  const heading = ["", ...counts.map((text) => t(text))].map((text) => make("th", { scope: "col" }, text));
  const next = make("button", { id: "next", class: "big", onclick: () => send({ type: "go_on" }) },
    t(result.gameOver && result.match ? "result.rematch" : "result.next"), " ", make("kbd", { ariaHidden: "true" }, "N"));
  const review = state.canHint
    ? make("button", { id: "review", onclick: showReview }, t("review.title")) : null;
  const save = result.gameOver ? make("button", { onclick: saveReplay }, t("result.save")) : null;
  const share = result.gameOver ? make("button", { id: "share", onclick: shareReplay }, t("result.share")) : null;
  box.replaceChildren(
    make("h2", {}, result.match || result.text),
    ...(result.match ? [make("p", {}, result.text)] : []),
    make("p", { class: "why" }, result.why),
    make("div", { class: "scores", tabIndex: 0, role: "group", ariaLabel: t("result.title") },
      make("table", {}, make("thead", {}, make("tr", {}, ...heading)), make("tbody", {}, ...rows))),
    make("p", { class: "tools" }, next, review, share, save),
  );
  if (hadFocus) next.focus({ preventScroll: true });
  box.scrollIntoView({ block: "nearest" });
  box.querySelector(".own")?.scrollIntoView({ block: "nearest" });
}

async function saveReplay() {
  try {
    saveFile("uno-game.json", "application/json", JSON.stringify(await request(`${path}/replay`, { bearer: token })));
  } catch (error) {
    notice(error.message);
  }
}

async function showReview(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const { job } = await request(`${path}/review`, { bearer: token, body: {} });
    watchReview(job);
  } catch (error) {
    notice(error.message);
  }
  button.disabled = false;
}

// A review that is open is open again when the page is loaded again.
function watchReview(job) {
  sessionStorage.setItem("review", JSON.stringify({ table, job }));
  $("table").classList.add("reviewing");
  reviewAtTable(job, look, () => {
    sessionStorage.removeItem("review");
    $("table").classList.remove("reviewing");
    look(null);
  });
}

// Lets the board show how the table was, or how it is now.
function look(view) {
  past = view;
  if (past) showBoard(past);
  else if (state) {
    showBoard(state);
    showResult();
  }
}

function reopenReview() {
  const open = JSON.parse(sessionStorage.getItem("review") ?? "{}");
  if (open.table !== table) return;
  request(`/api/jobs/${open.job}`).then(() => watchReview(open.job), () => sessionStorage.removeItem("review"));
}

async function shareReplay(event) {
  const button = event.currentTarget;
  button.disabled = true;
  try {
    const { page } = await request(`${path}/share`, { bearer: token, body: {} });
    const field = make("input", { id: "shared", readOnly: true, ariaLabel: t("result.link"), value: location.origin + inLanguage(page) });
    field.onfocus = () => field.select();
    button.replaceWith(field);
    field.focus();
    navigator.clipboard?.writeText(field.value).then(() => notice(t("result.copied")), () => {});
  } catch (error) {
    notice(error.message);
    button.disabled = false;
  }
}

// Hands and wins at each level, kept by the browser beyond this table.
function keepScore() {
  const { level, result, epoch, firstEvent, events } = state;
  const hand = `${table} ${epoch} ${firstEvent + events.length}`;
  const record = JSON.parse(localStorage.getItem("record") ?? "{}");
  if (!level || record.last === hand) return;
  const { hands = 0, won = 0 } = record[level] ?? {};
  record[level] = { hands: hands + 1, won: won + result.youWon };
  localStorage.setItem("record", JSON.stringify({ ...record, last: hand }));
}

function saveFile(name, type, text) {
  const address = URL.createObjectURL(new Blob([text], { type }));
  make("a", { href: address, download: name }).click();
  URL.revokeObjectURL(address);
}

function showInvitations() {
  const box = $("invitations");
  box.hidden = state.invitations.length === 0;
  const shown = JSON.stringify(state.invitations);
  if (box.dataset.shown === shown) return;
  box.dataset.shown = shown;
  box.querySelector("ul").replaceChildren(...state.invitations.map((each) => {
    const link = `${location.origin}${location.pathname}#invite=${each.invitation}`;
    const id = `invitation-${each.seat}`;
    const input = make("input", { id, readOnly: true, value: link, onfocus: () => input.select() });
    const copy = make("button", { onclick: () => { input.select(); navigator.clipboard?.writeText(link); } }, t("invitation.copy"));
    return make("li", {}, make("label", { htmlFor: id }, `${t("seat", { number: each.seat + 1 })} `), input, copy);
  }));
}

// --- the clock

function showClock() {
  const { clock } = state;
  $("clock").hidden = !clock;
  if (!clock) return;
  clockEnds = performance.now() + 1000 * clock.left;
  tick();
}

function tick() {
  if (!state?.clock) return;
  const left = Math.max(clockEnds - performance.now(), 0) / 1000;
  $("clock-left").style.setProperty("--left", String(left / state.clock.seconds));
  setText($("clock-text"), t("clock.seconds", { number: Math.ceil(left) }));
}

setInterval(tick, 200);

// --- what the person does

function askForHints(on) {
  $("hints").setAttribute("aria-pressed", String(on));
  state.hinting = on;
  send({ type: "hints", on });
}

const press = (id) => $(id) && !$(id).hidden && !$(id).disabled && $(id).click();

const SHORTCUTS = {
  h: () => press("hints"),
  z: () => press("undo"),
  n: () => {
    press("review-close");
    press("next");
  },
  escape: () => press("review-close"),
  "?": () => press("help"),
};

function onKey(event) {
  walkHand(event);
  if (event.ctrlKey || event.metaKey || event.altKey || !$("shortcuts").checked) return;
  if (document.querySelector("dialog[open]") || event.target.matches("input, select, textarea")) return;
  const key = event.key.toLowerCase();
  const move = (past ?? state)?.moves.find((each) => keyOf(each.action) === key);
  if (move) act(move.action);
  else SHORTCUTS[key]?.();
  if (move || SHORTCUTS[key]) event.preventDefault();
}

async function openHelp() {
  $("help-box").showModal();
  if ($("rules").children.length) return;
  try {
    const lines = await request(`${path}/rules`, { bearer: token });
    $("rules").replaceChildren(...lines.flatMap(({ name, text }) => [make("dt", {}, name), make("dd", {}, text)]));
  } catch (error) {
    notice(error.message);
  }
}

const KEYS = [
  ["← →", "key.hand"], ["D", "key.draw"], ["P", "key.keep"], ["U", "key.call"], ["C", "key.challenge"],
  ["A", "key.accept"], ["J", "key.jump_in"], ["R Y G B P T O U", "key.colour"], ["H", "hints"], ["Z", "undo"], ["N", "result.next"],
];

fillPage();
fillLanguages($("language"));
$("keys").append(...KEYS.flatMap(([key, text]) => [make("dt", {}, make("kbd", {}, key)), make("dd", {}, t(text))]));
$("shortcuts").checked = localStorage.getItem("shortcuts") !== "off";
$("shortcuts").onchange = () => localStorage.setItem("shortcuts", $("shortcuts").checked ? "on" : "off");
$("help").onclick = openHelp;
$("help-close").onclick = () => $("help-box").close();
$("hints").onclick = () => askForHints($("hints").getAttribute("aria-pressed") !== "true");
$("undo").onclick = () => send({ type: "undo" });
document.addEventListener("keydown", onKey);
begin();
