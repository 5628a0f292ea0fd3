/** Requests to the server. What goes wrong is a `Problem`, with words a person can use. */

const TRIES = 4;
const WAIT = 400; // ms before the second try, doubled
export const AGAIN_MS = 3000; // until what could not be sent is tried again, where it may come right
export const AWAY = new Set([0, 503]); // statuses of a server, or its Redis, that is away

/** A refusal, as the server put it. `status` 0: it could not be reached. */
export class Problem extends Error {
  constructor(status, body = {}, retryAfter = 0) {
    super(body.detail || body.title || (status ? `The server answered ${status}.` : "The server cannot be reached."));
    this.name = "Problem";
    this.status = status;
    this.slug = String(body.type ?? "").replace("urn:parley:problem:", "");
    this.field = body.field ?? null;
    this.retryAfter = body.retry_after ?? retryAfter;
    this.request = body.request ?? "";
  }
}

/** The address of something of a session. */
export const of = (session, ...steps) => ["/v1/sessions", session, ...steps].map((one, at) => (at ? encodeURIComponent(one).replaceAll("%2F", "/") : one)).join("/");

/** An id for something that is sent, so that sending it again does nothing. */
export function newKey() {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/**
 * The key beside which the cookies count. It is kept for this origin, port included; a cookie
 * is sent to every port of its host.
 */
export const ownKey = (() => {
  let kept = null;
  return () => {
    if (kept) return kept;
    try {
      kept = localStorage.getItem("parley-key") || newKey() + newKey();
      localStorage.setItem("parley-key", kept);
    } catch {
      kept ??= newKey() + newKey(); // a browser that keeps nothing: until the tab is closed
    }
    return kept;
  };
})();

const pause = (ms, signal) =>
  new Promise((done, failed) => {
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", () => (clearTimeout(timer), failed(signal.reason)), { once: true });
  });

function address(path, query) {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== null && value !== undefined && value !== "");
  return given.length ? `${path}?${new URLSearchParams(given)}` : path;
}

async function problem(answer) {
  const after = Number(answer.headers.get("Retry-After")) || 0;
  const body = await answer.json().catch(() => ({}));
  return new Problem(answer.status, body, after);
}

async function once(method, url, body, key, signal, keepalive) {
  const headers = { Accept: "application/json", "Parley-Key": ownKey() };
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (key) headers["Idempotency-Key"] = key;
  const given = { method, headers, signal, keepalive, credentials: "same-origin", cache: "no-store" };
  if (body !== undefined) given.body = JSON.stringify(body);
  try {
    return await fetch(url, given);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0);
  }
}

/** Whether it may be tried again: nothing was done, or doing it again does nothing. */
const passing = (failed, safe) => failed.status === 503 || failed.status === 429 || (failed.status === 0 && safe);

/**
 * Ask, and give the answer; tried again while the server is busy or away.
 * `key` makes a POST safe to repeat. `raw` gives the Response.
 */
export async function ask(method, path, { query, body, key, signal, raw = false, tries = TRIES, keepalive = false } = {}) {
  const safe = method === "GET" || Boolean(key);
  for (let round = 1; ; round++) {
    let failed;
    try {
      const answer = await once(method, address(path, query), body, key, signal, keepalive);
      if (answer.ok) return raw ? answer : await read(answer);
      failed = await problem(answer);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      failed = error;
    }
    if (round >= tries || !passing(failed, safe) || failed.retryAfter > 10) throw failed;
    await pause(Math.max(failed.retryAfter * 1000, WAIT * 2 ** (round - 1)), signal);
  }
}

async function read(answer) {
  if (answer.status === 204) return null;
  const text = await answer.text();
  const kind = answer.headers.get("Content-Type") ?? "";
  return kind.includes("json") && text ? JSON.parse(text) : text;
}

export const api = {
  of,
  ask,
  get: (path, query, given = {}) => ask("GET", path, { query, ...given }),
  post: (path, body = {}, given = {}) => ask("POST", path, { body, ...given }),
  put: (path, body, given = {}) => ask("PUT", path, { body, ...given }),
  patch: (path, body, given = {}) => ask("PATCH", path, { body, ...given }),
  del: (path, given = {}) => ask("DELETE", path, given),
};
