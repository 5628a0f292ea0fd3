/** The messages of a session by their number, fetched by pages, kept as they come. */

import { api, of } from "/static/api.js";

export const PAGE = 200;

/** A Map from n to a record `{seq, n, id, t, entry}`; `facts` from n to what they gave. */
export class Messages extends Map {
  total = 0;
  facts = new Map();
  #pages = new Map();
  #session;
  #round = 0;

  constructor(session) {
    super();
    this.#session = session;
  }

  /** Forget everything: the log was replaced. */
  reset(total) {
    this.clear();
    this.facts.clear();
    this.#pages.clear();
    this.#round++;
    this.total = total;
  }

  /** Keep what just came. True where it has a number of its own. */
  heard(record) {
    for (const fact of record.facts ?? []) this.#note(fact.n || record.n, fact);
    if (record.n <= this.total) return false;
    this.total = record.n;
    if (record.entry?.kind === "message") this.set(record.n, record);
    return true;
  }

  #note(n, fact) {
    if (!this.facts.has(n)) this.facts.set(n, []);
    this.facts.get(n).push(fact);
  }

  /** Whether the page of `n` is here: a number that is not held is then no message's. */
  knows(n) {
    return this.#pages.get(pageOf(n)) === true || this.has(n);
  }

  /** Fetch what is missing of `first`…`last`; gives true if anything came. */
  async need(first, last) {
    const wanted = [];
    for (let page = pageOf(Math.max(1, first)); page <= pageOf(Math.max(1, last)); page++) {
      if (!this.#pages.has(page)) wanted.push(this.#fetched(page));
      else if (this.#pages.get(page) !== true) wanted.push(this.#pages.get(page));
    }
    return (await Promise.all(wanted)).some(Boolean);
  }

  #fetched(page) {
    const round = this.#round;
    const asked = this.#rows(page * PAGE + 1, (page + 1) * PAGE).then(
      (rows) => {
        if (round !== this.#round) return false;
        for (const row of rows) if (!this.has(row.n)) this.set(row.n, row);
        this.#pages.set(page, true);
        return true;
      },
      (error) => {
        if (round === this.#round) this.#pages.delete(page);
        throw error;
      },
    );
    this.#pages.set(page, asked);
    return asked;
  }

  async #rows(first, last) {
    const found = await api.get(of(this.#session, "messages"), { first, last: Math.min(last, this.total || last), limit: PAGE });
    return found.items;
  }
}

const pageOf = (n) => Math.floor((n - 1) / PAGE);
