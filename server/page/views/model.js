/** What a model alone reads in the talk: shown beside what memory found, never among it. */

import { el } from "/static/el.js";
import { many } from "/static/text.js";
import { cites } from "./citations.js";
import { keyed } from "./keyed.js";
import { handle, person, said, tag, why } from "./parts.js";

/** A folded list that `show(board)` fills with the readings of `kind`. */
export function readings(ctx, kind) {
  const list = el("ul", { role: "list" });
  const head = el("summary", {});
  const node = el("details", { class: "readings", hidden: true }, head, list);
  return {
    node,
    show(board) {
      const rows = (board?.reading ?? []).filter((row) => row.kind === kind);
      node.hidden = rows.length === 0;
      head.textContent = `${many(rows.length, kind)} that only a model reads here`;
      keyed(list, rows, (row) => row.ref, (row) => line(ctx, row));
    },
  };
}

const line = (ctx, row) =>
  el(
    "li",
    { data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    handle(row.ref),
    person(row.participant),
    el("span", { class: "grow" }, said(row.topic, 200)),
    row.status && tag(row.status, row.status),
    cites(ctx, row.cites),
    why(ctx, row.ref),
  );
