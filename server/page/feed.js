/** What a session's page knows, kept new: the stream, the board, who one is. */

import { api, of, Problem } from "/static/api.js";
import { Live } from "/static/live.js";
import { visit } from "/static/login.js";
import { BESIDE, Messages } from "/static/messages.js";
import { learnHues } from "/static/text.js";

const REST_MS = 120; // after a change, before the board is asked for
const APART_MS = 700; // at least, between two boards

export class Feed {
  #live = null;
  #timer = 0;
  #asking = false;
  #stale = false;
  #frame = 0;
  #back = () => {};

  constructor(session, store, notice) {
    Object.assign(this, { session, store, notice });
    this.messages = new Messages(session);
  }

  /** Learn what stands. Raises a `Problem` where one may not. */
  async begin() {
    const [me, session, board] = await Promise.all([this.#get("me"), this.#get(), this.#get("view")]);
    const { store } = this;
    store.set("me", me);
    store.set("session", { ...session, session: this.session });
    this.messages.total = board.n;
    store.set("messages", this.messages);
    store.set("status", { line: "waiting", n: board.n, seq: board.seq, status: session.status, incarnation: session.incarnation });
    this.#shown(board);
  }

  /** Hear what comes from here on; back from the past, the board is that of now again. */
  follow() {
    const { seq, incarnation } = this.store.get("status");
    this.#back = this.store.on("at", (at) => at === null && this.#renew(0));
    this.#live = new Live(this.session, seq, incarnation, {
      hello: (data) => this.#status({ incarnation: data.incarnation, you: data.you }),
      entry: (data) => this.#heard(data),
      reset: (data) => this.#reset(data),
      away: (names) => this.#gone(names),
      line: (line) => this.#line(line),
      refused: () => this.#refused(),
    });
  }

  close() {
    clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
    this.#back();
    this.#live?.close();
  }

  #get(...steps) {
    return api.get(of(this.session, ...steps));
  }

  #status(more) {
    this.store.set("status", { ...this.store.get("status"), ...more });
  }

  #line(line) {
    if (this.store.get("status").why) return; // nothing comes back by itself
    const next = this.store.get("board").closed && line === "live" ? "ended" : line;
    if (next !== this.store.get("status").line) this.#status({ line: next });
  }

  /** Who had the page open and has not now: told of where it changes. */
  #gone(names) {
    if (JSON.stringify(names) !== JSON.stringify(this.store.get("away"))) this.store.set("away", names);
  }

  #heard(data) {
    const counted = this.messages.heard(data);
    if (counted || data.facts?.length) this.#told();
    const status = this.store.get("status");
    status.seq = data.seq;
    if (data.facts?.some((fact) => BESIDE.has(fact.kind))) this.#status({ told: (status.told ?? 0) + 1 });
    if (data.facts?.length || data.entry.kind !== "message") this.#renew();
    if (data.entry.kind === "session.closed") this.#status({ line: "ended" });
  }

  /** Tell of messages at most once a frame, however many came. */
  #told() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.store.tell("messages");
      if (this.store.get("status").n !== this.messages.total) this.#status({ n: this.messages.total });
    });
  }

  async #reset() {
    const board = await this.#get("view");
    this.messages.reset(board.n);
    this.store.get("status").n = board.n;
    this.#status({ resets: (this.store.get("status").resets ?? 0) + 1 });
    this.store.set("at", null);
    this.store.tell("messages");
    this.store.set("timeline", null);
    this.#shown(board);
    this.notice("The log was replaced or words were taken out; this is what stands now.");
  }

  /** Ask for the board soon; what comes meanwhile makes it asked for once more. */
  #renew(rest = REST_MS) {
    this.#stale = true;
    if (this.#timer || this.#asking || this.store.get("at") !== null) return;
    this.#timer = setTimeout(() => this.#ask(), rest);
  }

  async #ask() {
    this.#timer = 0;
    this.#asking = true;
    this.#stale = false;
    const begun = performance.now();
    try {
      const board = await this.#get("view");
      if (this.store.get("at") === null) this.#shown(board);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
    } finally {
      this.#asking = false;
    }
    if (this.#stale) this.#renew(Math.max(REST_MS, APART_MS - (performance.now() - begun)));
  }

  #shown(board) {
    learnHues(board.participants);
    if (board.n > this.messages.total) {
      this.messages.total = board.n;
      this.#told();
    }
    this.store.set("board", board);
  }

  /** Whether one may still come in, asked where a no is an answer; away from the server, yes. */
  async #refused() {
    try {
      const { kept_out: slug } = await visit(this.session);
      if (!slug) return true;
      this.#status({ line: "ended", why: slug });
      return false;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (error.status === 503) this.#line("stuck"); // it answers, and cannot do anything
      return true;
    }
  }
}
