/**
 * What a search looks through. Each source gives rows `{title?, text?, detail?, run}` that hold all the
 * words, and may hand on the first of them while it looks further.
 */

import { showHelp } from "/static/keyboard.js";
import { ENDED, maySpeak } from "./parts.js";
import { profile } from "./people.js";

const MOST = 8; // rows of a source
const MOST_MESSAGES = 20;
const ITEMS = 500; // a request

const holds = (words, ...texts) => {
  const all = texts.filter(Boolean).join(" ").toLowerCase();
  return words.every((word) => all.includes(word));
};

/** What one can do here: go to a view, write, change the look. */
export async function matchingActions(ctx, words) {
  const speaks = maySpeak(ctx);
  const actions = [
    ["Go to the talk", "Messages", () => ctx.go({ view: "talk" })],
    ...[...document.querySelectorAll("[role=tab][data-name]")].map((tab) => [`Go to ${tab.firstChild.textContent}`, "Memory", () => (ctx.go({ view: "memory" }), tab.click())]),
    ["Go to the room", "Floor, votes, goals, people", () => ctx.go({ view: "room" })],
    speaks && ["Write a message", "c", () => ctx.go({ view: "write" })],
    speaks && ["Write a proposal", "p", () => ctx.go({ view: "write", act: "propose" })],
    ["All sessions", "g l", () => ctx.go({ view: "list" })],
    ["Keys", "?", showHelp],
    ["Light or dark", "t", () => globalThis.toggleTheme()],
  ];
  const shown = actions.filter(Boolean).filter(([title, detail]) => holds(words, title, detail));
  return (words.length ? shown.slice(0, MOST) : shown).map(([title, detail, run]) => ({ title, detail, run }));
}

/**
 * Decisions, then proposals, as they stood at the moment that is shown; the newest first. Those of the
 * board are handed on at once; all of them are asked for as soon as the field is there.
 */
export async function matchingItems(ctx, words, signal, found) {
  const asked = Promise.all(["decisions", "proposals"].map((kind) => all(ctx, kind)));
  asked.catch(() => null); // who waits for it hears of it
  if (!words.length) return [];
  const matches = (rows) => rows.filter((row) => holds(words, row.handle, textOf(row), row.participant)).slice(0, MOST).map((row) => itemRow(ctx, row));
  const [at, board] = [ctx.store.get("at"), ctx.store.get("board")];
  if (board && (at ?? board.n) === board.n) found(matches([...board.decisions, ...board.proposals].map((row) => ({ ...row, handle: row.ref }))));
  const [decisions, proposals] = await asked;
  return matches([...[...decisions].reverse(), ...[...proposals].reverse()]);
}

const itemRow = (ctx, row) => ({
  title: row.handle, text: textOf(row), detail: `${row.as_read ? row.status_text : (ENDED[row.status] ?? row.status)}, ${row.participant} #${row.n}`,
  run: () => ctx.go({ view: shownOn(ctx, row.handle), ref: row.handle }),
});

const textOf = (row) => row.text ?? ([row.topic, row.outcome].filter(Boolean).join(": ") || "");

/** The view that shows an item: the board has no older proposals, "why" has every item. */
function shownOn(ctx, ref) {
  const board = ctx.store.get("board");
  if (board?.decisions?.some((row) => row.ref === ref)) return "decisions";
  return board?.proposals?.some((row) => row.ref === ref) ? "board" : "why";
}

const kept = { key: "", rows: new Map() };

/** All rows of a kind, asked for once as long as nothing new is said. */
function all(ctx, kind) {
  const [at, status] = [ctx.store.get("at"), ctx.store.get("status")];
  const key = JSON.stringify([ctx.session, at, at ?? status?.n, status?.resets, status?.incarnation]);
  if (kept.key !== key) Object.assign(kept, { key, rows: new Map() });
  const { rows } = kept;
  if (!rows.has(kind)) {
    const asked = pages(ctx, kind, at);
    rows.set(kind, asked);
    asked.catch(() => rows.delete(kind));
  }
  return rows.get(kind);
}

async function pages(ctx, kind, at) {
  const rows = [];
  for (let after = 0; after !== null; ) {
    const page = await ctx.api.get(ctx.api.of(ctx.session, kind), { at, after, limit: ITEMS });
    rows.push(...page.items);
    after = page.next;
  }
  return rows;
}

/** Participants by any of their names. */
export async function matchingPeople(ctx, words) {
  if (!words.length) return [];
  const people = ctx.store.get("board")?.participants ?? [];
  return people.filter((person) => holds(words, person.name, ...(person.aliases ?? []))).slice(0, MOST).map((person) => ({
    title: person.name, detail: [person.role, person.aliases?.length && `also ${person.aliases.join(", ")}`].filter(Boolean).join(", "),
    run: () => profile(ctx, person.name),
  }));
}

/** Messages that hold all the words, the newest first; further ones are handed on as they are found. */
export async function matchingMessages(ctx, words, signal, found) {
  if (!words.length) return [];
  const rows = [];
  const last = ctx.store.get("at") ?? ctx.store.get("messages").total;
  for (let before = last + 1; before > 1 && rows.length < MOST_MESSAGES; ) {
    const query = { words: words.join(" "), before, limit: MOST_MESSAGES };
    const page = await ctx.api.get(ctx.api.of(ctx.session, "messages"), query, { signal });
    rows.push(...page.items.reverse().map((record) => messageRow(ctx, record, words)));
    found(rows.slice(0, MOST_MESSAGES));
    before = page.next ?? 1;
  }
  return rows.slice(0, MOST_MESSAGES);
}

function messageRow(ctx, { n, entry }, words) {
  const at = entry.content.toLowerCase().indexOf(words[0]);
  const start = at < 0 ? 0 : Array.from(entry.content.slice(0, at)).length;
  const span = [start, start + Array.from(words[0]).length];
  return { title: entry.participant, text: entry.content, detail: `#${n}`, run: () => ctx.go({ view: "talk", n, span: at < 0 ? undefined : span }) };
}

/** Other sessions, by name and title. */
export async function matchingSessions(ctx, words, signal) {
  if (!words.length || !ctx.me?.operator) return [];
  const { items } = await ctx.api.get("/v1/sessions", { limit: 200 }, { signal });
  return items.filter((row) => row.session !== ctx.session && holds(words, row.session, row.title)).slice(0, MOST).map((row) => ({
    title: row.title || row.session, detail: row.title ? row.session : row.status,
    run: () => ctx.open(`/s/${encodeURIComponent(row.session)}`),
  }));
}
