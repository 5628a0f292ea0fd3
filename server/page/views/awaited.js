/** What waits for the reader, in words that lead there. */

import { el } from "/static/el.js";
import { waiting } from "./attention.js";
import { until } from "./deadline.js";

const NUMBERS = ["no", "one", "two", "three"];
const numbered = (number, word) => `${NUMBERS[number] ?? number} ${word}${number === 1 ? "" : "s"}`;

/** As parts of a sentence; nothing in the past, or for who takes no part. */
export function awaited(ctx, board) {
  const me = ctx.store.get("me")?.name;
  if (!me || ctx.store.get("at") !== null || board.closed) return [];
  const mine = waiting(board, me);
  const mentions = ctx.store.get("awaiting")?.mentions ?? [];
  const votes = mine.filter((one) => one.what === "ballot");
  const calls = mine.filter((one) => one.what === "agreement");
  const vote = (ref) => board.votes.find((one) => one.ref === ref);
  const lead = (text, go) => el("button", { type: "button", class: "link", onclick: go }, text);
  const found = [];
  if (votes.length) found.push([lead(numbered(votes.length, "vote"), () => ctx.go({ view: "room" })), votes.length === 1 && until(ctx, vote(votes[0].ref))]);
  if (calls.length) found.push([lead(`${numbered(calls.length, "vote")} to agree to`, () => ctx.go({ view: "room" }))]);
  if (mine.some((one) => one.what === "floor")) found.push([lead("the floor", () => ctx.go({ view: "write" }))]);
  if (mentions.length) found.push([lead(numbered(mentions.length, "mention"), () => ctx.go({ view: "talk", n: mentions[0] }))]);
  return found.flatMap((one, at) => (at ? [", ", ...one] : one)).filter(Boolean);
}
