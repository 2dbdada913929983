// Work of the server's of which a page shows how far it is. It goes on as long as somebody asks.

import { request } from "./api.js";

const PAUSE = 300;

// Calls `show` with each state of a job. Returns a function that stops asking and lets the work rest.
export function follow(job, show) {
  let stopped = false;
  const ask = async () => {
    if (stopped) return;
    let state;
    try {
      state = await request(`/api/jobs/${job}`);
    } catch (error) {
      state = { over: true, error: error.message };
    }
    if (stopped) return;
    show(state);
    if (!state.over) setTimeout(ask, PAUSE);
    else stopped = true;
  };
  ask();
  return () => {
    if (!stopped) request(`/api/jobs/${job}`, { method: "DELETE" }).catch(() => {});
    stopped = true;
  };
}
