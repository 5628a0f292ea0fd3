/** The small things that every view of the memory shows: names, handles, signs, tags. */

import { el } from "/static/el.js";
import { avatar, bdi, clip, named, visible } from "/static/text.js";

export const SIGNS = { support: "+", oppose: "−", neutral: "~" };

/** Somebody's words on one line, in at most `most` characters where that is given. */
export const said = (text, most) => bdi(most ? clip(text, most) : String(text ?? "").replace(/\s*\n\s*/gu, " "));

/** A participant: the badge and the name; where room is short the name is only read out; `plain` is the name alone. */
export const person = (name, { short = false, plain = false } = {}) =>
  plain ? named(name) : el("span", { class: "who", title: short ? visible(name) : null }, avatar(name), short ? el("span", { class: "unseen" }, bdi(name)) : named(name));

/** A sign that repeats what a word says. */
export const sign = (glyph) => el("span", { class: "sign", "aria-hidden": "true" }, glyph);

/** A handle of an item, as P3. */
export const handle = (ref) => el("span", { class: "handle", data: { kind: String(ref)[0] } }, String(ref));

/** The same as a link that can be sent: a press goes there, and the address with it. */
export const linked = (ref) => el("a", { class: "handle", data: { kind: String(ref)[0] }, href: `#${ref}`, title: `${ITEMS[String(ref)[0]] ?? "The item"} ${ref}: its address` }, String(ref));

const ITEMS = { P: "Proposal", D: "Decision", V: "Vote", E: "Goal or stage", M: "What a model reads as" };

/** A handle, which the server may give as a number alone. */
export const whole = (letter, ref) => (typeof ref === "number" ? `${letter}${ref}` : ref);

/** A word about an item. */
export const tag = (kind, ...children) => el("span", { class: "tag", data: { tag: kind } }, ...children);

/** What became of a proposal, in words of the board. */
export const ENDED = { withdrawn: "withdrawn", modified: "reworded", lapsed: "lapsed", put_off: "put off", ratified: "decided", claimed: "unconfirmed", superseded: "replaced" };

/** That a model read it, in a word; what it says of how the item ended stands in `status_text`. */
export const asRead = (row) => row.as_read && tag("as-read", row.status === "active" ? "as read by a model" : row.status_text);

/** The handles that participants can speak to: what only a model reads has none in the talk. */
export const spokenTo = (row) => !String(row.ref).startsWith("M");

/** The button that asks why an item is here. */
export const why = (ctx, ref) =>
  el(
    "button",
    {
      type: "button",
      class: "why",
      data: { focus: `why-${ref}` },
      "aria-label": `Why is ${ref} here?`,
      title: `Why is ${ref} here?`,
      onclick: () => ctx.go({ view: "why", ref }),
    },
    "?",
  );

/** What stands where there is nothing to show yet. */
export const nothing = (title, text) => el("div", { class: "nothing" }, el("p", {}, el("strong", {}, title)), el("p", {}, text));

/** True where the reader may speak: this is now, it is open, and they take part. */
export function maySpeak(ctx) {
  const me = ctx.store.get("me");
  const open = ctx.store.get("at") === null && !ctx.store.get("board")?.closed;
  return open && (me?.role === "person" || me?.role === "agent");
}

/** Whether the reader may call a vote. */
export function mayCall(ctx) {
  const { may, role } = ctx.store.get("me");
  return may === null ? role === "person" : may.includes("vote") || may.includes("moderate");
}

/** Runs `show` now and when one of `parts` has changed, at most once a frame; gives what ends it. */
export function following(ctx, parts, show) {
  let frame = 0;
  const later = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      show();
    });
  };
  const offs = parts.map((part) => ctx.store.on(part, later));
  show();
  return () => {
    cancelAnimationFrame(frame);
    offs.forEach((off) => off());
  };
}

/** Brings the item `ref` of a view into sight, and the focus to it; `lists` may have to show more. */
export function found(root, { ref }, lists) {
  if (!ref) return;
  const seek = () => root.querySelector(`[data-ref="${CSS.escape(ref)}"]`);
  if (!seek()) lists.forEach((one) => one.whole());
  const node = seek();
  node?.scrollIntoView({ block: "center", inline: "nearest" });
  node?.focus({ preventScroll: true });
}

/** A view that ends: its hearers go, and what it put into `root`. */
export const ending = (root, ...ends) => ({
  unmount() {
    ends.forEach((end) => end());
    root.replaceChildren();
  },
});
