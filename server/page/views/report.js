/** The parts of the minutes, as they are read. */

import { el } from "/static/el.js";
import { many } from "/static/text.js";
import { cite } from "./evidence.js";
import { ENDED, SIGNS, handle, person, said, sign, tag, why } from "./parts.js";

/** The sections that have something in them. */
export function sections(ctx, found) {
  const open = found.open ?? [];
  return [
    part("Decisions", found.decisions, (row) => decision(ctx, row)),
    part("Open proposals", open, (row) => proposal(ctx, row)),
    part("Who moved", found.moved, (row) => moved(ctx, row)),
    part("To do", found.actions, (row) => action(ctx, row), "Candidates, found by their wording", found.left_out?.actions),
    part("Still asked", found.questions, (row) => question(ctx, row), null, found.left_out?.questions),
    part("Settled otherwise", (found.settled ?? []).filter((row) => row.status !== "accepted"), (row) => proposal(ctx, row)),
    part("In short", (found.summaries ?? []).filter((row, _, all) => top(row, all)), (row) => el("p", {}, cite(ctx, [row.first, 0, 0], `#${row.first}–${row.last}`), said(row.text))),
  ].filter(Boolean);
}

const top = (row, all) => !all.some((one) => one.level > row.level && one.first <= row.first && row.last <= one.last);

function part(title, rows, row, hint = null, left = 0) {
  if (!rows?.length) return null;
  return el("section", {}, el("h3", {}, title, hint && el("span", { class: "soft" }, ` ${hint}`)), el("ul", { role: "list" }, ...rows.map((one) => el("li", {}, row(one)))), left > 0 && el("p", { class: "soft" }, `${many(left, "older one")} left out`));
}

const origin = (ctx, row) => (row?.cites ?? (row?.n ? [[row.n, 0, 0]] : [])).map((one) => cite(ctx, one));

function decision(ctx, row) {
  return [
    el("p", { class: "paper-line" }, handle(row.handle), tag(row.status, row.status), el("strong", {}, said(row.outcome || row.topic)), origin(ctx, row.ratified ?? row.evidence), why(ctx, row.handle)),
    sides(ctx, "support", "for", row.supporters),
    sides(ctx, "oppose", "against", row.dissenters),
    sides(ctx, "neutral", "abstained", row.abstainers),
  ];
}

function sides(ctx, stance, word, voices) {
  if (!voices?.length) return null;
  return el("p", { class: `paper-side ${stance}` }, sign(SIGNS[stance]), el("span", { class: "soft" }, `${word} `), ...voices.flatMap((one) => [
    person(one.participant), stance === "oppose" && one.quote && el("q", {}, said(one.quote, 200)), one.cites?.[0] && cite(ctx, one.cites[0])]));
}

function proposal(ctx, row) {
  const tally = Object.entries(row.tally ?? {}).filter(([, got]) => got).map(([stance, got]) => `${SIGNS[stance]}${got}`);
  return el("p", { class: "paper-line" }, handle(row.handle), row.status !== "active" && tag(row.status, ENDED[row.status] ?? row.status), said(row.text || row.topic, 240), el("span", { class: "soft" }, " by ", person(row.participant), tally.length > 0 && ` ${tally.join(" ")}`), origin(ctx, row.evidence), why(ctx, row.handle));
}

function moved(ctx, row) {
  return el("p", { class: "paper-line" }, person(row.participant), sign("⇄"), ` from ${row.from} to ${row.to} on `, said(row.topic || row.on, 100), row.after && el("span", { class: "soft" }, " after ", person(row.after), row.after_n && cite(ctx, [row.after_n, 0, 0])), cite(ctx, [row.n, 0, 0]));
}

function action(ctx, row) {
  return el("p", { class: "paper-line" }, row.who ? person(row.who) : el("span", { class: "soft" }, "nobody named"), said(row.text), row.decision && tag("resolves", "after ", row.decision), origin(ctx, row));
}

function question(ctx, row) {
  return el("p", { class: "paper-line" }, person(row.participant), said(row.text), origin(ctx, row));
}
