/** What differs from now in a Brief of the past: which items became what since. */

import { el } from "/static/el.js";
import { handle } from "./parts.js";

const MOST = 6; // items that came since, by name
const PLACES = { decided: "decided", disputed: "disputed", claimed: "unconfirmed", open: "open" };

/** Gives `compare(board)`: `of(ref)` says what became of an item, `words` what came since. */
export function changes(ctx) {
  let present = null;
  return (board) => {
    if (ctx.store.get("at") === null) {
      present = board;
      return { of: () => null, words: [] };
    }
    if (!present || present.n <= board.n) return { of: () => null, words: [] };
    const now = places(present);
    const then = places(board);
    const fresh = present.brief.decided.filter((ref) => then.get(ref) !== "decided");
    const begun = present.brief.open.filter((ref) => !then.has(ref));
    return { of: (ref) => became(ref, then.get(ref), now, present), words: since(fresh, begun) };
  };
}

function places(board) {
  const found = new Map();
  for (const name of Object.keys(PLACES)) for (const ref of board.brief[name]) found.set(ref, name);
  return found;
}

function became(ref, before, now, present) {
  const heir = Object.entries(present.brief.replaced).find(([, rows]) => rows.some((one) => one.ref === ref))?.[0];
  if (heir) return ["now replaced by ", handle(heir)];
  if (now.get(ref) === before) return null;
  if (now.has(ref)) return [`now ${PLACES[now.get(ref)]}`];
  const row = present.proposals.find((one) => one.ref === ref);
  if (row?.decision) return ["now decided: ", handle(row.decision)];
  return [`now ${row && row.status !== "active" ? row.status : "gone"}`];
}

function since(fresh, begun) {
  const told = (label, refs) => refs.length > 0 && el("span", {}, label, ...refs.slice(0, MOST).flatMap((ref, at) => [at ? ", " : "", handle(ref)]), refs.length > MOST && ` and ${refs.length - MOST} more`);
  return [told("Decided since: ", fresh), told("Proposed since: ", begun)].filter(Boolean);
}
