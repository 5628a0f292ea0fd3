/** What happened between two messages, in words: a vote called, ballots cast, work begun, a close. */

import { el } from "/static/el.js";
import { clock, moment, named } from "/static/text.js";
import { whyClosed } from "./closed.js";
import { alike, quiet, told as came } from "./comings.js";
import { span } from "./deadline.js";
import { said } from "./parts.js";
import { missed } from "./tending.js";

const NAMES = 6; // beside the first, of those who cast ballots one after the other
const SERVER = "parley"; // in whose name the server counts
const LINE = 160;
const FOLDED = { "ballot.cast": "re", "note.written": "participant" }; // by what those in a row are one

const quoted = (text) => text && el("q", {}, said(text, LINE));
const handle = (ref) => ref && el("b", { class: "handle" }, ref);
const why = (ref, ctx) => ref && el("button", { type: "button", class: "link-like", data: { ref }, title: `Why is ${ref} here?`, onclick: () => ctx.go({ view: "why", ref }) }, handle(ref));
const outcome = ({ carried, consensus }, row) => (carried ? ["came to ", said(carried, 60)] : consensus ? "came to an agreement" : (missed(row) ?? "came to nothing"));

/** By kind: a sign, the kinds of facts that the words tell already, and the words. */
const KINDS = {
  "vote.initiated": ["▤", ["vote.called", "vote.opened"], ({ entry, who, vote, row }) => [who, " called a vote", vote && [" ", vote], ": ", quoted(entry.content), missed(row) && el("span", { class: "happened-then" }, "It ", missed(row))]],
  "vote.confirmed": ["▤", ["vote.confirmed", "vote.opened"], ({ entry, who, vote }) => [who, entry.agreed === false ? " did not agree to the vote" : " agreed to the vote", vote && [" ", vote]]],
  "ballot.cast": ["▤", ["ballot.cast"], ({ who, others, vote }) => [who, ...others, others.length ? " cast ballots" : " cast a ballot", vote && [" in ", vote]]],
  "ballot.completed": ["▤", ["vote.closed"], ({ entry, who, vote, own, row }) => [own ? [who, " held a ballot: "] : "The ballot closed: ", vote ?? "it", " ", outcome(entry, row)]],
  "message.edited": ["✎", ["message.edited", "proposal.edited"], ({ entry, who, ctx }) => [who, entry.content ? " edited " : " took back ", el("button", { type: "button", class: "link-like", onclick: () => ctx.go({ view: "talk", n: entry.of }) }, handle(`#${entry.of}`))]],
  "results.final": ["▣", [], ({ entry, who }) => [who, " announced results: ", quoted(entry.content)]],
  "tool.called": ["⚙", [], ({ entry, who }) => [who, " used ", said(entry.tool, 60)]],
  "tool.returned": ["⚙", ["tool.cached", "tool.hit"], ({ entry, who }) => [said(entry.tool, 60), entry.ok === false ? " failed for " : " answered ", who]],
  "context.injected": ["▤", ["context.injected"], ({ entry, who }) => [who, " put ", said(entry.key, 60), " before everybody"]],
  "episode.opened": ["▸", ["episode.opened"], ({ entry, who, ref }) => [who, ` began the ${entry.episode} `, ref, ref && " ", quoted(entry.title)]],
  "episode.closed": ["▪", ["episode.closed"], ({ entry, who, ref, title, kind }) => [who, ` ended the ${kind ?? "work"} `, ref, title && [" ", quoted(title)], `: ${entry.status ?? "completed"}`, entry.result && [", ", said(entry.result, LINE)]]],
  step: ["·", [], ({ entry, who }) => [who, ` noted a step (${String(entry.form ?? "").replaceAll("_", " ")}): `, said(entry.content, LINE)]],
  "note.written": ["✎", [], ({ who }) => [who, " wrote in their notebook"]],
  "item.corrected": ["✎", ["item.corrected"], ({ entry, who, ctx }) => [who, " corrected ", why(entry.ref, ctx), entry.op && `: ${entry.op}`, entry.value && [" ", said(String(entry.value), 80)]]],
};

/** Whether `one` goes on with what `other` began: a ballot in the same vote, the same notebook. */
export const together = (one, other) =>
  one?.entry.kind === other?.entry.kind && Boolean(FOLDED[one?.entry.kind]) && one.entry[FOLDED[one.entry.kind]] === other.entry[FOLDED[one.entry.kind]];

