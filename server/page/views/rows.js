/** The rows of the talk, one a number: a message, or what happened there; of whom, and what it did. */

import { el } from "/static/el.js";
import { BESIDE } from "/static/messages.js";
import { chips, deeds } from "./facts.js";
import { beside, happened, together } from "./happened.js";
import { message } from "./message.js";

const REACH = 12; // rows without a message that one looks past
const RUN = 200; // ballots, or notes, that stand together

/** `marked` {n, version, spans} is the message that is shown; `past` what the timeline tells, by number. */
export class Rows {
  marked = null;
  again = () => null; // what draws the rows once more
  past = new Map();
  #ctx;
  #versions = new WeakMap();
  #hues = "";
  #items = "";
  #edited = "";

  constructor(ctx) {
    this.#ctx = ctx;
    this.knew(ctx.store.get("board")); // or the first news of it would make every row anew
  }

  get #messages() {
    return this.#ctx.store.get("messages");
  }

  /** Note the colours, and what became of items that chips tell of. True where that is news. */
  knew(board) {
    const hues = JSON.stringify((board?.participants ?? []).map((one) => [one.name, one.hue, one.aliases]));
    const edited = JSON.stringify(board?.edited ?? {});
    const items = JSON.stringify([...(board?.proposals ?? []), ...(board?.votes ?? []), ...(board?.goals ?? [])].filter((one) => one.status !== "active").map((one) => [one.ref, one.status]));
    if (hues === this.#hues && items === this.#items && edited === this.#edited) return false;
    this.#hues = hues;
    this.#items = items;
    this.#edited = edited;
    return true;
  }

  /** The element of row `n`, the old one where it still shows what there is. */
  make(n, node) {
    const version = this.#version(n);
    if (node && this.#versions.get(node) === version) return node;
    const made = this.#made(n);
    if (node?.contains(document.activeElement)) queueMicrotask(() => made.focus({ preventScroll: true }));
    this.#versions.set(made, version);
    return made;
  }

  /** What a row shows, in short: where that is the same, so is its element. */
  #version(n) {
    const messages = this.#messages;
    const parts = [
      messages.get(n)?.id, messages.newest(n, this.#ctx.store.get("board"))?.id, messages.knows(n), this.#before(n)?.id, messages.facts.get(n)?.length, messages.beside.get(n)?.length, this.past.get(n)?.length,
      this.marked?.n === n ? JSON.stringify(this.marked) : "", this.#hues, this.#earlier(messages.get(n))?.id, this.#apart(n),
      messages.facts.has(n) || this.past.has(n) || (messages.has(n) && !messages.said(n)) ? this.#items : "",
      n === this.#ctx.left + 1, this.leads(n) ? this.#run(n).length : "led", n === 1 ? this.#beside(0).length : "",
    ];
    return parts.join("|");
  }

  /** What the entry `n` did, each thing once. */
  deeds(n) {
    return deeds(this.#messages.facts.get(n), this.past.get(n));
  }

  #beside(n) {
    const heard = this.#messages.beside.get(n) ?? [];
    const before = (this.past.get(n) ?? []).filter((row) => BESIDE.has(row.kind));
    return before.length > heard.length ? before : heard; // what came live has the words
  }

  /** What happened before anything had a number, as lines. */
  earliest() {
    return beside(this.#ctx, this.#beside(0));
  }

  /** Whether something else stands between a row and the message above it. */
  #apart(n) {
    return n > 1 && (!this.#messages.said(n - 1) || this.#beside(n - 1).length > 0);
  }

  /** The message above row `n`; other entries may stand between. */
  #before(n) {
    for (let at = n - 1; at > 0 && at >= n - REACH; at--) {
      const found = this.#messages.said(at);
      if (found || !this.#messages.knows(at)) return found;
    }
    return null;
  }

  #earlier(record) {
    return typeof record?.entry.re === "number" ? this.#messages.said(record.entry.re) : null;
  }

  /** Whether row `n` begins what it belongs to. */
  leads(n) {
    return !together(this.#messages.get(n - 1), this.#messages.get(n)) || this.#beside(n - 1).length > 0;
  }

  /** What row `n` stands for: itself, and of ballots those that follow. */
  #run(n) {
    const found = [this.#messages.get(n)];
    for (let at = n + 1; at <= (this.#ctx.store.get("at") ?? this.#messages.total) && found.length < RUN && found[0] && !this.leads(at); at++) found.push(this.#messages.get(at));
    return found;
  }

  #made(n) {
    const messages = this.#messages;
    const record = messages.get(n);
    if (!record && !messages.knows(n)) return el("div", { class: "msg waiting", "aria-hidden": "true" }, el("span", { class: "bone" }), el("span", { class: "bone long" }));
    const marked = this.marked?.n === n;
    const made = messages.said(n) ? this.#message(record, marked) : this.#between(n, record);
    if (n === 1) this.#begun(made);
    made.append(...beside(this.#ctx, this.#beside(n)));
    if (this.#ctx.left && n === this.#ctx.left + 1) made.prepend(el("p", { class: "since" }, el("span", {}, "New since you left")));
    made.classList.toggle("shown", marked);
    return made;
  }

  /** What came before the first entry stands above it, below the day. */
  #begun(made) {
    const day = made.querySelector(":scope > .day");
    if (day) day.after(...this.earliest());
    else made.prepend(...this.earliest());
  }

  #message(record, marked) {
    const { n } = record;
    const board = this.#ctx.store.get("board");
    const [edit] = board?.edited?.[n] ?? [];
    if (edit && !this.#messages.has(edit)) this.#messages.need(edit, edit).then(() => this.again(), () => null);
    return message(this.#ctx, record, { newest: this.#messages.newest(n, board), version: marked ? this.marked.version : n, before: this.#before(n), apart: this.#apart(n), deeds: this.deeds(n), spans: marked ? this.marked.spans : [], earlier: this.#earlier(record) });
  }

  /** A row that is no message: what happened there, if it is not told with the row before. */
  #between(n, record) {
    const row = el("article", { class: "between", data: { n }, tabindex: "-1", "aria-label": `Entry ${n}` });
    if (!record || !this.leads(n)) return row;
    const run = this.#run(n);
    const { line, left } = happened(this.#ctx, record, this.deeds(n), run);
    const done = chips(this.#ctx, left, record.entry.participant ?? record.entry.by);
    row.append(line);
    if (done.length) row.append(el("ul", { class: "facts", role: "list" }, done));
    return row;
  }
}
