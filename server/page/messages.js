/** What has a number in a session, by that number: fetched by pages, kept as it comes. */

import { api, of } from "/static/api.js";

export const PAGE = 200;
const KEPT = 2000; // records that are held, about: what is far from the screen is fetched again

/** What happens beside the numbered entries: it stands after the one that came before it. */
export const BESIDE = new Set(["floor.nudged", "session.closed", "seat.taken", "seat.left", "settings.changed", "participant.aliased", "vote.extended"]);

/**
 * A Map from n to a record `{seq, n, id, t, entry}`: messages, and what else has a number. Of
 * what was heard live `facts` tells from n what it did, and `beside` what happened after it.
 */
export class Messages extends Map {
  total = 0;
  facts = new Map();
  beside = new Map();
  #pages = new Map();
  #session;
  #round = 0;
  #near = [0, 0]; // pages about the screen

  constructor(session) {
    super();
    this.#session = session;
  }

  /** Forget everything: the log was replaced. */
  reset(total) {
    this.clear();
    this.facts.clear();
    this.beside.clear();
    this.#pages.clear();
    this.#round++;
    this.total = total;
  }

  /** The message of that number, if it is one's. */
  said(n) {
    const found = this.get(n);
    return found?.entry.kind === "message" ? found : null;
  }

  /** The words of `n` as they stand at the moment of `board`: the message's own, or those of its newest edit. */
  newest(n, board) {
    const edit = this.get(board?.edited?.[n]?.[0]);
    const said = this.said(n);
    return edit && edit.entry.participant === said?.entry.participant ? edit : said;
  }

  /** Keep what just came. True where it has a number of its own. */
  heard(record) {
    for (const fact of record.facts ?? []) {
      const n = fact.n || record.n;
      if (BESIDE.has(fact.kind)) into(this.beside, n, { kind: fact.kind, ...fact.data, ref: fact.ref, t: record.t });
      else into(this.facts, n, fact);
    }
    if (record.n <= this.total) return false;
    this.total = record.n;
    this.set(record.n, record);
    this.#forget();
    return true;
  }

  /** Rows `first`…`last` are on the screen: what is near them stays here. */
  seen(first, last) {
    this.#near = [pageOf(first) - 1, pageOf(last) + 1];
  }

  /** Let go of pages far from the screen and from the newest, so that a tab that is open for long does not grow. */
  #forget() {
    if (this.size <= KEPT + PAGE) return;
    const newest = pageOf(this.total - KEPT / 2);
    const far = (n) => pageOf(n) < newest && (pageOf(n) < this.#near[0] || pageOf(n) > this.#near[1]);
    for (const held of [this, this.facts, this.beside]) for (const n of held.keys()) if (far(n)) held.delete(n);
    for (const [page, here] of this.#pages) if (here === true && far(page * PAGE + 1)) this.#pages.delete(page);
  }

  /** Whether the page of `n` is here: a number that is not held then stands for nothing. */
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
        this.#forget();
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
    const query = { first, last: Math.min(last, this.total || last), limit: PAGE, others: true };
    return (await api.get(of(this.#session, "messages"), query)).items;
  }
}

const pageOf = (n) => Math.floor((n - 1) / PAGE);

function into(found, n, row) {
  if (!found.has(n)) found.set(n, []);
  found.get(n).push(row);
}
