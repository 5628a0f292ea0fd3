/** Proposals as a board: a column a status, who stands where, and a hand in it. */

import { button, el } from "/static/el.js";
import { many, visible } from "/static/text.js";
import { cite, cites } from "./citations.js";
import { hands } from "./hands.js";
import { growing } from "./keyed.js";
import { ENDED, SIGNS, asRead, ending, following, found, handle, maySpeak, nothing, person, said, sign, spokenTo, tag, whole, why } from "./parts.js";
import { pending } from "./pending.js";

const COLUMNS = [
  { name: "open", title: "Open", glyph: "○", holds: ["active"] },
  { name: "accepted", title: "Accepted", glyph: "✓", holds: ["accepted", "adopted"] },
  { name: "rejected", title: "Rejected", glyph: "✕", holds: ["rejected"] },
  { name: "aside", title: "Set aside", glyph: "–", holds: ["put_off", "withdrawn", "modified", "lapsed"] },
];
const RELATIONS = { amends: "rewords", alternative: "alternative to" };
const PAGE = 16; // cards of a column that are drawn at first
const FEW = 4; // names that stand in full
const BADGES = 10;

export function mount(root, ctx) {
  const columns = COLUMNS.map(column);
  const board = el("div", { class: "columns" }, ...columns.map((one) => one.section));
  const propose = el("p", { class: "row center" }, button("Write a proposal", { onclick: () => ctx.go({ view: "write", act: "propose" }) }, "plus"));
  const empty = el("div", {}, nothing("Nothing is proposed yet", "What somebody proposes in the talk stands here, with who is for and against it."), propose);
  const more = el("p", { class: "soft more" });
  const jump = el("div", { class: "jump", role: "group", "aria-label": "Go to a column" }, ...columns.map((one) => one.jump));
  root.append(el("div", { class: "board" }, empty, jump, board, more));
  const draw = () => {
    const held = ctx.store.get("board");
    const rows = held?.proposals ?? [];
    empty.hidden = !held || rows.length > 0;
    propose.hidden = !maySpeak(ctx);
    board.hidden = rows.length === 0;
    for (const one of columns) show(ctx, one, rows, held, draw);
    jump.hidden = columns.filter((one) => !one.jump.hidden).length < 2;
    const left = held?.more?.proposals ?? 0;
    more.hidden = !left;
    more.textContent = `${many(left, "older proposal")} not shown`;
  };
  const end = following(ctx, ["board", "at", "me"], draw);
  return { ...ending(root, end, ...columns.map((one) => one.cards.end)), open: (where) => found(root, where, columns.map((one) => one.cards)) };
}

function column({ name, title, glyph, holds }) {
  const count = el("span", { class: "count" });
  const list = el("ul", { class: "cards", role: "list" });
  const heading = el("h2", {}, sign(glyph), title, count);
  const section = el("section", { class: `column column-${name}`, "aria-label": title }, heading, list);
  const jump = el("button", { type: "button", onclick: () => section.scrollIntoView({ inline: "start", block: "nearest" }) }, sign(glyph), title, " ", el("b", {}));
  return { section, count, cards: growing(list, PAGE), holds, jump };
}

function show(ctx, { section, count, cards, holds, jump }, rows, board, draw) {
  const held = rows.filter((row) => holds.includes(row.status));
  count.textContent = jump.lastChild.textContent = held.length;
  jump.hidden = held.length === 0;
  section.classList.toggle("bare", held.length === 0);
  const seen = [maySpeak(ctx), ctx.store.get("me")?.name, board?.participants?.length];
  cards.show(held, (row) => row.ref, (row) => card(ctx, row, board, draw), (row) => JSON.stringify([row, seen, pressed(ctx, row), vote(board, row)?.ref]));
}

/** What was pressed on it and is not sent yet. */
function pressed(ctx, row) {
  const one = pending(`${ctx.session} ${row.ref}`);
  return one && [one.choice, one.sending, one.refused];
}

/** The vote that runs on it. */
const vote = (board, row) => board?.votes.find((one) => one.proposal === row.ref && (one.status === "open" || one.status === "called"));

