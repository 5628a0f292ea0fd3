/** The minutes as they are read: the page that the server wrote, line for line. */

import { el } from "/static/el.js";
import { bdi, named, utf16, visible } from "/static/text.js";
import { cite } from "./citations.js";
import { handle, nothing } from "./parts.js";

/** The children of the paper, of what the report calls `page`. */
export function written(ctx, { title, head, lead, sections }) {
  return [
    el("h2", {}, flat(title)),
    ...head.map((one) => el("p", { class: "soft" }, flat(one))),
    ...lead.split("\n").map((one) => el("p", { class: "paper-lead" }, flat(one))),
    ...sections.map((one) => section(ctx, one)),
    sections.length === 0 && nothing("Nothing to put down yet", "Decisions, open proposals and questions come here as the talk goes on."),
  ];
}

const section = (ctx, { heading, about, columns, lines }) =>
  el("section", {}, el("h3", {}, heading), about && el("p", { class: "soft about" }, about), columns.length ? table(ctx, columns, lines) : list(ctx, lines));

const table = (ctx, columns, lines) =>
  el("table", { class: "paper-table" }, el("thead", {}, el("tr", {}, ...columns.map((name) => el("th", { scope: "col" }, name)))), el("tbody", {}, ...lines.map(({ mark, text, note, cites, of }) =>
    el("tr", {}, el("td", {}, of ? leading(ctx, mark, of) : flat(mark)), el("td", {}, bdi(unbroken(text)), ...cites.flatMap((one) => [" ", cite(ctx, one)])), columns.length > 2 && el("td", {}, flat(note))))));

const list = (ctx, lines) => el("ul", { role: "list" }, ...lines.map((one) => el("li", { class: one.kind && `line-${one.kind}` }, ...line(ctx, one))));

/** What stands on a line has blanks between: it is read out, and copied, as it is seen. */
function line(ctx, { mark, note, kind, text, names, cites, under, of }) {
  const long = kind === "long";
  const parts = [
    mark.trim() && el("span", { class: "line-mark" }, leading(ctx, mark, of)),
    !long && text.trim() && el("span", { class: "line-words" }, ...pieces(text, names)),
    note.trim() && el("span", { class: "line-note" }, "(", flat(note), ")"),
    ...cites.map((one) => cite(ctx, one)),
  ].filter(Boolean);
  return [
    el("p", { class: "paper-line" }, ...parts.flatMap((part, at) => (at ? [" ", part] : [part]))),
    long && el("p", { class: "line-words", dir: "auto" }, visible(text, true)),
    under.length > 0 && list(ctx, under),
  ];
}

function leading(ctx, mark, of) {
  if (of === "participant") return named(unbroken(mark));
  if (of !== "item") return flat(mark);
  const asked = `Why is ${visible(mark)} here?`;
  return el("button", { type: "button", class: "why-handle", data: { ref: mark, focus: `why-${mark}` }, title: asked, "aria-label": asked, onclick: () => ctx.go({ view: "why", ref: mark }) }, handle(mark));
}

/** A line's words; whom they name stands in their colour. */
function pieces(text, names) {
  const words = unbroken(text);
  const found = [];
  let last = 0;
  for (const span of names) {
    const [start, end] = span.map((at) => utf16(words, at));
    found.push(bdi(words.slice(last, start)), named(words.slice(start, end)));
    last = end;
  }
  return [...found, bdi(words.slice(last))].filter((one) => one.textContent);
}

const unbroken = (text) => text.replaceAll("\n", " ");
const flat = (text) => bdi(unbroken(text).trim());
