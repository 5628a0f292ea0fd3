/** What waits for the reader: in the title, on the icon, over the parts of a phone, as a notification. */

import { calls, noteReading, reading } from "/static/reading.js";
import { hears } from "/static/store.js";
import { clip, visible } from "/static/text.js";

const LOOKED = 400; // of the messages since one left, the newest, in which mentions are sought
const ASKED = "parley-notify"; // where it is kept that notifications are wanted
const WORDS = { ballot: "A vote waits for your ballot", agreement: "A vote waits for you to agree to it", floor: "You have the floor" };

/** What of `board` waits for `name`: rows of the Brief. */
export const waiting = (board, name) => (name && !board?.closed ? (board?.brief.waiting ?? []).filter((one) => one.participant === name) : []);

/** Whether the reader wants to be notified, here and now. */
export const notified = () => globalThis.Notification?.permission === "granted" && wanted();

function wanted() {
  try {
    return localStorage.getItem(ASKED) === "yes";
  } catch {
    return false; // a browser that keeps nothing
  }
}

/** Ask for it, or end it: on a press alone. What came of it. */
export async function askNotified(on) {
  try {
    localStorage.setItem(ASKED, on ? "yes" : "no");
  } catch {
    return false;
  }
  if (on && Notification.permission === "default") await Notification.requestPermission();
  return notified();
}

/** Keeps the store's `awaiting`: {waits, mentions}; `changed(count)` where the sum changes. */
export class Attention {
  #heard; // the newest message that was looked through
  #shown = new Set();
  #first = true;

  constructor(ctx, changed) {
    Object.assign(this, { ctx, changed, name: ctx.store.get("me")?.name });
    const before = reading(ctx.session);
    const { total } = this.#messages;
    ctx.left = before && before.name === this.name && before.n < total ? before.n : null;
    this.mentions = new Set(before?.name === this.name ? before.mentions : []);
    this.read = before?.n ?? 0;
    this.#heard = ctx.left ?? total;
    this.off = hears(ctx.store, { board: () => this.look(), messages: () => this.look(), me: () => this.#another(), at: () => this.look() });
    this.look();
  }

  end() {
    this.off();
    this.changed(0);
  }

  get #messages() {
    return this.ctx.store.get("messages");
  }

  get #takesPart() {
    return ["person", "agent"].includes(this.ctx.store.get("me")?.role);
  }

  /** Rows `first`…`last` of the talk stand on the screen. */
  seen(first, last) {
    if (document.hidden || this.ctx.store.get("at") !== null) return;
    const met = [...this.mentions].filter((n) => first <= n && n <= last);
    met.forEach((n) => this.mentions.delete(n));
    if (last <= this.read && !met.length) return;
    this.read = Math.max(this.read, last);
    this.#keep();
    if (met.length) this.#tell();
  }

  #another() {
    const { name } = this.ctx.store.get("me") ?? {};
    if (name === this.name) return;
    Object.assign(this, { name, mentions: new Set() });
    this.#keep();
    this.look();
  }

  async look() {
    const { total } = this.#messages;
    const from = Math.max(this.#heard + 1, total - LOOKED + 1);
    if (total > this.#heard && this.#takesPart) {
      this.#heard = total;
      await this.#messages.need(from, total).catch(() => null);
      for (let n = from; n <= total; n++) {
        const record = this.#messages.said(n);
        if (record && calls(record.entry, this.name) && (n > this.read || document.hidden)) this.mentions.add(n);
      }
      this.#keep();
    }
    this.#tell();
  }

  #keep() {
    noteReading(this.ctx.session, { n: this.read, name: this.name, mentions: [...this.mentions] });
  }

  #tell() {
    const { store } = this.ctx;
    const waits = this.#takesPart && store.get("at") === null ? waiting(store.get("board"), this.name) : [];
    const mentions = [...this.mentions].sort((one, other) => one - other);
    const before = store.get("awaiting");
    if (JSON.stringify([before?.waits, before?.mentions]) !== JSON.stringify([waits, mentions])) store.set("awaiting", { waits, mentions });
    this.changed(waits.length + mentions.length, { votes: waits.filter((one) => one.what !== "floor").length, talk: mentions.length + waits.filter((one) => one.what === "floor").length });
    this.#notify(waits, mentions);
  }

  /** Each thing once, and only while nobody looks; what waited when the page was opened is no news. */
  #notify(waits, mentions) {
    const rows = [...waits.map((one) => [`${one.what} ${one.ref}`, WORDS[one.what]]), ...mentions.map((n) => [`mention ${n}`, this.#mention(n)])];
    const fresh = rows.filter(([key]) => !this.#shown.has(key));
    fresh.forEach(([key]) => this.#shown.add(key));
    if (this.#first || !document.hidden || !fresh.length || !notified()) return void (this.#first = false);
    const { store, session } = this.ctx;
    const title = store.get("board")?.title || session;
    const note = new Notification(visible(title), { body: fresh.map(([, words]) => words).join("\n"), tag: `parley ${session}`, icon: "/static/favicon.svg" });
    note.onclick = () => (globalThis.focus(), note.close());
  }

  #mention(n) {
    const entry = this.#messages.said(n)?.entry;
    return entry ? `${visible(entry.participant)}: ${visible(clip(entry.content, 100))}` : `You are mentioned in #${n}`;
  }
}
