/** What the page knows, in parts; whoever shows a part hears when it changes. */

const PARTS = ["away", "awaiting", "session", "board", "messages", "me", "at", "timeline", "status", "replying", "focus"];

/**
 * Parts of a session's page:
 *   session   what GET …/{session} says
 *   board     GET …/view, of `at` or of now
 *   messages  `Messages`, a Map from n to a record
 *   me        who one is here: {name, role, may, operator, session}
 *   at        n of the past moment that is shown, or null for now
 *   timeline  GET …/timeline once it is made, else null
 *   away      names of those who had the page open, and have not now
 *   awaiting  {waits, mentions}: rows of the Brief, and numbers of messages, that wait for the reader
 *   status    {line: "live"|"stuck"|"waiting"|"ended", n, seq, status, why?, told, resets, read}: `told` counts
 *             what happened beside the numbers, `resets` how often all was otherwise,
 *             `read` is how much of the timeline is made, ‰
 *   replying  {re, act?, said?} for the composer, or null
 */
export class Store {
  #values = new Map(PARTS.map((part) => [part, null]));
  #hearers = new Map(PARTS.map((part) => [part, new Set()]));

  get(part) {
    return this.#values.get(part);
  }

  /** Keep `value` and tell who listens. */
  set(part, value) {
    this.#values.set(part, value);
    this.tell(part);
  }

  /** Tell that a part changed in itself. */
  tell(part) {
    for (const hearer of [...this.#of(part)]) hearer(this.#values.get(part));
  }

  /** Call `hearer` at each change from now on; gives what ends that. */
  on(part, hearer) {
    this.#of(part).add(hearer);
    return () => this.#of(part).delete(hearer);
  }

  #of(part) {
    const found = this.#hearers.get(part);
    if (!found) throw new Error(`no part ${part}`);
    return found;
  }
}

/** Several `on`s that end together. */
export function hears(store, table) {
  const offs = Object.entries(table).map(([part, hearer]) => store.on(part, hearer));
  return () => offs.forEach((off) => off());
}
