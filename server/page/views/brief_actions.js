/** Who does what by when: read from the talk, so asked for beside the board, and rarely. */

import { el } from "/static/el.js";
import { hears } from "/static/store.js";
import { count } from "/static/text.js";
import { cite } from "./citations.js";
import { growing } from "./keyed.js";
import { person, said } from "./parts.js";
import { brief } from "./source.js";

const PAGE = 12;
const APART_MS = 5000; // between two looks, while the talk goes on

export function actions(ctx) {
  const list = el("ul", { class: "brief-items brief-actions", role: "list" });
  const amount = el("span", { class: "count" });
  const section = el("section", { class: "brief-part", "aria-label": "Who does what", hidden: true }, el("h2", {}, "Who does what ", amount), list);
  const items = growing(list, PAGE);
  let [rows, seen, asked, timer, ended] = [[], -1, 0, 0, false];
  const draw = () => {
    const at = ctx.store.get("at");
    const shown = at === null ? rows : rows.filter((row) => row.n <= at);
    section.hidden = shown.length === 0;
    amount.textContent = count(shown.length);
    items.show(shown, (row) => `${row.n} ${row.cites[0][1]}`, (row) => action(ctx, row));
  };
  const look = async () => {
    timer = 0;
    asked = Date.now();
    seen = ctx.store.get("status").n;
    const told = await brief(ctx).catch(() => null);
    if (ended || !told) return;
    rows = told.actions;
    draw();
    grown();
  };
  const grown = () => {
    if (timer || ended || ctx.store.get("status").n === seen) return;
    timer = setTimeout(look, Math.max(0, asked + APART_MS - Date.now()));
  };
  const off = hears(ctx.store, { status: grown, at: draw });
  timer = setTimeout(look, 0);
  return {
    section,
    end() {
      ended = true;
      clearTimeout(timer);
      off();
      items.end();
    },
  };
}

const action = (ctx, row) =>
  el(
    "li",
    { class: "brief-item action", data: { n: row.n } },
    el("span", { class: "action-who" }, row.who ? person(row.who, { plain: true }) : el("span", { class: "soft" }, "nobody named")),
    el("span", { class: "action-what" }, said(row.text), " ", cite(ctx, row.cites[0])),
    el("span", { class: "action-when soft" }, [row.due && `by ${row.due}`, row.as_read && "as read", row.done && "done"].filter(Boolean).join(", ")),
  );