function card(ctx, row, board, draw) {
  const node = el(
    "li",
    { class: `card proposal proposal-${row.status}`, data: { ref: row.ref, n: row.n }, tabindex: "-1" },
    el("header", {}, handle(row.ref), person(row.participant), marks(row), cites(ctx, row.cites), why(ctx, row.ref)),
    el("p", { class: "words" }, said(row.text || row.topic)),
    row.replaced_by && el("p", { class: "reasoned" }, "its decision ", handle(row.decision), " was replaced by ", handle(row.replaced_by)),
    comesBack(ctx, row, board),
    row.status !== "active" && row.because && el("p", { class: "reasoned" }, reason(ctx, row.because)),
    bar(row),
  );
  if (row.status === "active" && spokenTo(row) && maySpeak(ctx)) node.append(hands(ctx, row, vote(board, row), draw));
  return node;
}

function marks(row) {
  return el(
    "span",
    { class: "tags" },
    row.as_read ? asRead(row) : ENDED[row.status] ? tag(row.status, ENDED[row.status]) : null,
    row.related.length > 0 && tag("amends", RELATIONS[row.relation] ?? row.relation, " ", row.related.join(", ")),
  );
}

/** An idea that comes back says so where it stands, with why it went the first time. */
function comesBack(ctx, row, board) {
  if (!row.echoes) return null;
  const first = whole("P", row.echoes);
  const echo = board.circling?.find((one) => one.ref === row.ref);
  const because = echo?.reoffered && board.proposals.find((one) => one.ref === first)?.because;
  return el(
    "p",
    { class: "comes-back" },
    sign("↻"),
    echo?.reoffered ? "Offered again: " : "Repeats ",
    handle(first),
    echo?.reoffered && ` was ${ENDED[echo.status] ?? echo.status}`,
    echo?.repeats_n && cite(ctx, [echo.repeats_n, 0, 0]),
    because && reason(ctx, because),
  );
}

const reason = (ctx, because) =>
  el("span", { class: "reason" }, person(because.participant), el("q", {}, said(because.text, 120)), cite(ctx, [because.n, 0, 0]));

function bar(row) {
  const sides = ["support", "oppose", "neutral"].map((stance) => [stance, row.stances?.[stance] ?? []]);
  const all = sides.reduce((sum, [, names]) => sum + names.length, 0);
  if (all === 0) return el("p", { class: "soft unmoved" }, "nobody has reacted");
  const words = sides.filter(([, names]) => names.length).map(([stance, names]) => `${names.length} ${stance}`);
  return el(
    "div",
    { class: "reactions" },
    el("div", { class: "reaction-bar", role: "img", "aria-label": words.join(", ") }, ...sides.filter(([, names]) => names.length).map(segment)),
    el("ul", { class: "stands", role: "list" }, ...sides.filter(([, names]) => names.length).map(([stance, names]) => side(stance, names))),
    row.read_sides.length > 0 && el("p", { class: "soft small" }, `as read by a model: ${row.read_sides.map(visible).join(", ")}`),
    row.before_edit?.length > 0 && el("p", { class: "soft small" }, `before the edit: ${row.before_edit.map(visible).join(", ")}`),
  );
}

function segment([stance, names]) {
  const part = el("span", { class: `segment ${stance}` }, `${SIGNS[stance]}${names.length}`);
  part.style.flexGrow = names.length;
  return part;
}

const side = (stance, names) =>
  el(
    "li",
    { class: `stand ${stance}` },
    sign(SIGNS[stance]),
    el("span", { class: "unseen" }, `${stance}: `),
    voices(names),
  );

/** Who they are: many as badges that unfold to their names. */
function voices(names) {
  if (names.length <= FEW) return el("div", { class: "names" }, ...names.map((name) => person(name)));
  return el(
    "details",
    { class: "names" },
    el("summary", {}, el("span", { class: "names" }, ...names.slice(0, BADGES).map((name) => person(name, { short: true })), names.length > BADGES && el("span", { class: "soft" }, `+${names.length - BADGES}`))),
    el("div", { class: "names" }, ...names.map((name) => person(name))),
  );
}
