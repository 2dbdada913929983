// The page of a replay: the table at each decision, what may be done, and what has happened.

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
  if (label) {
    const title = document.createElementNS(SVG, "title");
    title.textContent = label;
    svg.append(title);
    svg.setAttribute("role", "img"); svg.setAttribute("aria-label", label);
  } else svg.setAttribute("aria-hidden", "true");
  use.setAttribute("href", "#" + symbol);
  svg.append(use);
  return svg;
}

/* The name of a card: face up, or of one of which no face, or only the other one, is seen. */
function nameOf(text) {
  if (text === "back") return t("replay.face_down");
  return text.startsWith("?/") ? t("replay.other_side", { card: cardName(text.slice(2)) }) : cardName(text);
}

const card = text => picture("card-" + text.replaceAll("+", "_"), nameOf(text), "card");

/* An action's text with its card as it lies: with two sides, the one in force first. */
const asItLies = (action, now) => now.side ? action.replace(/^([^/:]+)\/([^/:]+)/, "$2/$1") : action;

/* What the chosen view shows of a frame: the spectator's facts, or those with a seat's own in their place. */
function seen(frame) {
  if (view === null) return { ...frame, mine: true };
  const own = data.sealed ? frame : { ...frame, known: {}, backs: {}, ...frame.seen[view] };
  const mine = own.to_move === view;
  return { ...own, mine, legal: mine ? frame.legal : [] };
}

/* Whether the chosen view knows of a frame: not while another is asked something that only certain cards allow. */
const known = place => view === null || frames[place].seen[view] !== null;

/* A sentence by its number. */
const told = number => translated(data.sentences[number]);

const adviser = () => translated(data.adviser);

const isYou = seat => seat === (view ?? data.you);

/* A seat's name by itself, and within a sentence. A reader whose name nobody knows is "You". */
function name(seat) {
  const called = translated(data.names[seat]);
  if (!isYou(seat)) return called;
  return seat === data.you ? capital(t("you")) : t("replay.name_you", { name: called });
}

const who = seat => isYou(seat) ? t("you") : translated(data.names[seat]);

/* An action in words, for who may do it at a seat in a phase. */
function deed(action, now) {
  const { to_move: seat, phase } = now;
  const swap = /^swap(\d)$/.exec(action);
  if (swap) return t("do_swap", { who: who((seat + Number(swap[1])) % data.names.length) });
  return action === "pass" ? t(phase === "drawn" ? "do_keep" : "do_let_go") : actionName(asItLies(action, now));
}

function cardsOf(now, seat) {
  const hand = now.hands[seat];
  if (view === null || view === seat) return hand;
  const known = now.known[seat] || [], backs = (now.backs[seat] || []).map(face => "?/" + face);
  return [...known, ...backs, ...Array(hand.length).fill("back")].slice(0, hand.length);
}

const front = text => text.split("/")[0];

/* The cards that may be played, as a function of their texts. */
function playable(now) {
  const may = new Set(now.legal.map(action => asItLies(action, now).replace(/(:.|x2)$/, "")));
  return text => may.has(text) || (may.has("jump_in") && front(text) === front(now.top));
}

function showTable(now) {
  const next = now.next_back ? "?/" + now.next_back : "back";
  $("draw").replaceChildren(now.pile ? card(next) : make("span", t("replay.no_cards")));
  $("draw").closest(".felt").classList.toggle("dark-side", now.side > 0);
  $("pile").textContent = t("replay.draw_pile", { number: now.pile });
  $("top").replaceChildren(card(now.top));
  $("discards").textContent = t("replay.discard_pile", { number: now.discards });
  const declared = data.colours[now.colour];
  const colour = make("span", declared ? colourName(declared) : t("replay.no_colour"), { className: declared ? "colour " + declared : "" });
  if (declared) colour.prepend(picture("colour-" + now.colour, "", "figure"));
  const signs = [colour];
  if (data.sides > 1) signs.unshift(make("span", t(now.side ? "side.dark" : "side.light"), { className: "tag loud" }));
  signs.push(make("span", now.clockwise ? "\u2193 " + t("clockwise") : "\u2191 " + t("counter_clockwise"), { className: "direction" }));
  if (now.last_face) signs.push(make("span", t("pile.last_face", { card: cardName(now.last_face) }), { className: "direction" }));
  if (now.penalty) signs.push(make("span", t("pile.penalty", { number: now.penalty }), { className: "penalty" }));
  $("signs").replaceChildren(...signs);
}

function showSeat(now, seat) {
  const row = make("li", undefined, { className: "seat" }), who = make("div", undefined, { className: "who" });
  const cards = cardsOf(now, seat), may = now.mine && now.to_move === seat ? playable(now) : () => false;
  row.classList.toggle("moving", now.to_move === seat);
  row.classList.toggle("out", now.out.includes(seat));
  who.append(make("b", name(seat)));
  who.append(make("span", t("cards", { number: cards.length })));
  if (now.scores) who.append(make("span", t("points", { number: now.scores[seat] })));
  for (const [text, holds] of [["decides", now.to_move === seat], ["dealer", now.dealer === seat],
    ["uno", now.called.includes(seat)], ["put_out", now.put_out.includes(seat)],
    ["out", now.out.includes(seat) && !now.put_out.includes(seat)]])
    if (holds) who.append(make("span", t(`tag.${text}`), { className: text === "uno" ? "tag loud" : "tag" }));
  const hand = make("div", undefined, { className: cards.length > 16 ? "hand large" : "hand" });
  for (const text of cards) {
    const place = make("span", undefined, { className: "can" }), drawn = card(text);
    if (may(text)) { place.classList.add("may"); drawn.setAttribute("aria-label", [nameOf(text), t("hand.can_be_played")].join(t("joint.list"))); }
    place.append(drawn);
    hand.append(place);
  }
  row.append(who, hand);
  return row;
}

