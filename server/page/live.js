/** One event stream a page. It resumes by itself, and says when it cannot. */

import { of, ownKey } from "/static/api.js";

const FIRST_MS = 1000;
const LONGEST_MS = 15000;

/**
 * Follow `session` behind `after` of that `incarnation`.
 * `told` has: hello(data), entry(data), reset(data), line("live"|"waiting"|"ended"), and
 * refused(), which finds out whether one may still come in and answers true to go on trying.
 */
export class Live {
  #source = null;
  #timer = 0;
  #wait = FIRST_MS;
  #closed = false;

  constructor(session, after, incarnation, told) {
    Object.assign(this, { session, after, cursor: after, incarnation, told });
    this.#open();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#source?.close();
  }

  #open() {
    const query = new URLSearchParams({ after: this.cursor, key: ownKey() });
    if (this.incarnation) query.set("incarnation", this.incarnation);
    const source = (this.#source = new EventSource(`${of(this.session, "events")}?${query}`));
    const hear = (name, act) => source.addEventListener(name, (event) => act(JSON.parse(event.data)));
    hear("hello", (data) => this.#greeted(data));
    hear("entry", (data) => this.#heard(data));
    hear("reset", (data) => this.told.reset(data));
    hear("dropped", () => this.told.line("waiting"));
    hear("bye", () => this.told.line("waiting"));
    hear("expired", () => this.#lost());
    source.onerror = () => (source.readyState === EventSource.CLOSED ? this.#lost() : this.told.line("waiting"));
  }

  #greeted(data) {
    this.#wait = FIRST_MS;
    this.incarnation = data.incarnation ?? this.incarnation;
    this.told.line("live");
    this.told.hello(data);
  }

  #heard(data) {
    if (data.seq <= this.after) return;
    this.after = data.seq;
    this.cursor = data.cursor;
    this.told.entry(data);
  }

  async #lost() {
    this.#source.close();
    if (this.#closed) return;
    this.told.line("waiting");
    if (!(await this.told.refused()) || this.#closed) return;
    this.#timer = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
  }
}
