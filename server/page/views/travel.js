/** Going to a moment: the board as it stood there, one request at a time, the newest wish wins. */

import { boardAt, boardNow } from "./source.js";

const WAIT_MS = 60;
const journeys = new WeakMap();

/** Shows the session as it stood at message `n`; null, or the newest, is now. */
export function travel(ctx, n) {
  const newest = last(ctx);
  const to = n === null || n >= newest ? null : Math.max(1, Math.round(n));
  if (to === ctx.store.get("at")) return;
  ctx.store.set("at", to);
  journey(ctx).go();
}

/** As many messages on or back, from where one is. */
export const step = (ctx, by) => travel(ctx, (ctx.store.get("at") ?? last(ctx)) + by);

/** The number of the newest message that the page knows of. */
export const last = (ctx) => journey(ctx).newest();

/** Calls `hearer` with the error when a moment cannot be shown, with null when one is. */
export const troubled = (ctx, hearer) => {
  journey(ctx).trouble = hearer;
};

function journey(ctx) {
  if (!journeys.has(ctx.store)) journeys.set(ctx.store, new Journey(ctx));
  return journeys.get(ctx.store);
}

class Journey {
  trouble = () => {};
  #ctx;
  #timer = 0;
  #running = false;
  #seen = 0;

  constructor(ctx) {
    this.#ctx = ctx;
  }

  newest() {
    const { store } = this.#ctx;
    const board = store.get("board");
    const now = Math.max(store.get("status")?.n ?? 0, store.get("session")?.n ?? 0, store.get("at") === null ? (board?.n ?? 0) : 0);
    return (this.#seen = Math.max(this.#seen, now, 1));
  }

  go() {
    this.newest();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#run(), WAIT_MS);
  }

  async #run() {
    if (this.#running) return;
    this.#running = true;
    let shown;
    while (shown !== this.#ctx.store.get("at")) {
      shown = this.#ctx.store.get("at");
      try {
        await this.#show(shown);
        this.trouble(null);
      } catch (error) {
        this.trouble(error);
      }
    }
    this.#running = false;
  }

  async #show(at) {
    const board = at === null ? await boardNow(this.#ctx) : await boardAt(this.#ctx, at);
    const wanted = this.#ctx.store.get("at");
    // While the slider moves on, what came is shown on the way; never the past for now.
    if ((at === null) === (wanted === null)) this.#ctx.store.set("board", board);
  }
}