/* What may be done, with the probability that the player, and the adviser if there is one, gives to each action. */
function showDecision(now) {
  const box = $("decision");
  if (now.over) return box.replaceChildren(make("p", told(now.words)));
  if (!now.mine) return box.replaceChildren(make("p", t("replay.hidden")));
  const thinkers = [];
  if (now.probabilities) thinkers.push([t("replay.probability"), now.probabilities]);
  if (now.advice?.probabilities) thinkers.push([adviser(), now.advice.probabilities]);
  const costs = now.advice?.costs, [first] = thinkers.map(([, chances]) => chances).reverse(), rows = [...now.legal];
  if (first) rows.sort((one, other) => (first[other] || 0) - (first[one] || 0));
  const table = make("table"), head = table.createTHead().insertRow(), body = table.createTBody();
  if (costs) rows.sort((one, other) => costs[one][0] - costs[other][0]);
  for (const text of [t("replay.action"), ...thinkers.map(([title]) => title), ...(costs ? [t("replay.costs")] : [])]) head.append(make("th", text, { scope: "col" }));
  if (first) head.append(make("td"));
  for (const action of rows) {
    const row = body.insertRow(), chosen = action === now.chosen;
    row.classList.toggle("chosen", chosen);
    const said = capital(deed(action, now));
    row.insertCell().append(chosen ? t("replay.chosen", { action: said }) : said);
    for (const [, chances] of thinkers) Object.assign(row.insertCell(), { className: "number", textContent: percent(chances[action] || 0, 1) });
    if (costs) Object.assign(row.insertCell(), { className: "number", textContent: price(...costs[action]) });
    if (!first) continue;
    const bar = make("div"), part = make("div");
    part.style.width = 100 * (first[action] || 0) + "%"; bar.append(part);
    bar.setAttribute("aria-hidden", "true");
    Object.assign(row.insertCell(), { className: "share" }).append(bar);
  }
  const parts = [make("p", t("replay.may", { who: capital(who(now.to_move)) })), table];
  if (now.chosen !== null && !now.legal.includes(now.chosen)) parts.push(make("p", t("replay.tried", { deed: deed(now.chosen, now) })));
  const estimate = (value, key, values) => value === null || value === undefined || parts.push(make("p", t(key, { ...values, chance: percent(winning(value)) })));
  estimate(now.value, "replay.expects", { who: capital(who(now.to_move)), form: isYou(now.to_move) ? "you" : "other" });
  estimate(now.advice?.value, costs ? "replay.best_wins" : "replay.would_expect", { name: adviser() });
  box.replaceChildren(...parts);
}

function showLog() {
  const rows = frames.flatMap((frame, place) => !known(place) ? [] : seen(frame).said.map(text => {
    const row = make("li"), button = make("button", (place ? place + ". " : "") + told(text), { onclick: () => go(place) });
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
  $("event").textContent = now.said.map(told).join(" ");
  $("words").textContent = told(now.words);
  showDecision(now);
  showCurve();
  markLog();
  markJumps();
  $("slider").value = at; $("number").value = at;
  $("slider").setAttribute("aria-valuetext", t("replay.at", { at, number: end }));
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

function pause() { clearInterval(timer); timer = null; showPlaying(); }

function play() {
  if (timer !== null) return pause();
  if (at === end) go(0);
  timer = setInterval(() => { const before = at; go(at + 1); if (at === end || at === before) pause(); }, Number($("pace").value));
  showPlaying();
}

function showPlaying() { $("play").textContent = t(timer === null ? "replay.play" : "replay.pause"); }

function look(chosen) { view = chosen; showLog(); showJumps(); go(at); }

$("slider").max = $("number").max = end;

/* Says everything in a language. */
function speakIn(code) {
  speak(code, data.languages.find(each => each.code === code).texts);
  fillPage();
  fillMenu($("language"), data.languages, speakIn);
  document.title = $("title").textContent = translated(data.title);
  $("total").textContent = t("replay.of", { number: end });
  $("view").replaceChildren(make("option", t("replay.all_hands"), { value: "all" }),
    ...data.names.map((seat, place) => make("option", place === data.you ? capital(t("you")) : translated(seat), { value: place })));
  $("holds").textContent = t(!data.sealed ? "replay.holds.all" : data.luck === null ? "replay.holds.own" : "replay.holds.luck");
  showPlaying();
  look(view);
}

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
/* A review of a hand opens at the decision that the adviser likes least, with the list of such decisions first. */
addEventListener("DOMContentLoaded", () => {
  $("app").hidden = false;
  speakIn(wantedLanguage(data.languages.map(each => each.code)));
  if (data.adviser === null || !data.sealed) return;
  document.body.classList.add("review");
  $("decision").parentElement.before($("turning"));
  const [worst] = [...mistakes(), ...differences()];
  if (worst) go(worst.place);
});
