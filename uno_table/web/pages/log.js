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
