// Requests to the server: plain values there and back, mistakes as one sentence.

import { translated } from "./strings/phrases.js";
import { sentence, t } from "./strings/texts.js";

export function readFragment() {
  return new URLSearchParams(location.hash.slice(1));
}

// The key to set up tables came in the address that the server printed; it stays in this tab.
export function hostKey() {
  const given = readFragment().get("key");
  if (given) {
    sessionStorage.setItem("key", given);
    history.replaceState(null, "", location.pathname);
  }
  return sessionStorage.getItem("key") ?? "";
}

export async function request(path, { body, bearer, method = "GET" } = {}) {
  const options = { method, headers: { authorization: `Bearer ${bearer ?? ""}` } };
  if (body !== undefined) {
    options.method = "POST";
    options.headers["content-type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Error(t("error.unreachable", { command: "uno play --web" }));
  }
  const values = translated(await answer.json().catch(() => ({ error: t("error.answer", { status: String(answer.status) }) })));
  if (!answer.ok) throw Object.assign(new Error(sentence(values.error)), { status: answer.status });
  return values;
}
