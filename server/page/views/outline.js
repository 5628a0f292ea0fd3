/** The talk as an outline: summaries that unfold to what they cover, down to the messages. */

import { el } from "/static/el.js";
import { lines } from "/static/loading.js";
import { count, visible } from "/static/text.js";
import { happened } from "./happened.js";
import { keyed } from "./keyed.js";
import { ending, following, nothing, person, said, tag } from "./parts.js";
import { range } from "./source.js";
import { inside, tree } from "./tree.js";

const PAGE = 50;
const LINE = 160; // characters of a message in the outline
const HOW = { extract: "picked from the talk", model: "written by a model" };

export function mount(root, ctx) {
  const list = el("ul", { class: "outline", role: "list" });
  const empty = nothing("Nothing to outline yet", "Once enough was said, stretches of the talk are summed up here; each unfolds to its messages.");
  root.append(empty, list);
  const end = following(ctx, ["board", "at"], () => {
    const board = ctx.store.get("board");
    const nodes = board ? tree(board.summaries, board.n) : [];
    empty.hidden = !board || board.n > 0;
    list.style.setProperty("--span", `${2 * String(board?.n ?? 0).length + 3}ch`);
    keyed(list, nodes, key, (node) => branch(ctx, node), sign);
  });
  return { ...ending(root, end), open: ({ n }) => n && unfold(list, n) };
}

/** Opens what covers message `n`, down to the lowest summary. */
function unfold(list, n) {
  const covers = ({ dataset }) => Number(dataset.first) <= n && n <= Number(dataset.last);
  const fold = [...list.querySelectorAll(":scope > li > details")].find(covers);
  if (!fold) return;
  const below = fold.open ? Promise.resolve() : new Promise((done) => fold.addEventListener("toggle", done, { once: true }));
  fold.open = true;
  fold.querySelector("summary").focus();
  below.then(() => unfold(fold.lastChild, n));
}

const key = ({ summary, first }) => (summary ? `s${summary.level}-${summary.first}` : `m${first}`);
const sign = ({ summary, children, first, last }) => JSON.stringify([summary, children?.map(sign), first, last]);

function branch(ctx, node) {
  return node.summary ? summed(ctx, node) : stretch(ctx, node);
}

function summed(ctx, node) {
  const { level, first, last, how, text } = node.summary;
  const below = inside(node);
  const list = el("ul", { role: "list" });
  const head = el(
    "summary",
    { data: { focus: key(node) } },
    el("span", { class: "span" }, `#${first}–${last}`),
    el("span", { class: "outline-text", dir: "auto" }, visible(text, true)),
    how && tag("how", HOW[how] ?? how),
  );
  const fold = el("details", { class: "branch", data: { level, first, last } }, head, list);
  once(fold, () => {
    const found = below.length ? below : [{ first, last }];
    list.append(...found.map((one) => (one.summary ? summed(ctx, one) : below.length ? stretch(ctx, one) : messages(ctx, one))));
  });
  return el("li", {}, fold);
}

/** Messages that no summary covers yet. */
function stretch(ctx, node) {
  const many = node.last - node.first + 1;
  const list = el("ul", { role: "list" });
  const head = el(
    "summary",
    { data: { focus: key(node) } },
    el("span", { class: "span" }, many === 1 ? `#${node.first}` : `#${node.first}–${node.last}`),
    el("span", { class: "outline-text soft" }, many === 1 ? "one entry, not summed up yet" : `${count(many)} entries, not summed up yet`),
  );
  const fold = el("details", { class: "branch bare", data: { first: node.first, last: node.last } }, head, list);
  once(fold, () => list.append(messages(ctx, node)));
  return el("li", {}, fold);
}

function once(fold, make) {
  fold.addEventListener("toggle", () => fold.open && make(), { once: true });
}

/** The messages of a range as lines, a page at a time. */
function messages(ctx, { first, last }) {
  const list = el("ol", { class: "outline-messages", role: "list" });
  const holder = el("li", { class: "outline-leaf" }, list);
  async function page(from) {
    const to = Math.min(last, from + PAGE - 1);
    const waiting = lines("Loading the messages…");
    holder.append(waiting);
    try {
      list.append(...(await range(ctx, from, to)).map((one) => line(ctx, one)));
      if (to < last) holder.append(further(to, (button) => (button.remove(), page(to + 1))));
    } catch (error) {
      holder.append(el("p", { class: "refused" }, `These messages cannot be shown: ${error.message}`));
    } finally {
      waiting.remove();
    }
  }
  const further = (to, press) => {
    const button = el("button", { type: "button", class: "link", onclick: () => press(button) }, `${count(last - to)} more`);
    return button;
  };
  page(first);
  return holder;
}

const line = (ctx, record) => {
  const { n, entry } = record;
  if (entry.kind !== "message") return el("li", {}, happened(ctx, record, []).line);
  return el(
    "li",
    {},
    el(
      "button",
      { type: "button", class: "leaf", data: { n }, onclick: () => ctx.go({ view: "talk", n }) },
      el("span", { class: "span" }, `#${n}`),
      person(entry.participant),
      el("span", { class: "leaf-text" }, said(entry.content, LINE)),
    ),
  );
};
