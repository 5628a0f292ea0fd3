/** What the views of the memory ask the server for; the past does not change, so it is kept. */

const KEPT = 80;
const past = new Map();

const path = (ctx, ...steps) => ctx.api.of(ctx.session, ...steps);

/** The entry of number `n`: from what the page holds, or from the server. */
export async function message(ctx, n) {
  return ctx.store.get("messages")?.get(n) ?? (await range(ctx, n, n))[0] ?? Promise.reject(new Error("it is not in the log"));
}

/** What has the numbers `first`…`last`, a page of them at most. */
export const range = async (ctx, first, last) => (await ctx.api.get(path(ctx, "messages"), { first, last, limit: 200, others: true })).items;

/** The board as it stood at message `n`. */
export async function boardAt(ctx, n) {
  const key = `${path(ctx)} ${ctx.store.get("status")?.incarnation ?? ""} ${ctx.store.get("status")?.resets ?? 0} ${n}`;
  if (!past.has(key)) {
    past.set(key, await ctx.api.get(path(ctx, "view"), { at: n }));
    if (past.size > KEPT) past.delete(past.keys().next().value);
  }
  return past.get(key);
}

/** Series, marks and stances of the whole session; `{ready: false, done}` while they are made. */
export const timeline = (ctx) => ctx.api.get(path(ctx, "timeline"));

/** Where an item comes from, and what became of it. */
export const explanation = (ctx, ref) => ctx.api.get(path(ctx, "explain", ref));

/** The minutes in `format`, of `at` or of now: data of json, else text. */
export const minutes = (ctx, format, at) => ctx.api.get(path(ctx, "minutes"), { format, at });

/** Says that the reader supports or opposes an item, or abstains, with their reason where they give one. */
export const react = (ctx, act, ref, why, key, given = {}) =>
  ctx.api.post(path(ctx, "messages"), { content: why || SAYS[act](ref), act, re: ref }, { key, ...given });

const SAYS = { support: (ref) => `I support ${ref}.`, oppose: (ref) => `I oppose ${ref}.`, abstain: (ref) => `I abstain on ${ref}.` };

/** The Brief with who does what, of now. */
export const brief = (ctx) => ctx.api.get(path(ctx, "brief"));

/** Says that an item is one, or that it is none. */
export const correct = (ctx, ref, op, key) => ctx.api.post(path(ctx, "corrections"), { ref, op }, { key });
