/** The Brief: in a column what was decided, what is open, who does what, and the candidates. */

import { button, el, fill } from "/static/el.js";
import { count, many } from "/static/text.js";
import { awaited } from "./awaited.js";
import { actions } from "./brief_actions.js";
import { decided, lost, open, question } from "./brief_items.js";
import { changes } from "./brief_changes.js";
import { cites } from "./citations.js";
import { corrections } from "./corrections.js";
import { growing, keyed } from "./keyed.js";
import { ending, following, found, linked, maySpeak, person, said, why } from "./parts.js";
import { pending } from "./pending.js";

const PAGE = 12; // items that are drawn at first where all are to be shown
const FEW = { decided: 3, disputed: 3, claimed: 3, open: 5 }; // the newest, which stand before anything is pressed

export function mount(root, ctx) {
  const sentence = el("p", { class: "brief-sentence", role: "status" });
  const key = el("p", { class: "brief-key soft small", hidden: true }, "D is a decision, P a proposal, V a vote; # leads to the words, ? tells why it is here.");
  const since = el("p", { class: "brief-since", hidden: true });
  const parts = [
    part("Decided", "decided", draw, { make: (row, board, then) => decided(ctx, row, board, then) }),
    part("Open", "open", draw, { make: (row, board, then) => (row.stances ? open(ctx, row, board, then, draw) : question(ctx, row, draw)) }),
    part("Came to nothing", "lost", draw, { make: (row) => lost(ctx, row) }),
    part("Disputed", "disputed", draw, { make: (row, board, then) => decided(ctx, row, board, then) }),
    part("Said to be decided, unconfirmed", "claimed", draw, { make: (row, board, then) => decided(ctx, row, board, then) }),
  ];
  const doing = actions(ctx);
  const drawer = candidates(ctx);
  const propose = el("p", { class: "row" }, button("Write a proposal", { onclick: () => ctx.go({ view: "write", act: "propose" }) }, "plus"));
  const begin = el("div", { class: "brief-begin" }, el("p", { class: "soft" }, "What is proposed in the talk stands here, with who is for and against it; what is decided moves to the top."), propose);
  root.append(el("article", { class: "brief", "aria-label": "Brief" }, sentence, key, since, ...parts.map((one) => one.section), begin, doing.section, drawer.section));
  const compare = changes(ctx);
  function draw() {
    const board = ctx.store.get("board");
    if (!board) return;
    const then = compare(board);
    fill(sentence, ...summary(ctx, board));
    const words = ctx.store.get("at") === null ? news(ctx, board) : then.words;
    fill(since, ...words);
    since.hidden = words.length === 0;
    const rows = listed(board);
    for (const one of parts) show(ctx, one, rows[one.name], board, then);
    key.hidden = parts.every((one) => one.section.hidden);
    begin.hidden = parts.some((one) => !one.section.hidden);
    propose.hidden = !maySpeak(ctx);
    drawer.show(board);
  }
  const ends = [following(ctx, ["awaiting", "board", "at", "me"], draw), doing.end, ...parts.map((one) => one.items.end)];
  return { ...ending(root, ...ends), open: (where) => seek(root, where, parts, drawer) };
}

/** The rows that the Brief names, by part; a vote on nothing that is listed is a question of its own. */
function listed(board) {
  const { brief } = board;
  const by = (rows) => new Map(rows.map((row) => [row.ref, row]));
  const [decisions, proposals, votes] = [board.decisions, board.proposals, board.votes].map(by);
  const named = (refs, rows) => refs.map((ref) => rows.get(ref)).filter(Boolean);
  const asked = named(brief.votes, votes).filter((vote) => !brief.open.includes(vote.proposal));
  return { decided: named(brief.decided, decisions), disputed: named(brief.disputed, decisions), claimed: named(brief.claimed, decisions), open: [...asked, ...named(brief.open, proposals)], lost: named(brief.missed, votes) };
}

function part(title, name, draw, { make }) {
  const list = el("ol", { class: "brief-items", role: "list" });
  const amount = el("span", { class: "count" });
  const more = el("p", { class: "soft small", hidden: true });
  const rest = button("", { class: "link brief-rest", hidden: true, onclick: () => unfold() });
  const section = el("section", { class: `brief-part brief-${name}`, "aria-label": title }, el("h2", {}, title, " ", amount), list, rest, more);
  const one = { name, section, amount, more, rest, make, all: false, items: growing(list, PAGE) };
  const unfold = () => {
    one.all = true;
    draw();
  };
  return { ...one, get all() { return one.all; }, unfold };
}

