/** The items of the Brief: a decision in force, an open proposal, a vote on a question. */

import { el, fill } from "/static/el.js";
import { named } from "/static/text.js";
import { cite, cites } from "./citations.js";
import { corrections } from "./corrections.js";
import { countdown } from "./deadline.js";
import { ballots, hands } from "./hands.js";
import { SIGNS, asRead, handle, linked, person, said, sign, spokenTo, tag, why } from "./parts.js";
import { message } from "./source.js";
import { missed, tallied, tending } from "./tending.js";
import { reason, whole } from "./wording.js";

const SIDES = [["support", "for"], ["oppose", "against"], ["neutral", "abstaining"]];
const NAMES = 6; // of a side, before the rest is counted
const dates = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", year: "numeric" });
const RUNNING = new Set(["open", "called"]);

/** What is in force, or was until somebody objected; what it replaced is folded beneath it. */
export function decided(ctx, row, board, then) {
  return el(
    "li",
    { class: `brief-item decision decision-${row.status}`, data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    wording(ctx, row),
    el("p", { class: "brief-meta" }, counts(row.tally), read(row), asRead(row) || el("span", {}, row.basis), date(ctx, row), el("span", { class: "brief-ref" }, linked(row.ref), why(ctx, row.ref)), cites(ctx, row.cites)),
    then.of(row.ref) && el("p", { class: "brief-differs" }, then.of(row.ref)),
    dissent(ctx, row),
    replaced(ctx, row, board),
    row.status === "ratified" || row.status === "disputed" ? null : corrections(ctx, row),
  );
}

/** How many of the sides a model read. */
const read = (row) => row.read_sides?.length > 0 && el("span", { class: "soft" }, `${row.read_sides.length} as read by a model`);

function wording(ctx, row) {
  const words = el("p", { class: "brief-text outcome" }, said(row.text));
  if (row.text.endsWith("…")) whole(ctx, { outcome: row.text, cites: row.cites }).then((text) => text && fill(words, said(text)), () => null);
  return words;
}

/** "5 for, 1 against": with a sign and a word each, so that no colour is needed. */
export function counts(tally) {
  const shown = SIDES.filter(([side]) => tally?.[side]);
  return el("span", { class: "tally" }, ...shown.map(([side, word]) => el("span", { class: side }, `${tally[side]} ${word}`)));
}

function date(ctx, row) {
  const place = el("time", {});
  const put = (ms) => {
    if (!Number.isFinite(ms) || ms <= 0) return;
    place.dateTime = new Date(ms).toISOString();
    place.textContent = dates.format(ms);
  };
  if (row.at) put(Date.parse(row.at));
  else message(ctx, row.n).then((record) => put(saidAt(record)), () => null);
  return place;
}

/** When it was said: as its sender told, else when it was received; NaN of what came with a file that does not say. */
const saidAt = ({ id, t, entry }) => (entry?.at_text ? Date.parse(entry.at_text) : id?.startsWith("line:") ? NaN : t);

/** The strongest in the open, in its own words; the others are counted and unfold. */
function dissent(ctx, row) {
  const [first, ...rest] = row.dissent ?? [];
  if (!first) return null;
  return [
    objection(ctx, first),
    rest.length > 0 && el("details", { class: "brief-more" }, el("summary", {}, `${rest.length} more against`), ...rest.map((one) => objection(ctx, one))),
  ];
}

function objection(ctx, { participant, text, cites: [first] }) {
  const words = el("q", { hidden: !text }, text && said(text));
  if (first) reason(ctx, first).then((more) => more && (fill(words, said(more)), (words.hidden = false)), () => null);
  return el("p", { class: "dissent" }, sign(SIGNS.oppose), el("span", { class: "unseen" }, "Against: "), person(participant, { plain: true }), words, first && cite(ctx, first));
}

function replaced(ctx, row, board) {
  const rows = board.brief.replaced[row.ref] ?? [];
  if (!rows.length) return null;
  return el(
    "details",
    { class: "brief-more replaced" },
    el("summary", {}, rows.length === 1 ? "It replaces an earlier decision" : `It replaces ${rows.length} earlier decisions`),
    ...rows.map((one) => el("p", { data: { ref: one.ref } }, el("s", {}, said(one.text)), " ", handle(one.ref), cite(ctx, [one.n, 0, 0]), why(ctx, one.ref))),
  );
}

/** What is proposed, who stands where, and a hand in it. */
export function open(ctx, row, board, then, redraw) {
  const vote = board.votes.find((one) => one.proposal === row.ref && RUNNING.has(one.status)) ?? null;
  return el(
    "li",
    { class: "brief-item proposal", data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    el("p", { class: "brief-text" }, said(row.text || row.topic)),
    el("p", { class: "brief-meta" }, "by ", person(row.participant, { plain: true }), el("span", { class: "brief-ref" }, linked(row.ref), why(ctx, row.ref)), asRead(row), row.related.length > 0 && el("span", {}, `${row.relation === "amends" ? "rewords" : row.relation} `, ...row.related.map(handle)), row.echoes && tag("circling", "said before: ", handle(row.echoes)), cites(ctx, row.cites)),
    then.of(row.ref) && el("p", { class: "brief-differs" }, then.of(row.ref)),
    stands(row),
    nothingCame(board, row),
    vote ? running(ctx, vote, redraw) : null,
    spokenTo(row) ? hands(ctx, row, vote, redraw) : corrections(ctx, row),
  );
}

function stands(row) {
  const sides = SIDES.map(([side, word]) => [side, word, row.stances?.[side] ?? []]).filter(([, , names]) => names.length);
  if (!sides.length) return el("p", { class: "soft brief-stands" }, "nobody has reacted");
  return el("ul", { class: "brief-stands", role: "list" }, ...sides.map(([side, word, names]) =>
    el("li", { class: `stand ${side}` }, sign(SIGNS[side]), el("span", { class: "names" }, el("b", {}, `${row.tally[side]} ${word}`), " ", some(names, row)))));
}

function some(names, { before_edit: before = [], read_sides: read = [] } = {}) {
  const notes = (name) => [read.includes(name) && "as read", before.includes(name) && "before the edit"].filter(Boolean).join(", ");
  const shown = names.slice(0, NAMES).flatMap((name, at) => [at ? ", " : "", named(name), notes(name) && ` (${notes(name)})`]);
  return [...shown, names.length > NAMES && ` and ${names.length - NAMES} more`];
}

/** A vote on it that came to nothing says so where it was called. */
function nothingCame(board, row) {
  const last = board.votes.find((one) => one.proposal === row.ref);
  const words = missed(last);
  return words && el("p", { class: "brief-missed" }, sign("▤"), `The vote ${last.ref} `, words);
}

/** A question that is voted on without a proposal. */
export const question = (ctx, vote, redraw) =>
  el("li", { class: "brief-item poll", data: { ref: vote.ref, n: vote.n }, tabindex: "-1" }, el("p", { class: "brief-text" }, said(vote.question)), running(ctx, vote, redraw));

/** A question that was voted on, to no result: it is open still, until somebody asks it again. */
export const lost = (ctx, vote) =>
  el("li", { class: "brief-item poll", data: { ref: vote.ref, n: vote.n }, tabindex: "-1" }, el("p", { class: "brief-text" }, said(vote.question)), el("p", { class: "brief-missed" }, sign("▤"), `The vote ${vote.ref} `, missed(vote)), el("p", { class: "brief-meta" }, linked(vote.ref), cite(ctx, [vote.n, 0, 0])));

function running(ctx, vote, redraw) {
  const all = Object.keys(vote.electorate ?? {}).length;
  const called = vote.status === "called";
  return el(
    "div",
    { class: "brief-vote", data: { vote: vote.ref } },
    el(
      "p",
      { class: "brief-meta" },
      linked(vote.ref),
      el("span", {}, called ? "waits to be agreed to" : `${vote.voted ?? 0} of ${all} voted`, tallied(vote)),
      countdown(vote),
      vote.waiting.length > 0 && el("span", {}, "awaited: ", some(vote.waiting)),
    ),
    ballots(ctx, vote, redraw),
    tending(ctx, vote),
  );
}
