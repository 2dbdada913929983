"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const frames = data.frames, end = frames.length - 1;
const $ = id => document.getElementById(id);
const SVG = "http://www.w3.org/2000/svg";
let at = 0, view = data.view, timer = null;

function make(tag, text, properties) {
  const element = document.createElement(tag);
  if (text !== undefined) element.textContent = text;
  return Object.assign(element, properties);
}

function picture(symbol, label, shape) {
  const svg = document.createElementNS(SVG, "svg"), use = document.createElementNS(SVG, "use");
  svg.setAttribute("class", shape);
  svg.setAttribute("viewBox", shape === "card" ? "0 0 100 150" : "0 0 24 24");
  if (label) { svg.setAttribute("role", "img"); svg.setAttribute("aria-label", label); }
  else svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", "#" + symbol);
  svg.append(use);
  return svg;
}

const card = text => picture("card-" + text.replace("+", "_"), data.cards[text], "card");

/* What the chosen view shows of a frame: the spectator's facts, or those with a seat's own in their place. */
function seen(frame) {
  if (view === null) return { ...frame, mine: true };
  const own = { ...frame, known: {}, ...frame.seen[view] };
  const mine = own.to_move === view;
  return { ...own, mine, legal: mine ? frame.legal : [] };
}

/* Whether the chosen view knows of a frame: not while another is asked something that only certain cards allow. */
const known = place => view === null || frames[place].seen[view] !== null;

const name = seat => data.names[seat] + (view === seat ? " (you)" : "");

const who = seat => view === seat ? "you" : data.names[seat];

/* An action in words, for who may do it at a seat in a phase. */
function deed(action, seat, phase) {
  const swap = /^swap(\d)$/.exec(action);
  if (swap) return "swap hands with " + who((seat + Number(swap[1])) % data.names.length);
  return action === "pass" ? (phase === "drawn" ? "keep the card" : "let it go") : data.actions[action];
}

const capital = text => text[0].toUpperCase() + text.slice(1);

const percent = (share, digits = 0) => (100 * share).toFixed(digits) + "\u00a0%";

function cardsOf(now, seat) {
  const hand = now.hands[seat];
  if (view === null || view === seat) return hand;
  const known = now.known[seat] || [];
  return known.concat(Array(hand.length - known.length).fill("back"));
}

function playable(now) {
  return new Set(now.legal.map(action => action === "jump_in" ? now.top : action.replace(/(:.|x2)$/, "")));
}

function showTable(now) {
  $("draw").replaceChildren(now.pile ? card("back") : make("span", "no cards"));
  $("pile").textContent = "draw pile " + now.pile;
  $("top").replaceChildren(card(now.top));
  $("discards").textContent = "discard pile " + now.discards;
  const name = data.colours[now.colour];
  const colour = make("span", name ?? "no colour declared yet", { className: name ? "colour " + name : "" });
  if (name) colour.prepend(picture("colour-" + now.colour, "", "figure"));
  const signs = [colour];
  signs.push(make("span", now.clockwise ? "\u2193 clockwise" : "\u2191 counter-clockwise", { className: "direction" }));
  if (now.penalty) signs.push(make("span", "to draw: " + now.penalty, { className: "penalty" }));
  $("signs").replaceChildren(...signs);
}

function showSeat(now, seat) {
  const row = make("li", undefined, { className: "seat" }), who = make("div", undefined, { className: "who" });
  const cards = cardsOf(now, seat), may = now.mine && now.to_move === seat ? playable(now) : new Set();
  row.classList.toggle("moving", now.to_move === seat);
  row.classList.toggle("out", now.out.includes(seat));
  who.append(make("b", name(seat)));
  who.append(make("span", cards.length + (cards.length === 1 ? " card" : " cards")));
  if (now.scores) who.append(make("span", now.scores[seat] + " points"));
  for (const [text, holds] of [["to move", now.to_move === seat], ["dealer", now.dealer === seat],
    ["UNO", now.called.includes(seat)], ["out of the match", now.out.includes(seat)]])
    if (holds) who.append(make("span", text, { className: text === "UNO" ? "tag loud" : "tag" }));
  const hand = make("div", undefined, { className: cards.length > 16 ? "hand large" : "hand" });
  for (const text of cards) {
    const place = make("span", undefined, { className: "can" }), drawn = card(text);
    if (may.has(text)) { place.classList.add("may"); drawn.setAttribute("aria-label", data.cards[text] + ", may be played"); }
    place.append(drawn);
    hand.append(place);
  }
  row.append(who, hand);
  return row;
}

