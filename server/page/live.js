/** One event stream a page. It resumes by itself, and says when it cannot. */

import { of, ownKey } from "/static/api.js";

const FIRST_MS = 1000;
const LONGEST_MS = 6000;
const SILENT_MS = 9000; // two beats of the server and a little: who is silent for longer is not there
const LOOK_MS = 1000;

/**
 * Follow `session` behind `after` of that `incarnation`.
 * `told` has: hello(data), entry(data), reset(data), away(names), line("live"|"stuck"|"waiting"|"ended"),
 * where it is `stuck` as long as the server lives and its Redis takes nothing; and refused(), which
 * finds out whether one may still come in and answers true to go on trying.
 */
export class Live {
  #source = null;
  #timer = 0;
  #wait = FIRST_MS;
  #closed = false;
  #heardAt = 0;
  #watch = setInterval(() => this.#listen(), LOOK_MS);

  constructor(session, after, incarnation, told) {
    Object.assign(this, { session, after, cursor: after, incarnation, told });
    this.#open();
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    clearInterval(this.#watch);
    this.#source?.close();
  }

  /** A connection that stands says nothing of what is behind it: only what is heard does. */
  #listen() {
    if (this.#heardAt && performance.now() - this.#heardAt > SILENT_MS) this.#lost();
  }

  #open() {
    const query = new URLSearchParams({ after: this.cursor, beats: true, key: ownKey() });
    if (this.incarnation) query.set("incarnation", this.incarnation);
    const source = (this.#source = new EventSource(`${of(this.session, "events")}?${query}`));
    this.#heardAt = performance.now(); // it has so long to answer
    const hear = (name, act) => source.addEventListener(name, (event) => ((this.#heardAt = performance.now()), act(JSON.parse(event.data))));
    hear("hello", (data) => this.#greeted(data));
    hear("entry", (data) => this.#heard(data));
    hear("reset", (data) => this.told.reset(data));
    hear("beat", (data) => this.#beaten(data));
    hear("dropped", () => this.told.line("waiting"));
    hear("bye", () => this.told.line("waiting"));
    hear("expired", () => this.#lost());
    source.onerror = () => (source.readyState === EventSource.CLOSED ? this.#lost() : this.told.line("waiting"));
  }

  #greeted(data) {
    this.#wait = FIRST_MS;
    this.incarnation = data.incarnation ?? this.incarnation;
    this.told.hello(data);
    this.told.line("live");
  }

  #beaten({ redis, away }) {
    this.told.line(redis ? "live" : "stuck");
    this.told.away(away);
  }

  #heard(data) {
    if (data.seq <= this.after) return;
    this.after = data.seq;
    this.cursor = data.cursor;
    this.told.entry(data);
  }

  async #lost() {
    this.#source.close();
    this.#heardAt = 0;
    if (this.#closed) return;
    this.told.line("waiting");
    if (!(await this.told.refused()) || this.#closed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#open(), this.#wait * (0.75 + Math.random() / 2));
    this.#wait = Math.min(this.#wait * 2, LONGEST_MS);
  }
}
