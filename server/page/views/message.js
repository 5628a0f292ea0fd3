/** One message as it stands in the talk, and as it stands alone in a dialog. */

import { button, dialog, el, icon } from "/static/el.js";
import { taggedActs } from "/static/markdown.js";
import { edit, mayEdit, takeBack } from "./edit.js";
import { chips } from "./facts.js";
import { maySpeak } from "./parts.js";
import { mayRedact, redact } from "./redact.js";
import { avatar, bdi, clip, clock, day, hueOf, moment, named, visible } from "/static/text.js";
import { words } from "/static/words.js";

const ACTS = {
  propose: "proposes", amend: "amends", withdraw: "withdraws", support: "supports", oppose: "opposes", abstain: "abstains",
  accept: "accepts", reject: "rejects", decide: "decides", ratify: "ratifies", dispute: "disputes", ask: "asks", inform: "informs",
};
const LOOKS = { support: "support", accept: "support", ratify: "support", oppose: "oppose", reject: "oppose", dispute: "oppose" };
const CLOSE_MS = 6 * 60 * 1000; // what one says within it stands together
const DAY = "2026-03-02".length;

/** Whether `record` goes on where `before` left off. */
export const goesOn = (record, before) =>
  before?.entry?.participant === record.entry.participant && !record.entry.re && when(record) - when(before) < CLOSE_MS && sameDay(record, before);

const sameDay = (one, other) => new Date(when(one)).toDateString() === new Date(when(other)).toDateString();

/** When it was said, as its publisher has it; else when it came. */
const when = ({ t, entry }) => Date.parse(said(entry)) || t;

/** The time that its publisher gave, also one without a zone, or a day. */
const said = (entry) => entry.at ?? entry.at_text ?? "";

/** Whether its day is that of the talk: what came with a file, without a time, was said before. */
const dated = ({ id, entry }) => Boolean(Date.parse(said(entry))) || !id?.startsWith("line:");

/** The time beside a name; nothing where only the day is known, or that it came with a file. */
function time(record) {
  const [t, told] = [when(record), said(record.entry)];
  const known = Boolean(Date.parse(told));
  if (!dated(record) || (known && told.trim().length <= DAY)) return null;
  return el("time", { datetime: new Date(t).toISOString(), title: known ? moment(t) : `received ${moment(t)}` }, clock(t));
}

/** The acts that a deed tells too, with the item's name: then the act need not be told beside it. */
const TOLD = {
  propose: ["proposal.made"], amend: ["proposal.amended"], support: ["reaction.changed", "position.flipped"],
  oppose: ["reaction.changed", "position.flipped"], abstain: ["reaction.changed", "position.flipped"],
  decide: ["decision.claimed", "decision.ratified"], ratify: ["decision.ratified"], dispute: ["decision.disputed"],
  withdraw: ["proposal.settled"], accept: ["proposal.settled"], reject: ["proposal.settled"],
};

/**
 * The element of a message: `before` is the message above it, not `apart`; `deeds` what it did; `newest` is the entry
 * of its words as they stand, `version` the one whose `spans` are marked.
 */
export function message(ctx, record, { before, apart = false, deeds, spans, earlier, newest = record, version = record.n }) {
  const { n } = record;
  const done = chips(ctx, deeds, record.entry.participant);
  const told = deeds.some((row) => TOLD[record.entry.act]?.includes(row.kind)) || taggedActs(record.entry.content ?? "").has(record.entry.act);
  const act = told ? null : record.entry.act;
  const re = deeds.some((row) => row.ref === record.entry.re) ? null : record.entry.re;
  const entry = { ...record.entry, act, re };
  const joined = !apart && goesOn(record, before);
  const newDay = !before || !sameDay(record, before);
  return el(
    "article",
    {
      class: `msg${joined ? " joined" : ""}${entry.form === "reasoning" ? " thought" : ""}`,
      tabindex: "-1",
      data: { n, hue: hueOf(entry.participant) },
      "aria-posinset": n,
      "aria-setsize": ctx.store.get("messages").total,
      "aria-label": `${visible(entry.participant)}, message ${n}`,
    },
    newDay && dated(record) && el("p", { class: "day" }, el("span", {}, day(when(record)))),
    el(
      "div",
      { class: "msg-row" },
      joined ? el("span", { class: "gutter", "aria-hidden": "true" }) : avatar(entry.participant),
      el(
        "div",
        { class: "msg-body" },
        !joined && head({ ...record, entry }),
        joined && entry.act && el("p", { class: "msg-head" }, actTag(entry.act)),
        entry.re != null && answered(ctx, entry.re, earlier),
        newest.n !== record.n && newest.entry.content ? wording(newest, version === newest.n ? spans : []) : null,
        newest.n === record.n ? wording(record, spans) : first(record, newest, version === record.n ? spans : []),
        done.length > 0 && el("ul", { class: "facts", role: "list" }, done),
      ),
      hands(ctx, record),
    ),
  );
}

