/** Going to a moment: the board as it stood there, one request at a time, the newest wish wins. */

import { boardAt } from "./source.js";

const WAIT_MS = 60;

/** The number of the newest message that the page knows of. */
export const last = (ctx) => Math.max(ctx.store.get("status")?.n ?? 0, ctx.store.get("board")?.n ?? 0, 1);

/** Shows the session as it stood at message `n`; null, or the newest, is now. */
export function travel(ctx, n) {
  const to = n === null || n >= last(ctx) ? null : Math.max(1, Math.round(n));
  if (to !== ctx.store.get("at")) ctx.store.set("at", to);
}

/** As many messages on or back, from where one is. */
export const step = (ctx, by) => travel(ctx, (ctx.store.get("at") ?? last(ctx)) + by);

/** Brings the board to wherever `at` is in the past; `trouble(error)` where it cannot, else null. */
export class Journey {
  #ctx;
  #trouble;
  #timer = 0;
  #begun = 0;
  #running = false;
  #off;

  constructor(ctx, trouble) {
    this.#ctx = ctx;
    this.#trouble = trouble;
    this.#off = ctx.store.on("at", () => this.#wish());
  }

  end() {
    clearTimeout(this.#timer);
    this.#off();
  }

  get #at() {
    return this.#ctx.store.get("at");
  }

  /** At once after a rest; while the slider moves, at most every so often. */
  #wish() {
    clearTimeout(this.#timer);
    const rest = this.#begun + WAIT_MS - performance.now();
    if (rest > 0) this.#timer = setTimeout(() => this.#go(), rest);
    else this.#go();
  }

  async #go() {
    if (this.#running) return;
    this.#running = true;
    let shown = null;
    while (this.#at !== null && this.#at !== shown) {
      shown = this.#at;
      this.#begun = performance.now();
      await this.#show(shown);
    }
    this.#running = false;
  }

  async #show(at) {
    try {
      const board = await boardAt(this.#ctx, at);
      // While the slider moves on, what came is shown on the way; never the past for now.
      if (this.#at !== null) this.#ctx.store.set("board", board);
      this.#trouble(null);
    } catch (error) {
      if (this.#at === at) this.#trouble(error);
    }
  }
}