/* What may be done, with the probability that the player, and the adviser if there is one, gives to each action. */
function showDecision(now) {
  const box = $("decision");
  if (now.over) return box.replaceChildren(make("p", now.words));
  if (!now.mine) return box.replaceChildren(make("p", "This view does not show what others may do, nor what they think."));
  const thinkers = [];
  if (now.probabilities) thinkers.push(["probability", now.probabilities]);
  if (now.advice?.probabilities) thinkers.push([data.adviser, now.advice.probabilities]);
  const costs = now.advice?.costs, [first] = thinkers.map(([, chances]) => chances).reverse(), rows = [...now.legal];
  if (first) rows.sort((one, other) => (first[other] || 0) - (first[one] || 0));
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  if (costs) rows.sort((one, other) => costs[one][0] - costs[other][0]);
  for (const text of ["action", ...thinkers.map(([title]) => title), ...(costs ? ["costs"] : [])]) head.append(make("th", text, { scope: "col" }));
  if (first) head.append(make("td"));
  for (const action of rows) {
    const row = body.insertRow(), chosen = action === now.chosen;
    row.classList.toggle("chosen", chosen);
    row.insertCell().append(capital(deed(action, now.to_move, now.phase)) + (chosen ? " \u2714 chosen" : ""));
    for (const [, chances] of thinkers) Object.assign(row.insertCell(), { className: "number", textContent: percent(chances[action] || 0, 1) });
    if (costs) Object.assign(row.insertCell(), { className: "number", textContent: percent(costs[action][0], 1) + " \u00b1 " + percent(costs[action][1], 1) });
    if (!first) continue;
    const bar = make("div"), part = make("div");
    part.style.width = 100 * (first[action] || 0) + "%"; bar.append(part);
    bar.setAttribute("aria-hidden", "true");
    Object.assign(row.insertCell(), { className: "share" }).append(bar);
  }
  const parts = [make("p", capital(who(now.to_move)) + " may:"), table];
  if (now.chosen !== null && !now.legal.includes(now.chosen)) parts.push(make("p", "Tried: " + deed(now.chosen, now.to_move, now.phase) + ", which is not allowed."));
  const estimate = (value, words) => value === null || value === undefined || parts.push(make("p", words + percent(winning(value)) + "."));
  estimate(now.value, capital(who(now.to_move)) + (view === now.to_move ? " expect" : " expects") + " to win with a probability of ");
  estimate(now.advice?.value, costs ? "The best action wins with a probability of " : data.adviser + " would expect to win from here with a probability of ");
  box.replaceChildren(...parts);
}

function showLog() {
  const rows = frames.flatMap((frame, place) => !known(place) ? [] : seen(frame).said.map(text => {
    const row = make("li"), button = make("button", (place ? place + ". " : "") + text, { onclick: () => go(place) });
    button.dataset.place = place;
    row.append(button);
    return row;
  }));
  $("log").replaceChildren(...rows);
}

function markLog() {
  const current = $("log").querySelectorAll("[aria-current]"), wanted = $("log").querySelectorAll(`[data-place="${at}"]`);
  for (const button of current) button.removeAttribute("aria-current");
  for (const button of wanted) {
    button.setAttribute("aria-current", "step");
    $("log").scrollTop = button.offsetTop - $("log").offsetTop - $("log").clientHeight / 2;
  }
}

function show() {
  const now = seen(frames[at]);
  showTable(now);
  $("seats").replaceChildren(...data.names.map((_, seat) => showSeat(now, seat)));
  $("event").textContent = now.said.join(" ") || "";
  $("words").textContent = now.words;
  showDecision(now);
  showCurve();
  markLog();
  markJumps();
  $("slider").value = at; $("number").value = at;
  $("slider").setAttribute("aria-valuetext", "decision " + at + " of " + end);
  $("first").disabled = $("back").disabled = at === 0;
  $("next").disabled = $("last").disabled = at === end;
  $("view").value = view === null ? "all" : String(view);
}

function go(place) {
  const step = place < at ? -1 : 1, wanted = Math.min(Math.max(place, 0), end);
  at = wanted;
  while (!known(at) && at + step >= 0 && at + step <= end) at += step;
  while (!known(at) && at - step >= 0 && at - step <= end) at -= step;
  show();
}

function pause() { clearInterval(timer); timer = null; $("play").textContent = "Play"; }

function play() {
  if (timer !== null) return pause();
  if (at === end) go(0);
  $("play").textContent = "Pause";
  timer = setInterval(() => { const before = at; go(at + 1); if (at === end || at === before) pause(); }, Number($("pace").value));
}

function look(chosen) { view = chosen; showLog(); showJumps(); go(at); }

$("slider").max = $("number").max = end;
$("total").textContent = end;
$("view").append(make("option", "all hands", { value: "all" }), ...data.names.map((seat, place) => make("option", seat, { value: place })));
$("first").onclick = () => go(0);
$("back").onclick = () => go(at - 1);
$("next").onclick = () => go(at + 1);
$("last").onclick = () => go(end);
$("play").onclick = play;
$("pace").onchange = () => { if (timer !== null) { pause(); play(); } };
$("slider").oninput = () => go(Number($("slider").value));
$("number").onchange = () => go(Math.trunc(Number($("number").value)) || 0);
$("view").onchange = () => look($("view").value === "all" ? null : Number($("view").value));
document.addEventListener("keydown", event => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select")) return;
  const keys = { ArrowLeft: () => go(at - 1), ArrowRight: () => go(at + 1), Home: () => go(0), End: () => go(end),
    v: () => data.sealed || look(view === null ? 0 : view + 1 < data.names.length ? view + 1 : null) };
  if (event.key === " " && !event.target.matches("button")) keys[" "] = play;
  if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
});
$("colours").onchange = () => { document.documentElement.style.colorScheme = $("colours").value; };
$("view-label").hidden = data.sealed;
if (data.sealed) $("holds").textContent = "The file holds what you could see in the hand" + (data.luck === null ? ", and nothing else." : ", and what its cards were worth with all hands open.");
/* A review of a hand opens at the decision that the adviser likes least, with the list of such decisions first. */
addEventListener("DOMContentLoaded", () => {
  $("app").hidden = false;
  look(view);
  if (data.adviser === null || !data.sealed) return;
  document.body.classList.add("review");
  $("decision").parentElement.before($("turning"));
  const [worst] = [...mistakes(), ...differences()];
  if (worst) go(worst.place);
});
