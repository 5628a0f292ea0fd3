/** Search: one field for messages, items, people, sessions, and what one can do here. */

import { dialog, el, fill } from "/static/el.js";
import { bdi, visible } from "/static/text.js";
import { matchingActions, matchingItems, matchingMessages, matchingPeople, matchingSessions } from "./search_sources.js";

const TYPING_MS = 40;
const SOURCES = [
  ["Do", matchingActions],
  ["Decisions and proposals", matchingItems],
  ["People", matchingPeople],
  ["Messages", matchingMessages],
  ["Sessions", matchingSessions],
];
const AROUND = 60; // characters of a text that are shown before the first match

/** Opens the search over what `ctx` shows: the keys choose, Enter goes there. */
export function search(ctx) {
  const list = el("div", { class: "matches", role: "listbox", id: "matches", "aria-label": "What matches" });
  const status = el("p", { class: "soft small", role: "status" });
  const field = el("input", {
    type: "search", role: "combobox", "aria-label": "Search", "aria-controls": "matches", "aria-expanded": "true", "aria-autocomplete": "list",
    placeholder: "Words of messages, items, names, or something to do", autocomplete: "off", spellcheck: "false",
  });
  const box = dialog("Search", field, status, list);
  box.classList.add("search");
  const groups = SOURCES.map(([label]) => el("div", { role: "group", "aria-label": label, hidden: true }));
  fill(list, ...groups);
  let [asked, timer] = [null, 0];
  const state = { looking: false, enter: false }; // whether Enter was pressed before all was looked at

  function look() {
    asked?.abort();
    asked = new AbortController();
    const words = field.value.trim().toLowerCase().split(/\s+/u).filter(Boolean);
    const { signal } = asked;
    const looks = SOURCES.map(async ([label, source], at) => {
      const rows = await source(ctx, words, signal, (some) => signal.aborted || show(label, groups[at], some, words));
      if (!signal.aborted) show(label, groups[at], rows, words);
    });
    Promise.allSettled(looks).then((ended) => {
      if (signal.aborted) return;
      state.looking = false;
      const failed = ended.find(({ status: how }) => how === "rejected")?.reason;
      fill(status, failed ? `Not everything could be looked at: ${failed.message}` : words.length && !options().length ? "Nothing has all of these words." : "");
      if (state.enter) enter();
    });
  }

  function show(label, group, rows, words) {
    const chosen = list.querySelector("[aria-selected=true]")?.id;
    group.hidden = rows.length === 0;
    fill(group, el("p", { class: "matches-head", "aria-hidden": "true" }, label), ...rows.map((row, at) => option(`${label}-${at}`.replaceAll(" ", "-"), row, words)));
    choose(options().find((node) => node.id === chosen) ?? options()[0]);
  }

  function option(id, { title, text, detail, run }, words) {
    const go = () => (box.close(), run());
    return el(
      "div",
      { role: "option", id, "aria-selected": "false", class: "match", onclick: go, onpointermove: () => choose(node(id)) },
      title && el("span", { class: "match-title" }, marked(title, words)),
      text && el("span", { class: "match-text" }, marked(around(text, words), words)),
      detail && el("span", { class: "soft match-detail" }, bdi(detail)),
    );
  }

  const node = (id) => options().find((each) => each.id === id);
  const options = () => [...list.querySelectorAll("[role=option]")];

  function choose(next) {
    for (const each of list.querySelectorAll("[aria-selected=true]")) each.setAttribute("aria-selected", "false");
    next?.setAttribute("aria-selected", "true");
    if (next) field.setAttribute("aria-activedescendant", next.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function step(by) {
    const all = options();
    const at = all.findIndex((each) => each.getAttribute("aria-selected") === "true");
    choose(all[(at + by + all.length) % all.length]);
    list.querySelector("[aria-selected=true]")?.scrollIntoView({ block: "nearest" });
  }

  function enter() {
    state.enter = state.looking;
    if (!state.looking) list.querySelector("[aria-selected=true]")?.click();
  }

  field.addEventListener("input", () => {
    clearTimeout(timer);
    Object.assign(state, { looking: true, enter: false });
    fill(status, "Looking…");
    timer = setTimeout(look, TYPING_MS);
  });
  field.addEventListener("keydown", (event) => {
    const does = { ArrowDown: () => step(1), ArrowUp: () => step(-1), Enter: enter }[event.key];
    if (!does || event.isComposing) return;
    event.preventDefault();
    does();
  });
  box.addEventListener("close", () => (clearTimeout(timer), asked?.abort()));
  field.focus();
  look();
  return box;
}

/** A line of `text` that begins a little before the first of `words`. */
function around(text, words) {
  const line = text.replace(/\s+/gu, " ").trim();
  const places = words.map((word) => line.toLowerCase().indexOf(word)).filter((at) => at >= 0);
  const start = Math.max(0, Math.min(...places, line.length) - AROUND);
  const from = places.length && start > 0 ? line.indexOf(" ", start) + 1 : 0;
  return (from > 0 ? "…" : "") + line.slice(from, from + 4 * AROUND);
}

/** `text` with `words` marked. */
function marked(text, words) {
  const lower = text.toLowerCase();
  const nodes = [];
  let last = 0;
  for (let at = 0; at < text.length; ) {
    const word = words.find((each) => lower.startsWith(each, at));
    if (!word) at++;
    else {
      nodes.push(visible(text.slice(last, at)), el("mark", {}, visible(text.slice(at, at + word.length))));
      last = at += word.length;
    }
  }
  return el("bdi", { dir: "auto" }, ...nodes, visible(text.slice(last)));
}
