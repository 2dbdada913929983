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
  chart.append(text("deal", { x: LEFT, y: HEIGHT - 5 }), text("end", { x: WIDTH - 6, y: HEIGHT - 5, "text-anchor": "end" }),
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
    if (each.costly) mark(`M${left - 5} ${y(each.estimate) + 6}h10l-5 8z`, "The choice cost " + price(each));
    if (Math.abs(each.luck || 0) >= .03) mark(`M${left - 3} ${TOP}h6v6h-6z`, "The cards brought " + signed(each.luck));
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
    make("li", "\u25bc a choice that cost"), make("li", "\u25a0 cards that changed 3\u00a0% or more"));
  const source = points.some(each => each.costs) ? "The best that could be done, playing on as " + data.adviser + "." : data.adviser === null ? "What each player expected before its decisions."
    : "What " + data.adviser + " would have expected in each player's place, seeing no more than that player.";
  $("curve").replaceChildren(chart, legend, make("p", source + " Click the curve to go there.", { className: "help" }));
}

const summary = (points, seats) => "Estimate of winning: " + seats.map(seat => {
  const own = points.filter(each => each.seat === seat);
  return name(seat) + " from " + percent(own[0].estimate) + " to " + percent(own[own.length - 1].estimate);
}).join(", ");

/* Where an estimate changed most between two decisions of the same player, the largest change first. */
function changes() {
  const last = {}, found = [];
  for (const each of decisions()) {
    if (each.estimate === null) continue;
    const before = last[each.seat];
    if (before && before.hand === each.hand) found.push({ ...each, before: before.estimate, size: Math.abs(each.estimate - before.estimate) });
    last[each.seat] = each;
  }
  return found.filter(each => each.size >= .05).sort((one, other) => other.size - one.size).slice(0, 8);
}

const signed = share => (share < 0 ? "\u2212" : "+") + percent(Math.abs(share));

const price = each => percent(each.cost, 1) + " \u00b1 " + percent(each.error, 1);

/* The costs of choices, the largest first. */
function mistakes() {
  return decisions().filter(each => each.costly).map(each => ({ ...each, best: Object.entries(each.costs).reduce((one, other) => other[1][0] < one[1][0] ? other : one)[0] }))
    .sort((one, other) => other.cost - one.cost);
}

/* Why another action is better, where it can be told from the two alone. */
function reason(chosen, best) {
  const quiet = action => ["draw", "pass", "accept"].includes(action), wild = action => /^w/.test(action);
  if (quiet(chosen) && !quiet(best)) return ": it gives away a turn";
  if (wild(chosen) && wild(best) && chosen.slice(0, -1) === best.slice(0, -1)) return ": the other colour suits the hand better";
  if (wild(chosen) && !wild(best) && !quiet(best)) return ": the wild could have been kept";
  if (!wild(chosen) && !wild(best) && !quiet(chosen) && !quiet(best) && chosen[0] === best[0]) return ": the colour stays either way, the card left behind matters";
  if (!wild(chosen) && !quiet(chosen) && !quiet(best) && chosen[0] !== best[0]) return ": it leads to another colour";
  return "";
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

function showJumps() {
  const shown = decisions(), parts = [];
  if (shown.some(each => each.costs)) {
    const lost = mistakes().reduce((sum, each) => sum + each.cost, 0);
    parts.push(make("p", (data.luck === null ? "" : "Luck " + signed(data.luck) + ", ") + (data.luck === null ? "Choices " : "choices ") + signed(-lost), { className: "verdict" }),
      ...jumps("Choices that cost something", mistakes(), each => {
        const { chosen, phase } = frames[each.place];
        return capital(who(each.seat)) + ": " + deed(chosen, each.seat, phase) + ", which cost " + price(each) + "; better: "
          + deed(each.best, each.seat, phase) + reason(chosen, each.best);
      }, "None that can be told from the best."));
  }
  if (shown.some(each => each.probabilities)) parts.push(...jumps(
    data.adviser === null ? "The choice was not the most probable" : data.adviser + " would have played otherwise",
    differences(), each => {
      const chosen = capital(who(each.seat)) + ": " + deed(frames[each.place].chosen, each.seat, frames[each.place].phase);
      const shares = each.most < 1 ? " (" + percent(each.most) + " against " + percent(each.share) + ")" : "";
      return chosen + (data.adviser === null ? ", rather than " : "; " + data.adviser + " would ") + deed(each.best, each.seat, frames[each.place].phase) + shares;
    }, "Nowhere."));
  if (shown.some(each => each.estimate !== null)) parts.push(...jumps("The estimate changed most", changes(),
    each => name(each.seat) + " from " + percent(each.before) + " to " + percent(each.estimate), "Nowhere by 5 % or more."));
  $("turning").hidden = !parts.length;
  $("jumps").replaceChildren(...parts);
}

function markJumps() {
  for (const button of $("jumps").querySelectorAll("button")) {
    if (Number(button.dataset.place) === at) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
}
