/** A session's page: its frame, what it knows, and the stream that keeps it new. */

import * as address from "/static/address.js";
import { brand, tools } from "/static/app.js";
import { button, dialog, el, fill } from "/static/el.js";
import { Feed } from "/static/feed.js";
import { keys } from "/static/keyboard.js";
import { Store, hears } from "/static/store.js";
import { bdi, count, visible } from "/static/text.js";
import { about } from "/static/views/about.js";
import { Attention } from "/static/views/attention.js";
import { Trouble } from "/static/views/trouble.js";
import { whyClosed } from "/static/views/closed.js";
import { invite } from "/static/views/invite.js";
import { search } from "/static/views/search.js";
import * as floor from "/static/views/floor.js";
import * as join from "/static/views/join.js";
import { profile } from "/static/views/people.js";
import * as talk from "/static/views/talk.js";
import { tabs } from "/static/tabs.js";

const MOVED_MS = 400; // after the slider, before the address is that of its moment

/** Put the page of `given.session` into `root`. Raises a `Problem` where one may not see it. */
export async function mount(root, given) {
  const store = new Store();
  const feed = new Feed(given.session, store, given.notice);
  await feed.begin();
  const ctx = { ...given, store, go: null, dialog };
  const frame = framed(ctx);
  const mounted = { talk: null, memory: null, others: [] };
  ctx.go = (where) => go(ctx, frame, mounted, where);
  fill(root, frame.head, frame.past, frame.away, frame.main, frame.time, frame.nav);
  const attention = (ctx.attention = new Attention(ctx, (all, parts) => badge(frame, all, parts)));
  mounted.talk = talk.mount(frame.talk, ctx);
  mounted.others = [join.mount(frame.write, ctx), floor.mount(frame.side, ctx)];
  const unfollow = follow(frame, store, given);
  const unkey = keys(pressed(ctx, mounted)); // before the views are loaded: search and the talk need none
  mounted.memory = await tabs(frame.memory, frame.time, ctx);
  frame.travel = mounted.memory.travel;
  const place = placed(ctx, mounted);
  const ends = [unfollow, unkey, place.end, () => attention.end(), () => (document.title = "Parley")];
  feed.follow();
  if (location.search || location.hash) place.go();
  return {
    returned: place.go,
    unmount() {
      feed.close();
      ends.forEach((end) => end());
      [mounted.talk, mounted.memory, ...mounted.others].forEach((one) => one.unmount());
    },
  };
}

/** The address and what is shown, kept the same: `go()` shows what the address names. */
function placed(ctx, mounted) {
  const { store } = ctx;
  let [going, timer] = [false, 0];
  const now = (more = {}) => ({ tab: mounted.memory.tab(), at: store.get("at"), ...more });
  const off = store.on("at", () => {
    clearTimeout(timer); // a slider that moves would have the browser complain of so many addresses
    if (!going) timer = setTimeout(() => address.write(now(), false), MOVED_MS);
  });
  ctx.shown = (more, step = true) => going || !mounted.memory || address.write(now(more), step);
  async function go() {
    const { tab, at, n, ref, person } = address.read();
    clearTimeout(timer);
    going = true; // what is shown because of the address is no step away from it
    try {
      document.querySelectorAll("dialog[open]").forEach((one) => one.close());
      mounted.memory.travel(at);
      await mounted.memory.show(tab ?? "brief");
      if (n) await ctx.go({ view: "talk", n });
      if (ref) await item(ctx, mounted, ref);
      if (person) profile(ctx, person);
    } finally {
      going = false;
    }
  }
  return { go, end: () => (clearTimeout(timer), off()) };
}

/** An item where it stands in the open tab; else why it is there. */
async function item(ctx, mounted, ref) {
  await mounted.memory.show(mounted.memory.tab(), { ref });
  if (!document.querySelector(`#panel [data-ref="${CSS.escape(ref)}"]`)) await ctx.go({ view: "why", ref });
}

function framed(ctx) {
  const title = el("h1", {}, bdi(""));
  const goal = el("p", { class: "goal" });
  const heading = el("div", { class: "heading" }, title, goal);
  const state = el("span", { class: "state" });
  const line = el("span", { class: "wire", role: "status" });
  const me = el("span", { class: "me" });
  const head = el("header", { class: "bar session-head" }, brand(), heading, el("div", { class: "states" }, state, line, me), tools(...own(ctx)));
  const past = el("div", { class: "past", role: "status", hidden: true });
  const away = el("div", { class: "away", role: "status", hidden: true });
  const write = el("div", { class: "write" });
  const list = el("div", { class: "list" });
  const talkBox = el("section", { class: "talk", "aria-label": "Talk", id: "pane-talk" }, list, write);
  const memory = el("section", { class: "memory", "aria-label": "Memory", id: "pane-memory" });
  const side = el("aside", { class: "room", "aria-label": "Floor, votes, goals and people", id: "pane-room", tabindex: "0" });
  const main = el("main", { id: "main", class: "session", data: { show: "memory" } }, memory, talkBox, side);
  const time = el("footer", { class: "time" });
  const nav = panes(main);
  return { head, title, goal, state, line, me, past, away, main, talk: list, write, memory, side, time, nav };
}

function own(ctx) {
  const more = button("About this session", { class: "button bare", onclick: () => about(ctx) }, "info", false);
  const find = button("Search", { class: "button bare", onclick: () => search(ctx) }, "search", false);
  return [ctx.me?.operator && button("Invite", { class: "button", onclick: () => invite(ctx, ctx.session) }, "plus"), find, more];
}

