/** What was pressed and can be taken back for some seconds: only then is it sent. */

import { AGAIN_MS, AWAY } from "/static/api.js";

const WAIT_MS = 6000;
const held = new Map();

/**
 * Holds `send(one)` back; `one` is what the caller keeps of it: {key, choice, why, …}. `changed`
 * is called when it is sent, taken back or refused. Another press under the same key replaces it.
 */
export function hold(one, send, changed) {
  clearTimeout(held.get(one.key)?.timer);
  held.set(one.key, { ...one, send, changed, timer: setTimeout(() => now(one.key), WAIT_MS), refused: null, sending: false });
}

/** What is held under a key, if anything. */
export const pending = (key) => held.get(key) ?? null;

/** While somebody writes why, it waits for them. */
export function wait(key) {
  const one = held.get(key);
  if (one) clearTimeout(one.timer);
}

export function undo(key) {
  const one = held.get(key);
  if (!one || one.sending) return;
  clearTimeout(one.timer);
  held.delete(key);
  one.changed();
}

/** Send it at once; what is refused stays, with the reason. */
export async function now(key, given = {}) {
  const one = held.get(key);
  if (!one || one.sending) return;
  clearTimeout(one.timer);
  Object.assign(one, { sending: true, refused: null });
  one.changed();
  try {
    await one.send(one, given);
    held.delete(key);
  } catch (error) {
    const away = AWAY.has(error.status); // under the same id, so that it is said once however often
    Object.assign(one, { sending: false, refused: away ? `${error.message} It is sent once it answers.` : error.message });
    if (away) one.timer = setTimeout(() => now(key), AGAIN_MS);
  }
  one.changed();
}

// Whoever leaves meant it: what waits is sent as the page goes.
addEventListener("pagehide", () => [...held.keys()].forEach((key) => now(key, { keepalive: true })));