function show(ctx, { name, section, amount, more, rest, make, items, all }, rows, board, then) {
  const number = board.brief.counts[name] ?? rows.length;
  const left = number - rows.length;
  section.hidden = rows.length === 0;
  amount.textContent = count(number);
  const shown = all ? rows : rows.slice(0, FEW[name]);
  rest.hidden = shown.length === rows.length;
  rest.textContent = `Show ${count(number - shown.length)} more`;
  more.hidden = left <= 0 || !rest.hidden;
  more.textContent = `${many(left, "older one")} not listed`;
  const seen = [maySpeak(ctx), ctx.store.get("me")?.name, ctx.store.get("at") === null];
  const votes = (row) => board.votes.filter((vote) => vote.ref === row.ref || vote.proposal === row.ref || vote.proposal === row.resolves);
  const sign = (row) => JSON.stringify([row, seen, then.of(row.ref), held(ctx, row, votes(row)), votes(row), board.brief.replaced[row.ref]]);
  items.show(shown, (row) => row.ref, (row) => make(row, board, then), sign);
}

/** What was pressed on it and is not sent yet. */
const held = (ctx, row, votes) =>
  [row.ref, ...votes.map((vote) => vote.ref)].map((ref) => pending(`${ctx.session} ${ref}`)).map((one) => one && [one.choice, one.sending, one.refused]);

/** The sentence on top: the server's, and what waits for the reader. */
function summary(ctx, board) {
  const waits = awaited(ctx, board);
  const text = board.brief.sentence.replace(/\.$/u, "");
  if (waits.length) return [text, "; waiting for you: ", ...waits, "."];
  const some = Object.values(board.brief.counts).some(Boolean);
  return [text, some && maySpeak(ctx) ? "; nothing waits for you." : "."];
}

/** What came since the reader left, in a line that leads to its beginning. */
function news(ctx, board) {
  if (!ctx.left) return [];
  const newer = (rows) => rows.filter((row) => row.n > ctx.left).map((row) => row.ref);
  const [decided, proposed] = [newer(board.decisions.filter((row) => board.brief.decided.includes(row.ref))), newer(board.proposals)];
  const first = el("button", { type: "button", class: "link", onclick: () => ctx.go({ view: "talk", n: ctx.left + 1 }) }, many(board.n - ctx.left, "message"));
  return ["New since you left: ", first, decided.length > 0 && `; decided ${inShort(decided)}`, proposed.length > 0 && `; proposed ${inShort(proposed)}`, "."].filter(Boolean);
}

const inShort = (refs) => (refs.length > 4 ? `${refs.length}` : refs.join(", "));

/** The drawer of candidates: closed until somebody opens it. */
function candidates(ctx) {
  const list = el("ul", { class: "brief-items", role: "list" });
  const amount = el("span", { class: "count" });
  const box = el("details", { class: "brief-candidates" }, el("summary", {}, el("h2", {}, "Candidates"), " ", amount), el("p", { class: "soft small" }, "Found by rules that are often wrong, so counted nowhere and shown to no agent. Confirm what is one, dismiss what is none."), list);
  const section = el("section", { class: "brief-part", "aria-label": "Candidates" }, box);
  const items = growing(list, PAGE);
  return {
    section, box, end: items.end,
    show(board) {
      const rows = board.brief.candidates;
      section.hidden = rows.length === 0;
      amount.textContent = count(board.brief.counts.candidates);
      items.show(rows, (row) => row.ref, (row) => candidate(ctx, row), (row) => JSON.stringify([row, maySpeak(ctx), ctx.store.get("me")?.name]));
    },
  };
}

const candidate = (ctx, row) =>
  el(
    "li",
    { class: "brief-item maybe", data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    el("p", { class: "brief-text" }, said(row.text, 300)),
    el("p", { class: "brief-meta" }, `a ${row.kind}? `, person(row.participant, { plain: true }), el("span", {}, row.why), el("span", { class: "brief-ref" }, linked(row.ref), why(ctx, row.ref)), cites(ctx, row.cites)),
    corrections(ctx, row),
  );

function seek(root, { ref }, parts, drawer) {
  if (ref && drawer.section.querySelector(`[data-ref="${CSS.escape(ref)}"]`)) drawer.box.open = true;
  if (ref && !root.querySelector(`[data-ref="${CSS.escape(ref)}"]`)) parts.forEach((one) => one.unfold());
  found(root, { ref }, parts.map((one) => one.items));
}
