/** The talk: all messages, of which only those near the screen are drawn; new ones as they come. */

import { el, fill, icon } from "/static/el.js";
import { clip, many, visible } from "/static/text.js";
import { hears } from "/static/store.js";
import { byMessage } from "./facts.js";
import { happened } from "./happened.js";
import { edit, mayEdit, ownLast } from "./edit.js";
import { answer, open } from "./message.js";
import { maySpeak } from "./parts.js";
import { Rows } from "./rows.js";
import { Window } from "./window.js";

const MOVED_MS = 200; // after the slider moved, until the talk does whether or not its moment came
const PAINTED_MS = 20; // after the board came: the Brief is painted by then
const SPOKEN = 3; // of what comes at once, what is read out

/** Gives `unmount()`, `openMessage(n, [start, end])`, `step(by)`, `reply()`, `edit()`, `enter()`, `newest()`, `focus()`. */
export function mount(root, ctx) {
  const view = new Talk(root, ctx);
  const { store } = ctx;
  const off = hears(store, {
    messages: () => view.grew(),
    at: () => view.moved(),
    me: () => view.grew(),
    board: () => view.redraw(),
    timeline: (timeline) => view.told(timeline),
  });
  view.told(store.get("timeline"));
  view.grew();
  return Object.assign(view, { unmount: () => (off(), view.end()) });
}

class Talk {
  #current = 0;
  #heard = null;
  #unseen = 0;
  #rows;
  #moving = 0; // the timer while the slider moves