/** The row of an entry that is no message; `run` are those that it stands for, itself first. */
export function happened(ctx, record, rows, run = [record]) {
  const { entry } = record;
  const [glyph, tells, words] = KINDS[entry.kind] ?? ["·", [], ({ who }) => [who, ` left an entry (${entry.kind})`]];
  const name = entry.participant ?? entry.by ?? null;
  const work = episode(ctx, record, rows);
  const on = voted(ctx, record, rows);
  const told = words({
    ctx, entry, name, who: doer(name), own: name && name !== SERVER,
    others: names(run.slice(1).map((one) => one.entry.participant)),
    vote: why(on, ctx), row: (ctx.store.get("board")?.votes ?? []).find((one) => one.ref === on),
    ref: why(work.ref, ctx), title: work.title, kind: work.kind,
  });
  const left = rows.filter((row) => !tells.includes(row.kind));
  return { left, line: line(glyph, told, numbers(run), record.t) };
}

const doer = (name) => (name === SERVER ? "The server" : name ? named(name) : "Somebody");

function names(found) {
  const most = found.length <= NAMES ? NAMES : NAMES - 1; // "and 1 more" is as long as a name
  const shown = found.slice(0, most).flatMap((name) => [", ", named(name)]);
  if (found.length > most) return [...shown, ` and ${found.length - most} more`];
  if (shown.length) shown[shown.length - 2] = " and ";
  return shown;
}

function numbers(run) {
  const [first, last] = [run[0].n, run.at(-1).n];
  return first === last ? `#${first}` : `#${first}–${last}`;
}

/** The goal or task that an entry is about, as its fact tells of it, else as the board does. */
function episode(ctx, { n, entry }, rows) {
  const fact = rows.find((row) => /^E\d/u.test(row.ref ?? ""));
  const ref = fact?.ref ?? (/^E\d/u.test(entry.re ?? "") ? entry.re : null);
  const held = (ctx.store.get("board")?.goals ?? []).find((one) => (ref ? one.ref === ref : one.n === n));
  return { ref: ref ?? held?.ref, title: fact?.title ?? held?.title, kind: fact?.episode ?? held?.kind };
}

/** The vote that an entry is about: as its fact names it, else by the number that it was called under. */
function voted(ctx, { n, entry }, rows) {
  const ref = rows.find((row) => /^V\d/u.test(row.ref ?? ""))?.ref;
  if (ref) return ref;
  if (typeof entry.re === "string" && /^V\d/u.test(entry.re)) return entry.re;
  const called = entry.kind === "vote.initiated" ? n : (entry.vote ?? entry.re);
  return (ctx.store.get("board")?.votes ?? []).find((one) => one.n === called)?.ref ?? null;
}

/** What happened beside the numbers: who came and went, the floor asked, the session closed. */
export function beside(ctx, rows) {
  const runs = [];
  for (const row of rows) {
    if (runs.length && quiet(row) && alike(row, runs.at(-1)[0])) runs.at(-1).push(row);
    else runs.push([row]);
  }
  return runs.map((run) => besides(ctx, run)).filter(Boolean);
}

function besides(ctx, run) {
  const [row] = run;
  if (quiet(row)) {
    const found = came(run);
    return found && line(found[0], found[1], "", run.at(-1).t, "quiet");
  }
  if (row.kind === "session.closed") {
    const reason = row.reason || ctx.store.get("board")?.closed;
    return line("■", ["The session closed", reason && [": ", said(whyClosed(reason), LINE)]], "", row.t, "closing");
  }
  if (row.kind === "vote.extended") {
    return line("▤", [doer(row.participant), " gave ", why(row.ref, ctx), ` ${span(Number(row.seconds ?? row.text))} more`], "", row.t, "");
  }
  const asked = row.participant ? [" asked ", named(row.participant)] : " spoke up";
  return line("↻", ["The floor", asked, row.text && [": ", quoted(row.text)]], "", row.t, "nudging");
}

const line = (glyph, words, number, t, look = "") =>
  el(
    "div",
    { class: `happened ${look}` },
    el("span", { class: "happened-sign", "aria-hidden": "true" }, glyph),
    el("p", {}, words),
    el("span", { class: "happened-when" }, number && el("span", { class: "number" }, number), " ", t && el("time", { datetime: new Date(t).toISOString(), title: moment(t) }, clock(t))),
  );
