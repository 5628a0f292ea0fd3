/** What a session is about, in full: what the head has no room for. */

import { button, dialog, el } from "/static/el.js";
import { bdi, count, many, money, moment } from "/static/text.js";
import { whyClosed } from "./closed.js";
import { settings } from "./settings.js";

/** The dialog. */
export function about(ctx) {
  const [board, session] = [ctx.store.get("board"), ctx.store.get("session")];
  const sums = [many(board.n, "entry", "entries"), many(board.participants.length + (board.more?.participants ?? 0), "participant"), many(board.proposals.length + (board.more?.proposals ?? 0), "proposal"), many(board.decisions.length + (board.more?.decisions ?? 0), "decision")];
  const { tokens, micros } = board.usage ?? {};
  const rows = [
    ["Title", board.title || session.title],
    ["Goal", board.goal || session.goal],
    ["Name", ctx.session],
    ["State", board.closed ? `closed: ${whyClosed(board.closed)}` : "open"],
    ["Kind", session.preset],
    ["Holds", sums.join(", ")],
    tokens || micros ? ["Spent", `${count(tokens)} tokens, ${money(micros)}`] : ["", null],
    ["Newest", session.last_activity_ms ? moment(session.last_activity_ms) : null],
  ].filter(([, value]) => value);
  const box = dialog(
    "About this session",
    el("dl", { class: "fields about" }, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, bdi(value))])),
    el(
      "p",
      { class: "row end" },
      button("Settings", { onclick: () => (box.close(), settings(ctx)) }, "gear"),
      ctx.me?.operator && el("a", { class: "button", href: ctx.api.of(ctx.session, "export"), download: "" }, "Keep the session file"),
    ),
  );
}
