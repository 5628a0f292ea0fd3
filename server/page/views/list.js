/** The list of sessions; an operator opens new ones here. */

import { brand, tools } from "/static/app.js";
import { Problem } from "/static/api.js";
import { button, el, fill, icon } from "/static/el.js";
import { reading } from "/static/reading.js";
import { ago, bdi, count, many } from "/static/text.js";
import { Awaiting } from "./list_awaiting.js";
import { invite } from "./invite.js";
import { begin } from "./begin.js";

const EVERY_MS = 5000;
const PAGE = 100;

export async function mount(root, ctx) {
  const state = { rows: [], next: null, words: "", status: "all", timer: 0, ended: false, was: "", awaiting: new Awaiting(ctx, () => draw()) };
  const found = await ctx.api.get("/v1/sessions", { limit: PAGE });
  Object.assign(state, { rows: found.items, next: found.next });
  const list = el("ul", { class: "sessions", role: "list" });
  const more = button("More", { class: "button", onclick: () => extend(ctx, state, draw) });
  const told = el("p", { class: "soft", role: "status" });
  const draw = () => drawn(ctx, state, list, more, told);
  state.filters = filters(state, draw);
  fill(root, head(ctx), el("main", { id: "main", class: "lobby" }, hero(ctx, state), state.filters, told, list, el("p", { class: "row center" }, more)));
  draw();
  const again = () => renewed(ctx, state, draw);
  state.timer = setInterval(() => document.hidden || again(), EVERY_MS);
  document.addEventListener("visibilitychange", again);
  return {
    unmount() {
      state.ended = true;
      clearInterval(state.timer);
      document.removeEventListener("visibilitychange", again);
    },
  };
}

function head(ctx) {
  const { me } = ctx;
  return el(
    "header",
    { class: "bar" },
    brand(),
    el("div", { class: "heading" }),
    el("div", { class: "states" }, el("span", { class: "me" }, me.name !== me.role && el("span", { class: "soft" }, `${me.role} `), bdi(me.name))),
    tools(me.operator && button("Invite", { class: "button", onclick: () => invite(ctx, null) }, "plus"), button("Sign out", { class: "button bare", onclick: () => ctx.signOut() }, "out", false)),
  );
}

function hero(ctx) {
  return el(
    "div",
    { class: "hero" },
    el("div", {}, el("h1", {}, "Sessions"), el("p", { class: "soft" }, "Talk that keeps its decisions, and the words that made them.")),
    ctx.me.operator && button("New session", { class: "button primary large", onclick: () => begin(ctx) }, "plus"),
  );
}

function filters(state, draw) {
  const field = el("input", { type: "search", id: "find", placeholder: "Find by title or name", "aria-label": "Find a session", oninput: () => ((state.words = field.value.toLowerCase()), draw()) });
  const choice = (name, label) =>
    el(
      "button",
      {
        type: "button",
        "aria-pressed": String(state.status === name),
        onclick: (event) => {
          state.status = name;
          for (const one of event.currentTarget.parentElement.children) one.setAttribute("aria-pressed", String(one === event.currentTarget));
          draw();
        },
      },
      label,
    );
  return el("div", { class: "filters" }, el("div", { class: "finder" }, icon("search"), field), el("div", { class: "choices", role: "group", "aria-label": "Which sessions" }, choice("all", "All"), choice("open", "Open"), choice("closed", "Closed")));
}

function drawn(ctx, state, list, more, told) {
  const rows = state.rows.filter((row) => (state.status === "all" || (row.status === "closed") === (state.status === "closed")) && `${row.title ?? ""} ${row.session}`.toLowerCase().includes(state.words));
  state.awaiting.look(state.rows);
  const sign = JSON.stringify([rows, rows.map((row) => news(state, row)), state.words, Math.floor(Date.now() / 30000)]);
  state.filters.hidden = state.rows.length === 0;
  more.hidden = state.next === null || state.next === undefined;
  if (sign === state.was) return;
  state.was = sign;
  const focus = list.contains(document.activeElement) ? document.activeElement.pathname : null;
  told.textContent = state.words ? many(rows.length, "session") : "";
  fill(list, ...rows.map((row) => card(ctx, row, news(state, row))), rows.length === 0 && nothing(ctx, state));
  if (focus) [...list.querySelectorAll("a")].find((one) => one.pathname === focus)?.focus();
}

function nothing(ctx, state) {
  if (state.rows.length) return el("li", { class: "nothing" }, el("p", {}, state.next ? "None of those that are shown is like that; “More” shows others." : "None is like that."));
  return el("li", { class: "nothing" }, el("p", {}, el("strong", {}, "No session yet")), el("p", {}, ctx.me.operator ? "Open one, give it a goal, and invite people and programs; or open one from a scenario and watch it being played." : "There is none that you may see."));
}

/** What came since one was there last, and what waits for one. */
function news(state, row) {
  const before = reading(row.session);
  if (!before) return null;
  return { fresh: Math.max(0, row.n - before.n), waits: state.awaiting.of(row.session) };
}

function card(ctx, row, found) {
  const path = `/s/${row.session}`;
  const go = (event) => {
    if (event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    ctx.open(path);
  };
  const closed = row.status === "closed";
  return el(
    "li",
    {},
    el(
      "a",
      { class: `session-card${closed ? " closed" : ""}`, href: path, onclick: go },
      el("span", { class: "session-title" }, bdi(row.title || row.session)),
      el("span", { class: "session-id" }, [row.title && row.session, row.preset].filter(Boolean).flatMap((one, at) => [at ? " · " : "", bdi(one)])),
      el("span", { class: "session-count" }, el("b", {}, count(row.n)), ` ${row.n === 1 ? "entry" : "entries"} · `, found?.fresh > 0 && [el("b", { class: "fresh-count" }, `${count(found.fresh)} new`), " · "], ago(row.last_activity_ms)),
      el("span", { class: "session-state" }, found?.waits && el("span", { class: "pill awaited" }, `waits for you: ${found.waits}`), el("span", { class: `pill ${closed ? "" : "good"}` }, row.status)),
    ),
  );
}

async function renewed(ctx, state, draw) {
  if (state.ended) return;
  if (ctx.me.expires * 1000 < Date.now()) return ctx.open("/"); // which says that the time is over
  try {
    const found = await ctx.api.get("/v1/sessions", { limit: Math.min(500, Math.max(PAGE, state.rows.length)) });
    if (state.ended) return;
    Object.assign(state, { rows: found.items, next: found.next });
    draw();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.status === 401) ctx.open("/");
  }
}

async function extend(ctx, state, draw) {
  const found = await ctx.api.get("/v1/sessions", { offset: state.next, limit: PAGE });
  state.rows.push(...found.items);
  state.next = found.next;
  draw();
}