/** How much waits for the reader, on the tab of the browser and over the parts of a phone. */
function badge(frame, all, { votes = 0, talk: calls = 0 } = {}) {
  frame.awaited = all;
  entitle(frame);
  document.querySelector("link[rel=icon]").href = `/static/favicon${all ? "-awaited" : ""}.svg`;
  const numbers = { memory: votes, talk: calls };
  for (const one of frame.nav.children) one.dataset.badge = numbers[one.dataset.pane] || "";
}

const entitle = (frame) => (document.title = `${frame.awaited ? `(${frame.awaited}) ` : ""}${visible(frame.title.textContent)} – Parley`);

/** On a phone one of three is shown. */
function panes(main) {
  const shown = [["memory", "Brief"], ["talk", "Talk"], ["room", "Room"]];
  const nav = el("nav", { class: "panes", "aria-label": "Parts of the page" });
  const choose = (name) => {
    main.dataset.show = name;
    for (const one of nav.children) one.setAttribute("aria-pressed", String(one.dataset.pane === name));
  };
  nav.append(...shown.map(([name, label]) => el("button", { type: "button", data: { pane: name }, "aria-pressed": String(name === "memory"), onclick: () => choose(name) }, label)));
  nav.choose = choose;
  return nav;
}

function go(ctx, frame, mounted, { view, n, span, ref, act, said }) {
  if (view === "list") return ctx.open("/");
  if (view === "talk") {
    frame.nav.choose("talk");
    if (!n) return mounted.talk.focus();
    ctx.shown?.({ n });
    return mounted.talk.openMessage(n, span);
  }
  if (view === "write") {
    frame.nav.choose("talk");
    ctx.store.set("replying", { re: ref ?? n ?? null, act: act ?? null, said: said ?? null });
    return frame.write.querySelector("textarea")?.focus();
  }
  if (view === "room") {
    frame.nav.choose("room");
    return (frame.side.querySelector(".room-vote") ?? frame.side).focus();
  }
  if (view !== "why") frame.nav.choose("memory");
  if (view === "memory") return undefined;
  return mounted.memory.show(view, { n, ref });
}

function follow(frame, store, given) {
  const head = () => showHead(frame, store, given);
  const past = () => showPast(frame, store);
  head();
  past();
  const trouble = new Trouble(frame.away, given.session, () => store.get("status"));
  const off = hears(store, { board: () => (head(), past()), session: head, status: () => (head(), trouble.show()), me: head, at: past });
  return () => (off(), trouble.end());
}

function showHead(frame, store, given) {
  const [board, session, status, me] = ["board", "session", "status", "me"].map((part) => store.get(part));
  const title = board?.title || session.title || given.session;
  fill(frame.title, bdi(title));
  frame.title.title = visible(title);
  entitle(frame);
  const goal = board?.goal || session.goal || "";
  fill(frame.goal, goal && bdi(goal));
  frame.goal.title = visible(goal);
  frame.goal.hidden = !goal;
  const closed = board?.closed || session.closed;
  fill(frame.state, closed ? el("span", { class: "pill closed", title: whyClosed(closed) }, "closed") : el("span", { class: "pill good" }, session.status || "open"), el("span", { class: "soft wide-only", title: "the number of the newest entry" }, `#${status.n ?? 0}`));
  const words = { live: "live", stuck: "not saving…", waiting: "reconnecting…", ended: status.why ? "cut off" : "ended" };
  frame.line.dataset.line = status.line;
  fill(frame.line, el("span", { class: "lamp", "aria-hidden": "true" }), words[status.line] ?? "");
  fill(frame.me, me?.name && el("span", { class: "soft" }, "as "), me?.name && bdi(me.name));
}

function showPast(frame, store) {
  const at = store.get("at");
  frame.past.hidden = at === null;
  document.body.classList.toggle("in-past", at !== null);
  if (at === null) return;
  fill(
    frame.past,
    el("span", {}, "As it stood at ", el("b", {}, `#${at}`), el("span", { class: "wide-only" }, ` of ${count(store.get("status").n)}`), ". Nothing can be written here."),
    button("Back to now", { class: "button small", onclick: () => frame.travel(null) }),
  );
}

function pressed(ctx, mounted) {
  const { store } = ctx;
  const move = (steps) => mounted.memory?.travel((store.get("at") ?? store.get("status").n) + steps);
  const tenth = () => Math.max(1, Math.round(store.get("status").n / 10));
  const numbered = [1, 2, 3, 4, 5, 6, 7].map((nth) => [String(nth), () => (ctx.go({ view: "memory" }), mounted.memory?.choose(nth - 1, { enter: true }))]);
  return {
    j: () => mounted.talk.step(1),
    k: () => mounted.talk.step(-1),
    r: () => mounted.talk.reply(),
    e: () => mounted.talk.edit(),
    End: () => mounted.talk.newest(),
    Enter: (event) => mounted.talk.enter(event),
    c: () => ctx.go({ view: "write" }),
    p: () => ctx.go({ view: "write", act: "propose" }),
    v: () => ctx.go({ view: "room" }),
    w: () => why(ctx),
    "/": () => search(ctx),
    "Mod k": () => search(ctx),
    "[": () => move(-1),
    "]": () => move(1),
    "{": () => move(-tenth()),
    "}": () => move(tenth()),
    ".": () => mounted.memory?.travel(null),
    Escape: () => (store.get("replying") ? store.set("replying", null) : false),
    ...Object.fromEntries(numbered),
  };
}

function why(ctx) {
  const focus = document.activeElement;
  const ref = (focus?.closest("[data-ref]") ?? focus?.closest(".msg")?.querySelector("[data-ref]"))?.dataset.ref;
  if (ref) ctx.go({ view: "why", ref });
  else ctx.notice("Focus an item first: Tab goes from one to the next.");
}
