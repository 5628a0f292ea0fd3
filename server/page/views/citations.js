/** Where something was said: a reference that shows its message, the cited words marked. */

import { el, fill } from "/static/el.js";
import { utf16, visible } from "/static/text.js";
import { happened } from "./happened.js";
import { person } from "./parts.js";
import { message } from "./source.js";

const AROUND = 220; // UTF-16 units shown on each side of the cited words
const ASK_MS = 90;
const LEAVE_MS = 160;

/** A cite `[n, start, end]` as a button: hover or focus shows the words, a press opens the talk. */
export function cite(ctx, [n, start, end], label = `#${n}`) {
  const button = el(
    "button",
    {
      class: "cite",
      type: "button",
      data: { focus: `cite-${n}-${start}-${end}` },
      "aria-label": `#${n}: show the words`,
      onclick: () => opened(ctx, button, [n, start, end]),
      onpointerenter: (event) => event.pointerType === "mouse" && card.ask(ctx, button, [n, start, end]),
      onpointerleave: () => card.leave(),
      onfocus: () => card.ask(ctx, button, [n, start, end]),
      onblur: () => card.leave(),
    },
    label,
  );
  return button;
}

/** All cites of an item, in a row. */
export const cites = (ctx, found) => el("span", { class: "cites" }, ...once(found ?? []).map((one) => cite(ctx, one)));

/** One reference a message, the one with words; in the order of the talk. */
function once(found) {
  const held = new Map();
  for (const one of found) if (!held.has(one[0]) || one[2] > one[1]) held.set(one[0], one);
  return [...held.values()].sort(([one], [other]) => one - other);
}

/** `content` cut around its characters `start`…`end` (code points), which are marked. */
export function passage(content, start, end) {
  const [from, to] = end > start ? [utf16(content, start), utf16(content, end)] : [0, 0];
  const left = to > from ? softly(content, Math.max(0, from - AROUND)) : 0;
  const right = softly(content, Math.min(content.length, to + AROUND * (to > from ? 1 : 2)));
  return el(
    "p",
    { class: "passage", dir: "auto" },
    left > 0 && "…",
    visible(content.slice(left, from), true),
    to > from && el("mark", {}, visible(content.slice(from, to), true)),
    visible(content.slice(to, right), true),
    right < content.length && "…",
  );
}

const softly = (text, index) => {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff ? index + 1 : index;
};

function opened(ctx, button, [n, start, end]) {
  const touched = matchMedia("(hover: none)").matches;
  if (touched && card.shown !== button) return card.ask(ctx, button, [n, start, end]);
  card.hide();
  button.closest("dialog")?.close();
  ctx.go({ view: "talk", n, span: end > start ? [start, end] : undefined });
}

class Card {
  shown = null;
  #node = null;
  #timer = 0;
  #asked = null; // the cite that was looked at last

  /** Shows the words of a cite beside `button`, a moment from now. */
  ask(ctx, button, found) {
    clearTimeout(this.#timer);
    this.#asked = button;
    this.#timer = setTimeout(() => this.#show(ctx, button, found), this.shown ? 0 : ASK_MS);
  }

  leave() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.hide(), LEAVE_MS);
  }

  hide() {
    clearTimeout(this.#timer);
    this.shown?.removeAttribute("aria-describedby");
    this.shown = null;
    this.#node?.hidePopover?.();
  }

  async #show(ctx, button, [n, start, end]) {
    this.shown?.removeAttribute("aria-describedby");
    this.shown = button;
    const record = await message(ctx, n).catch((error) => ({ failed: error.message }));
    if (this.shown !== button || !button.isConnected) return;
    const node = (this.#node ??= this.#made());
    fill(node, ...this.#inside(ctx, record, [n, start, end]));
    button.setAttribute("aria-describedby", node.id);
    node.showPopover();
    placed(node, button.getBoundingClientRect());
  }

  #inside(ctx, record, [n, start, end]) {
    if (record.failed) return [el("p", { class: "soft" }, `#${n} cannot be shown: ${record.failed}`)];
    const { entry } = record;
    const spoken = entry.kind === "message" || entry.kind === "message.edited";
    return [
      spoken ? el("div", { class: "evidence-head" }, person(entry.participant), el("span", { class: "soft" }, `#${n}`)) : happened(ctx, record, []).line,
      spoken && passage(entry.content ?? "", start, end),
      el("button", { class: "quiet", type: "button", tabindex: "-1", onclick: () => {
        this.hide();
        ctx.go({ view: "talk", n, span: end > start ? [start, end] : undefined });
      } }, "Read it in the talk"),
    ];
  }

  /** Focus brings what is out of sight into it: the words stay beside their cite then, and else go. */
  #follow() {
    if (this.#asked !== document.activeElement) this.hide();
    else if (this.shown === this.#asked && this.#node) placed(this.#node, this.shown.getBoundingClientRect());
  }

  #made() {
    const node = el("div", {
      class: "evidence",
      id: "evidence",
      popover: "manual",
      role: "tooltip",
      onpointerenter: () => clearTimeout(this.#timer),
      onpointerleave: () => this.leave(),
    });
    document.body.append(node);
    addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    addEventListener("scroll", () => this.#follow(), { capture: true, passive: true });
    addEventListener("pointerdown", (event) => {
      if (!node.contains(event.target) && !event.target.closest?.(".cite")) this.hide();
    });
    return node;
  }
}

const card = new Card();

function placed(node, near) {
  const { width, height } = node.getBoundingClientRect();
  const below = near.bottom + 8 + height < innerHeight;
  const left = Math.min(Math.max(8, near.left - 12), innerWidth - width - 8);
  const top = below ? near.bottom + 8 : Math.max(8, near.top - height - 8);
  node.style.left = `${left}px`;
  node.style.top = `${top}px`;
}
