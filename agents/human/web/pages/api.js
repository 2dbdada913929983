// Requests to the server: plain values there and back, mistakes as one sentence.

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
    throw new Error("The server cannot be reached: is uno play --web still running?");
  }
  const values = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
  if (!answer.ok) throw Object.assign(new Error(sentence(values.error)), { status: answer.status });
  return values;
}

export function sentence(text) {
  return text.charAt(0).toUpperCase() + text.slice(1) + (/[.!?]$/.test(text) ? "" : ".");
}