  constructor(root, ctx) {
    this.ctx = ctx;
    this.#rows = new Rows(ctx);
    this.#rows.again = () => this.window.draw();
    this.log = el("div", { class: "unseen", role: "log", "aria-live": "polite", "aria-label": "New messages" });
    this.empty = el("div", { class: "nothing", hidden: true }, el("p", {}, el("strong", {}, "Nobody has spoken yet")), el("p", {}, "What is said here is heard by everybody at once, and kept."), (this.next = el("p", {})), (this.early = el("div", { class: "early" })));
    this.fresh = el("button", { type: "button", class: "fresh", hidden: true, onclick: () => this.newest() });
    this.window = new Window(root, { make: (row, node) => this.#rows.make(row, node), missing: (first, last) => this.#need(first, last) });
    root.append(this.empty, this.fresh, this.log);
    this.window.box.addEventListener("scroll", () => this.#read(), { passive: true });
    this.window.box.addEventListener("focusin", (event) => {
      const n = Number(event.target.closest(".msg")?.dataset.n);
      if (n) this.#current = n;
    });
  }

  end() {
    clearTimeout(this.#moving);
    this.window.end();
    this.log.remove();
    this.fresh.remove();
    this.empty.remove();
  }

  get #messages() {
    return this.ctx.store.get("messages");
  }

  get #last() {
    return this.ctx.store.get("at") ?? this.#messages.total;
  }

  /** There are more messages, or other ones. */
  grew() {
    const { total } = this.#messages;
    if (this.#heard !== null && total < this.#heard) this.window.clear();
    else if (this.#heard !== null && total > this.#heard) this.#announce(this.#heard + 1, total);
    this.#heard = total;
    this.empty.hidden = total > 0;
    if (total) this.early.replaceChildren();
    else this.#nobody();
    this.window.resize(this.#last);
    this.#read();
  }

  /** Another moment is shown: what was said after it is not there. What is asked for comes first, and is painted. */
  moved() {
    clearTimeout(this.#moving);
    if (this.ctx.store.get("at") === null) this.#settle();
    else this.#moving = setTimeout(() => this.#settle(), MOVED_MS);
  }

  /** Be at the moment that is shown. */
  #settle() {
    clearTimeout(this.#moving);
    this.#moving = 0;
    this.window.atEnd = true;
    this.window.resize(this.#last);
    this.#read();
  }

  told(timeline) {
    this.#rows.past = byMessage(timeline);
    if (!this.#messages.total) this.#nobody();
    this.window.draw();
  }

  /** The colours are known anew, or what became of items that chips tell of. */
  redraw() {
    if (this.#moving) setTimeout(() => this.#moving && this.#settle(), PAINTED_MS);
    if (this.#rows.knew(this.ctx.store.get("board"))) this.window.draw();
  }

  /** What stands where nothing was said: what one may do about it, and who came already. */
  #nobody() {
    const { operator, role } = this.ctx.store.get("me");
    this.next.textContent = maySpeak(this.ctx) ? "Begin below: say something, or propose." : operator ? "Take a name below to begin, or invite people and programs." : role === "observer" ? "You will see it as it comes." : "";
    fill(this.early, this.#rows.earliest());
  }

  #announce(first, last) {
    if (this.ctx.store.get("at") !== null) return;
    const numbers = Array.from({ length: Math.min(last - first + 1, 1000) }, (_, place) => last - place).reverse();
    if (!this.window.atEnd) this.#unseen += numbers.filter((n) => !this.#messages.has(n) || this.#messages.said(n)).length;
    this.log.replaceChildren(...numbers.slice(-SPOKEN).map((n) => this.#messages.get(n)).filter(Boolean).map((record) => el("p", {}, this.#spoken(record))));
  }

  #spoken(record) {
    const { participant, content, kind } = record.entry;
    if (kind === "message") return `${visible(participant)}: ${visible(clip(content, 200))}`;
    return happened(this.ctx, record, this.#rows.deeds(record.n)).line.querySelector("p").textContent;
  }

  #read() {
    if (this.window.atEnd) this.#unseen = 0;
    this.fresh.hidden = this.window.atEnd;
    this.fresh.replaceChildren(icon("down"), this.#unseen ? many(this.#unseen, "new message") : "Newest");
  }

  #need(first, last) {
    this.ctx.attention.seen(first, last);
    this.#messages.seen(first, last);
    const from = Math.max(1, first - 20);
    const to = Math.min(this.#messages.total, last + 20);
    for (let n = from; n <= to; n++) {
      if (!this.#messages.knows(n)) {
        this.#messages.need(from, to).then((came) => came && this.window.draw(), (error) => this.ctx.notice(error.message, "bad"));
        return;
      }
    }
  }

  /** Show a message and mark characters of it (code points); on a phone, the talk is shown first. */
  async openMessage(n, span) {
    const { store } = this.ctx;
    if (n > this.#last) return this.ctx.notice(`#${n} comes after the moment that is shown.`);
    if (this.#moving) this.#settle();
    await this.#messages.need(n - 1, n);
    const version = n;
    const cited = this.#messages.get(n)?.entry;
    if (cited?.kind === "message.edited" && span) await this.#messages.need((n = cited.of), n);
    this.#rows.marked = { n, version, spans: span && span[1] > span[0] ? [span] : [] };
    this.window.atEnd = false;
    this.window.draw();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    let lead = n;
    while (lead > 1 && !this.#rows.leads(lead)) lead--;
    const node = this.window.show(lead, { middle: true });
    this.#current = n;
    node?.focus({ preventScroll: true });
    this.window.node(n)?.querySelector("mark")?.scrollIntoView({ block: "nearest" });
    return store.get("messages").get(n);
  }

  focus() {
    this.window.box.focus({ preventScroll: true });
  }

  /** To the next message, or the one before. */
  async step(by) {
    const last = this.#last;
    let n = this.#current ? this.#current + by : by > 0 ? 1 : last;
    if (!this.#current && this.window.atEnd) n = last;
    while (n >= 1 && n <= last && this.#messages.knows(n) && !this.#messages.said(n)) n += by;
    if (n < 1 || n > last) return;
    this.#current = n; // at once: the next key may be pressed before it is fetched
    if (!this.#messages.knows(n)) await this.#messages.need(n, n);
    this.window.show(n)?.focus({ preventScroll: true });
  }

  newest() {
    this.#current = 0;
    this.window.toEnd();
    this.#read();
  }

  #chosen() {
    return this.#messages.said(Number(document.activeElement?.closest(".msg")?.dataset.n) || this.#current);
  }

  /** Other words for the reader's last message, once the newest ones are here. */
  async edit() {
    const { total } = this.#messages;
    if (total && !this.#messages.knows(total)) await this.#messages.need(total, total);
    const record = ownLast(this.ctx);
    if (!record || !mayEdit(this.ctx, record)) return this.ctx.notice("You have said nothing here lately that could be edited.");
    edit(this.ctx, record, this.#messages.newest(record.n, this.ctx.store.get("board")).entry.content ?? "");
  }

  reply() {
    const record = this.#chosen();
    if (record) answer(this.ctx, record);
  }

  enter(event) {
    const record = event.target.classList?.contains("msg") && this.#chosen();
    if (!record) return false;
    open(this.ctx, record);
    return true;
  }
}
