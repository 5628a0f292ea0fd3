/** Decisions: what was settled, how firmly, who was against it, and the words that show it. */

import { el, fill } from "/static/el.js";
import { count, many, visible } from "/static/text.js";
import { cite, cites } from "./citations.js";
import { counts } from "./brief_items.js";
import { growing, keyed } from "./keyed.js";
import { SIGNS, asRead, ending, following, found, handle, nothing, person, said, sign, tag, whole as handled, why } from "./parts.js";
import { reason, whole } from "./wording.js";

const PAGE = 16; // cards that are drawn at first
const SEALS = {
  ratified: ["✓", "Decided"],
  claimed: ["?", "Unconfirmed"],
  disputed: ["!", "Disputed"],
  superseded: ["⤳", "Replaced"],
  accepted: ["✓", "Accepted, as read"],
  rejected: ["✕", "Rejected, as read"],
  put_off: ["–", "Put off, as read"],
  withdrawn: ["–", "Withdrawn, as read"],
  modified: ["⤳", "Replaced, as read"],
};
export function mount(root, ctx) {
  const list = el("ol", { class: "cards decisions", role: "list" });
  const empty = el("div", {}, nothing("Nothing is decided yet", "A decision stands here with who carried it, who was against it, and the words that show it."));
  const votes = el("section", { class: "open-votes", "aria-label": "Votes" });
  const more = el("p", { class: "soft more" });
  root.append(el("div", {}, votes, empty, list, more));
  const cards = growing(list, PAGE);
  const end = following(ctx, ["board", "at"], () => {
    const board = ctx.store.get("board");
    const rows = board?.decisions ?? [];
    empty.hidden = !board || rows.length > 0;
    const running = (board?.votes ?? []).filter((vote) => vote.status === "open" || vote.status === "called");
    keyed(votes, running, (vote) => vote.ref, (vote) => ballot(ctx, vote));
    votes.hidden = running.length === 0;
    const seen = [board?.participants?.length, board?.votes?.length];
    cards.show(rows, (row) => row.ref, (row) => card(ctx, row, board), (row) => JSON.stringify([row, seen]));
    const left = board?.more?.decisions ?? 0;
    more.hidden = !left;
    more.textContent = `${many(left, "older decision")} not shown`;
  });
  return { ...ending(root, end, cards.end), open: (where) => found(root, where, [cards]) };
}

function card(ctx, row, board) {
  const [glyph, word] = SEALS[row.status] ?? ["·", row.status];
  const vote = (board.votes ?? []).find((one) => one.carried && settles(one, handled("P", row.resolves)));
  return el(
    "li",
    { class: `card decision decision-${row.status}`, data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    el("span", { class: "seal", "aria-hidden": "true" }, glyph),
    el(
      "div",
      { class: "decision-body" },
      el("header", {}, handle(row.ref), el("span", { class: "seal-word" }, word), settled(row), cites(ctx, row.cites), why(ctx, row.ref)),
      outcome(ctx, row),
      row.topic && !repeats(row.text, row.topic) ? el("p", { class: "soft topic" }, "on ", said(row.topic)) : null,
      el("p", { class: "brief-meta" }, counts(row.tally)),
      voices(row),
      row.read_sides.length > 0 && el("p", { class: "soft small" }, `as read by a model: ${row.read_sides.map(visible).join(", ")}`),
      vote ? tally(vote) : null,
      ...(row.dissent ?? []).map((one) => dissent(ctx, one)),
    ),
  );
}

/** Whether a vote settled a proposal: it was on it, or among its options. */
const settles = (vote, ref) => ref && (vote.proposal === ref || (!vote.proposal && vote.carried === ref));

const plain = (text) => text.replace(/\s+/gu, " ").replace(/[\s….]+$/u, "").toLowerCase();

/** Whether a topic is only how the outcome begins. */
const repeats = (outcome, topic) => plain(outcome).startsWith(plain(topic));

function settled(row) {
  const sure = row.confidence !== undefined && row.confidence < 1000 ? `, ${Math.round(row.confidence / 10)} % sure` : "";
  return el(
    "span",
    { class: "tags" },
    row.settles.length > 0 && tag("resolves", `settles ${row.settles.join(", ")}`),
    asRead(row),
    tag("how", `${row.basis}${sure}`),
    row.superseded_by ? tag("superseded", "now ", handled("D", row.superseded_by)) : null,
  );
}

function voices(row) {
  const sides = [["support", row.supporters, "carried by"], ["neutral", row.abstainers, "abstained"]];
  const shown = sides.filter(([, names]) => names?.length);
  if (shown.length === 0) {
    return row.participant ? el("p", { class: "soft" }, "said by ", person(row.participant)) : null;
  }
  return el("ul", { class: "stands", role: "list" }, ...shown.map(([stance, names, word]) =>
    el("li", { class: `stand ${stance}` }, sign(SIGNS[stance]),
      el("div", { class: "names" }, el("span", { class: "soft" }, word), ...people(names)))));
}

const people = (names) => names.map((name) => person(name.participant ?? name));

/** In full, as soon as the message is here that has what memory cut off. */
function outcome(ctx, row) {
  const words = el("p", { class: "words outcome" }, said(row.text));
  if (row.text.endsWith("…")) whole(ctx, { outcome: row.text, cites: row.cites }).then((text) => text && fill(words, said(text)), () => null);
  return words;
}

/** Dissent stands in the open, in the colour of a warning and with its own word; why, when it is here. */
function dissent(ctx, { participant, cites: [first] }) {
  const words = el("q", { hidden: true });
  if (first) reason(ctx, first).then((text) => text && (fill(words, said(text)), (words.hidden = false)), () => null);
  return el("p", { class: "dissent" }, sign(SIGNS.oppose), el("strong", {}, "Dissent"), person(participant), first && cite(ctx, first), words);
}

function tally(vote) {
  const counts = Object.entries(vote.tally ?? {});
  if (counts.length === 0) return null;
  const most = Math.max(...counts.map(([, got]) => got), 1);
  return el(
    "dl",
    { class: "counts", "aria-label": `Vote ${vote.ref}, ${vote.rule}` },
    ...counts.flatMap(([option, got]) => [
      el("dt", { class: option === vote.carried ? "carried" : "" }, said(option)),
      el("dd", {}, length(got / most), el("span", {}, count(got))),
    ]),
  );
}

function length(share) {
  const line = el("span", { class: "counts-bar" });
  line.style.setProperty("--share", share);
  return line;
}

function ballot(ctx, vote) {
  const cast = vote.voted ?? 0;
  const all = Object.keys(vote.electorate ?? {}).length;
  return el(
    "article",
    { class: "card poll", data: { ref: vote.ref, n: vote.n } },
    el("header", {}, handle(vote.ref), el("span", { class: "seal-word" }, vote.status === "called" ? "Vote called" : "Voting now"),
      el("span", { class: "tags" }, tag("how", vote.rule), vote.secret ? tag("how", "secret") : null), why(ctx, vote.ref)),
    el("p", { class: "words" }, said(vote.question)),
    el("p", { class: "soft" }, `${count(cast)} of ${many(all, "ballot")} cast`),
    vote.secret ? null : tally(vote),
    vote.waiting?.length ? el("p", { class: "soft names" }, "waits for", ...people(vote.waiting)) : null,
  );
}
