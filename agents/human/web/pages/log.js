// What happened: a list for the eye, and one line at a time for the ear.

import { $, make, setText } from "./dom.js";

let epoch = -1;
let next = 0;

// The events that are new since the last call, or told further; the list shows them all.
export function showLog(state) {
  const log = $("log");
  const end = state.firstEvent + state.events.length;
  const begun = state.epoch === epoch && end >= next && state.firstEvent <= next;
  if (!begun) {
    log.replaceChildren();
    next = state.firstEvent;
  }
  const fresh = [];
  if (begun && next > state.firstEvent) {
    const text = state.events[next - 1 - state.firstEvent];
    if (log.lastChild.textContent !== text) fresh.push((log.lastChild.textContent = text));
  }
  for (const text of state.events.slice(next - state.firstEvent)) {
    log.append(make("li", {}, text));
    fresh.push(text);
  }
  while (log.children.length > 60) log.firstChild.remove();
  if (fresh.length) log.scrollTop = log.scrollHeight;
  epoch = state.epoch;
  next = end;
  return begun ? fresh : fresh.slice(-1);
}

export function announce(texts) {
  const said = texts.filter(Boolean).join(" ");
  if (said) setText($("announcer"), said);
}

export function showTalk(state) {
  const people = state.players.filter((player) => player.kind === "person").length;
  $("talk").hidden = people < 2;
  const said = $("said");
  const count = Number(said.dataset.count ?? 0);
  const shown = JSON.stringify(state.said);
  if (said.dataset.shown === shown) return [];
  said.dataset.shown = shown;
  said.dataset.count = state.said.length;
  said.replaceChildren(...state.said.map((each) => make("li", {}, make("b", {}, `${each.name}: `), each.text)));
  said.scrollTop = said.scrollHeight;
  return state.said.slice(count).map((each) => `${each.name} says: ${each.text}`);
}