const wording = (record, spans) => (gone(record) ? withheld(record.entry.content) : words(record.entry.content ?? "", spans));

/** That the words are not the first ones, and the first ones on demand; open where they are cited. */
function first(record, newest, spans) {
  const head = newest.entry.content ? "edited" : "taken back";
  return el("details", { class: "edited", open: spans.length > 0 }, el("summary", {}, head), el("p", { class: "soft small" }, "As it was said at first:"), wording(record, spans));
}

function head(record) {
  const { entry, n } = record;
  return el(
    "header",
    { class: "msg-head" },
    named(entry.participant),
    entry.act && actTag(entry.act),
    entry.to?.length > 0 && el("span", { class: "soft to" }, "to ", entry.to.flatMap((name, at) => [at ? ", " : "", bdi(name)])),
    time(record),
    el("a", { class: "number", href: `#${n}`, tabindex: "-1", title: "The address of this message" }, `#${n}`),
  );
}

/** Whether the words of a message were taken out. */
const gone = ({ n, entry }) => (entry.content ?? "").startsWith(`[redacted ${n}]`);

function withheld(content) {
  const box = words(content, [], { plain: true });
  box.classList.add("gone");
  return box;
}

const actTag = (act) => el("span", { class: `act ${LOOKS[act] ?? ""}` }, ACTS[act] ?? act);

/** What it answers: the words of a message, or a handle. */
function answered(ctx, re, earlier) {
  const number = typeof re === "number" ? re : null;
  const go = () => (number ? ctx.go({ view: "talk", n: number }) : ctx.go({ view: "why", ref: re }));
  const inside = earlier
    ? [named(earlier.entry.participant), " ", bdi(clip(earlier.entry.content ?? "", 90), { class: "soft" })]
    : [el("span", {}, number ? `message ${number}` : bdi(String(re)))];
  return el("button", { type: "button", class: "answered", onclick: go, disabled: !number && !/^[PDEIVM]\d/u.test(String(re)) }, icon("reply"), el("span", { class: "answered-words" }, inside));
}

function hands(ctx, record) {
  return el(
    "div",
    { class: "msg-hands" },
    button("Answer", { class: "button bare answer", tabindex: "-1", onclick: () => answer(ctx, record) }, "reply", false),
    button("Open", { class: "button bare", tabindex: "-1", onclick: () => open(ctx, record) }, "more", false),
  );
}

/** Have the composer answer a message. */
export function answer(ctx, record) {
  if (!maySpeak(ctx)) return ctx.notice("You are not taking part here, or not now.");
  return ctx.go({ view: "write", n: record.n, said: { who: record.entry.participant, text: record.entry.content } });
}

/** A message alone, with all that the log says of it. */
export function open(ctx, record) {
  const { entry } = record;
  const newest = ctx.store.get("messages").newest(record.n, ctx.store.get("board")) ?? record;
  const now = newest.entry.content ?? "";
  const rows = [
    ["Number", `#${record.n}`],
    ["Entry", String(record.seq)],
    ["Came", moment(record.t)],
    said(entry) && ["Said at", said(entry)],
    entry.act && ["Act", entry.act],
    entry.re != null && ["Answers", String(entry.re)],
    entry.topic && ["Topic", entry.topic],
    entry.to?.length && ["To", entry.to.join(", ")],
    ["Id", record.id],
    newest !== record && [now ? "Edited" : "Taken back", `#${newest.n}, ${moment(newest.t)}`],
  ].filter(Boolean);
  const box = dialog(
    `Message ${record.n}`,
    el("div", { class: "msg-alone", data: { hue: hueOf(entry.participant) } }, el("p", { class: "row" }, avatar(entry.participant), named(entry.participant)), newest === record ? words(now) : [now && words(now), first(record, newest, [])]),
    el("dl", { class: "fields" }, rows.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, bdi(value))])),
    el(
      "p",
      { class: "row end" },
      mayRedact(ctx) && !gone(record) && button("Take these words out…", { class: "button danger start", onclick: () => (box.close(), redact(ctx, record.n)) }),
      button("Copy the words", { onclick: () => copy(ctx, now) }, "copy"),
      now && mayEdit(ctx, record) && button("Delete…", { onclick: () => (box.close(), takeBack(ctx, record)) }),
      mayEdit(ctx, record) && button("Edit…", { onclick: () => (box.close(), edit(ctx, record, now)) }, "edit"),
      maySpeak(ctx) && button("Answer", { class: "button primary", onclick: () => (box.close(), answer(ctx, record)) }, "reply"),
    ),
  );
}

/** Put text on the clipboard, and say so. */
export async function copy(ctx, text) {
  try {
    await navigator.clipboard.writeText(text);
    ctx.notice("Copied.", "good");
  } catch {
    ctx.notice("The browser does not let this page copy; mark the words and copy them.", "bad");
  }
}
