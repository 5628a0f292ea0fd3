/** Taking words out of a session for good: what goes is shown first, then it is done. */

import { Problem } from "/static/api.js";
import { el } from "/static/el.js";
import { many } from "/static/text.js";
import { asked, field } from "./form.js";
import { handle, said } from "./parts.js";

/** Whether one may: an operator, and not in the past. */
export const mayRedact = ({ store }) => Boolean(store.get("me")?.operator) && store.get("at") === null;

/** The dialog for the entry `n`. */
export async function redact(ctx, n) {
  const ask = (more) => ctx.api.post(ctx.api.of(ctx.session, "redactions"), { n, ...more });
  let goes;
  try {
    goes = await ask({ reason: "to see", preview: true });
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return ctx.notice(error.message, "bad");
  }
  const reason = el("input", { type: "text", id: "redact-reason", maxlength: 200, required: true, placeholder: "kept in place of the words" });
  return asked(`Take the words of #${n} out`, [
    el("blockquote", { class: "goes" }, said(goes.words, 400)),
    el("ul", { class: "consequences", role: "list" }, ...consequences(goes)),
    field("Why", reason),
    el("p", { class: "soft small" }, "Nobody reads them here again, whatever quoted them, and nothing brings them back. Files that were exported before still have them."),
  ], {
    does: "Take them out", look: "danger-full", not: "Leave them",
    send: () => ask({ reason: reason.value.trim() }),
  });
}

/** What the workers made of the words, by kind of entry: one, and several. */
const MADE = {
  "summary.made": ["summary", "summaries"],
  "text.condensed": ["shortened text"],
  "similarity.found": ["comparison of words", "comparisons of words"],
  "items.extracted": ["list of items", "lists of items"],
  "note.revised": ["revision of a notebook", "revisions of notebooks"],
};

function consequences({ derived, moved }) {
  const rows = Object.entries(derived).map(([kind, times]) => el("li", {}, `${many(times, ...(MADE[kind] ?? [kind]))} ${times === 1 ? "is" : "are"} made again`));
  const items = Object.entries(moved).map(([ref, [before, after]]) => el("li", {}, handle(ref), ` ${before ?? "not there"} becomes ${after ?? "nothing"}`));
  return rows.length + items.length ? [...items, ...rows] : [el("li", {}, "No item changes its standing.")];
}
