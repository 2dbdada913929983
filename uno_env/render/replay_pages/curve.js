/* How each player's estimate of winning went over the hand, and where it is worth looking. */

const opinion = frame => data.adviser === null ? frame : frame.advice || {};

/* The probability of winning that goes with an expected reward: who wins gets 1, and the others share -1. */
function winning(value) {
  const players = data.names.length;
  return Math.min(Math.max((value * (players - 1) + 1) / players, 0), 1);
}

/* Decisions whose player's thoughts the view shows, of one hand or of all: their place, seat and estimate. */
function decisions(hand) {
  return frames.flatMap((frame, place) => {
    if (frame.chosen === null || (hand !== undefined && frame.hand !== hand)) return [];
    if (!known(place) || (view !== null && frame.to_move !== view)) return [];
    const { probabilities, value, costs, luck, costly } = opinion(frame);
    const estimate = value === null || value === undefined ? null : winning(value);
    const [cost, error] = costs?.[frame.chosen] || [0, 0];
    return [{ place, seat: frame.to_move, hand: frame.hand, probabilities, estimate, costs, cost, error, luck, costly }];
  });
}

function shape(tag, attributes, ...children) {
  const element = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

/* What the cards brought is marked from here on; an estimate that changed so much is listed. */
const LUCKY = .03, LARGE = .05;

const WIDTH = 340, HEIGHT = 150, LEFT = 42, TOP = 8, BOTTOM = 20;

function showCurve() {
  const hand = frames[at].hand, points = decisions(hand).filter(each => each.estimate !== null);
  $("estimates").hidden = points.length < 2;
  if (points.length < 2) return;
  const places = frames.flatMap((frame, place) => frame.hand === hand ? [place] : []);
  const first = places[0], last = places[places.length - 1];
  const x = place => LEFT + (WIDTH - LEFT - 6) * (place - first) / Math.max(last - first, 1);
  const y = share => TOP + (HEIGHT - TOP - BOTTOM) * (1 - share);
  const seats = [...new Set(points.map(each => each.seat))].sort((one, other) => one - other);
  const text = (words, attributes) => shape("text", attributes, words);
  const chart = shape("svg", { class: "chart", viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": summary(points, seats) });
  for (const share of [0, .5, 1]) chart.append(
    shape("line", { x1: LEFT, x2: WIDTH - 6, y1: y(share), y2: y(share) }),
    text(percent(share), { x: LEFT - 6, y: y(share) + 4, "text-anchor": "end" }));
  chart.append(text(t("replay.deal"), { x: LEFT, y: HEIGHT - 5 }), text(t("replay.end"), { x: WIDTH - 6, y: HEIGHT - 5, "text-anchor": "end" }),
    shape("line", { class: "now", x1: x(at), x2: x(at), y1: TOP, y2: HEIGHT - BOTTOM }));
  const current = points.find(each => each.place === at)?.seat, crowded = seats.length > 3 && current !== undefined;
  for (const seat of [...seats].sort((one, other) => (one === current) - (other === current))) {
    const own = points.filter(each => each.seat === seat);
    const line = own.map(each => x(each.place) + "," + y(each.estimate)).join(" ");
    chart.append(shape("g", { class: "seat-" + seat + (crowded && seat !== current ? " faint" : "") }, shape("polyline", { points: line }),
      ...own.map(each => shape("circle", { class: each.place === at ? "here" : "", cx: x(each.place), cy: y(each.estimate), r: each.place === at ? 5 : 2.5 }))));
  }
  for (const each of points) { // a triangle below the curve for a choice that cost, a square at the top for cards
    const left = x(each.place), mark = (path, title) => chart.append(shape("path", { class: "mark", d: path }, shape("title", {}, title)));
    if (each.costly) mark(`M${left - 5} ${y(each.estimate) + 6}h10l-5 8z`, t("replay.choice_cost", { cost: price(each.cost, each.error) }));
    if (Math.abs(each.luck || 0) >= LUCKY) mark(`M${left - 3} ${TOP}h6v6h-6z`, t("replay.cards_brought", { luck: signed(each.luck) }));
  }
  chart.onclick = event => {
    const box = chart.getBoundingClientRect(), wanted = (event.clientX - box.left) * WIDTH / box.width;
    go(points.reduce((best, each) => Math.abs(x(each.place) - wanted) < Math.abs(x(best.place) - wanted) ? each : best).place);
  };
  const legend = make("ul", undefined, { className: "legend" });
  legend.append(...seats.map(seat => {
    const entry = make("li", undefined, { className: "seat-" + seat });
    entry.append(shape("svg", { viewBox: "0 0 34 10", "aria-hidden": "true" },
      shape("line", { x1: 0, x2: 34, y1: 5, y2: 5, stroke: "currentColor", "stroke-width": 3 })), make("span", name(seat)));
    return entry;
  }));
  if (data.luck !== null || points.some(each => each.costs)) legend.append(
    make("li", t("replay.legend.choice")), make("li", t("replay.legend.cards", { share: percent(LUCKY) })));
  const source = points.some(each => each.costs) ? "costs" : data.adviser === null ? "players" : "adviser";
  $("curve").replaceChildren(chart, legend,
    make("p", [t(`replay.source.${source}`, { name: adviser() }), t("replay.click_curve")].join(t("joint.text")), { className: "help" }));
}

const summary = (points, seats) => t("replay.summary", { parts: seats.map(seat => {
  const own = points.filter(each => each.seat === seat);
  return change(seat, own[0].estimate, own[own.length - 1].estimate);
}).join(t("joint.list")) });

const change = (seat, before, after) => t("replay.change", { name: name(seat), before: percent(before), after: percent(after) });

/* Where an estimate changed most between two decisions of the same player, the largest change first. */
function changes() {
  const last = {}, found = [];
  for (const each of decisions()) {
    if (each.estimate === null) continue;
    const before = last[each.seat];
    if (before && before.hand === each.hand) found.push({ ...each, before: before.estimate, size: Math.abs(each.estimate - before.estimate) });
    last[each.seat] = each;
  }
  return found.filter(each => each.size >= LARGE).sort((one, other) => other.size - one.size).slice(0, 8);
}

const signed = share => (share < 0 ? "\u2212" : "+") + percent(Math.abs(share));

const price = (cost, error) => t("replay.price", { cost: percent(cost, 1), error: percent(error, 1) });

/* The costs of choices, the largest first. */
function mistakes() {
  return decisions().filter(each => each.costly).map(each => ({ ...each, best: Object.entries(each.costs).reduce((one, other) => other[1][0] < one[1][0] ? other : one)[0] }))
    .sort((one, other) => other.cost - one.cost);
}

/* Why another action than that of a frame is better, where it can be told from the two alone. */
function reason(frame, other) {
  const [chosen, best] = [frame.chosen, other].map(action => asItLies(action, frame));
  const quiet = action => ["draw", "pass", "accept"].includes(action), wild = action => /^d?w/.test(action);
  if (quiet(chosen) && !quiet(best)) return "turn";
  if (wild(chosen) && wild(best) && chosen.slice(0, -1) === best.slice(0, -1)) return "colour";
  if (wild(chosen) && !wild(best) && !quiet(best)) return "wild";
  if (!wild(chosen) && !wild(best) && !quiet(chosen) && !quiet(best) && chosen[0] === best[0]) return "card";
  if (!wild(chosen) && !quiet(chosen) && !quiet(best) && chosen[0] !== best[0]) return "leads";
  return null;
}

/* Where the chosen action was not the most probable, the largest difference first. */
function differences() {
  return decisions().filter(each => each.probabilities).map(each => {
    const [best, most] = Object.entries(each.probabilities).reduce((one, other) => other[1] > one[1] ? other : one);
    const share = each.probabilities[frames[each.place].chosen] || 0;
    return { ...each, best, most, share, size: most - share };
  }).filter(each => each.size > .0005).sort((one, other) => other.size - one.size).slice(0, 30);
}

function jumps(title, found, words, none) {
  const list = make("ol", undefined, { className: "jumps" });
  list.append(...found.map(each => {
    const button = make("button", each.place + ". " + words(each), { onclick: () => go(each.place) }), row = make("li");
    button.dataset.place = each.place;
    row.append(button);
    return row;
  }));
  return [make("h3", title), found.length ? list : make("p", none, { className: "help" })];
}

/* Who decided, what, and what would have been better. */
function words({ place, seat, best }) {
  const frame = frames[place];
  return { who: capital(who(seat)), chosen: deed(frame.chosen, frame), better: deed(best, frame) };
}

/* What a review comes to: the costliest choice, or that there was no mistake. */
function verdict() {
  const [worst] = mistakes();
  return worst ? t("replay.verdict.worst", { ...words(worst), cost: percent(worst.cost, 1) }) : t("replay.verdict.none");
}

function showJumps() {
  const shown = decisions(), parts = [];
  if (shown.some(each => each.costs)) {
    const lost = mistakes().reduce((sum, each) => sum + each.cost, 0);
    const choices = signed(-lost), sum = data.luck === null ? t("replay.sum.choices", { choices }) : t("replay.sum", { luck: signed(data.luck), choices });
    parts.push(make("p", verdict(), { className: "verdict" }), make("p", sum, { className: "sum" }));
    if (mistakes().length) parts.push(...jumps(t("replay.mistakes"), mistakes(), each => {
      const mistake = t("replay.mistake", { ...words(each), cost: price(each.cost, each.error) }), why = reason(frames[each.place], each.best);
      return why === null ? mistake : t("replay.mistake.why", { mistake, reason: t(`replay.reason.${why}`) });
    }));
  }
  if (shown.some(each => each.probabilities)) parts.push(...jumps(
    data.adviser === null ? t("replay.unlikely") : t("replay.otherwise", { name: adviser() }),
    differences(), each => {
      const said = t(data.adviser === null ? "replay.rather" : "replay.would", { ...words(each), name: adviser() });
      return each.most < 1 ? t("replay.shares", { said, most: percent(each.most), share: percent(each.share) }) : said;
    }, t("replay.otherwise.none")));
  if (shown.some(each => each.estimate !== null)) parts.push(...jumps(t("replay.changes"), changes(),
    each => change(each.seat, each.before, each.estimate), t("replay.changes.none", { share: percent(LARGE) })));
  $("turning").hidden = !parts.length;
  $("jumps").replaceChildren(...parts);
}

function markJumps() {
  for (const button of $("jumps").querySelectorAll("button")) {
    if (Number(button.dataset.place) === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}
