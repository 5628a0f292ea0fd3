/** Why an item is here: the words it rests on, how it came about, and what became of it. */

import { el, fill } from "/static/el.js";
import { lines } from "/static/loading.js";
import { counts } from "./brief_items.js";
import { cite, passage } from "./citations.js";
import { ENDED, SIGNS, handle, nothing, person, said, sign, tag } from "./parts.js";
import { explanation } from "./source.js";
import { happened } from "./history.js";

/** Shows in `root` why `ref` is here, as of now. */
export function mount(root, ctx, { ref }) {
  const box = el("div", { class: "explained", "aria-busy": "true" }, lines("Looking it up…"));
  root.append(box);
  let ended = false;
  explanation(ctx, ref)
    .then((found) => ended || fill(box, ...told(ctx, ref, found)))
    .catch((error) => ended || fill(box, nothing(`${ref} cannot be explained`, error.message)))
    .finally(() => box.removeAttribute("aria-busy"));
  return {
    unmount() {
      ended = true;
      root.replaceChildren();
    },
  };
}

function told(ctx, ref, found) {
  return [
    title(ref, found),
    section("The words it rests on", quotes(ctx, found.words)),
    section("Who stood where", stood(ctx, found) && [found.tally?.support !== undefined && el("p", { class: "brief-meta" }, counts(found.tally)), stood(ctx, found)]),
    section("How it came about", happened(ctx, found.history)),
    section("What covers it now", covered(ctx, found.summaries)),
    section("In the full context of an agent", fates(found.context)),
  ];
}

const section = (heading, body) => body && el("section", {}, el("h3", {}, heading), body);

function title(ref, found) {
  const text = found.text || found.outcome || found.question || found.title || found.topic || "";
  const origin = found.ratified ?? found.evidence ?? found.origin ?? null;
  return el(
    "header",
    { class: "why-head" },
    el("p", { class: "words" }, handle(ref), text && said(text)),
    el(
      "p",
      { class: "tags" },
      found.status && tag(found.shelf === "firm" || !found.shelf ? found.status : found.shelf, status(found)),
      found.basis && tag("how", found.basis),
      origin?.confidence !== undefined && origin.confidence < 1000 && tag("how", `${Math.round(origin.confidence / 10)} % sure`),
      found.settles?.length > 0 && tag("resolves", `settles ${found.settles.join(", ")}`),
      found.related?.length > 0 && tag("amends", `${found.relation} ${found.related.join(", ")}`),
      found.held === false && tag("gone", "memory let go of it; the log has not"),
    ),
    found.statement && found.statement !== text && el("p", { class: "soft" }, "In a model's words: ", said(found.statement, 300)),
    found.ending && el("p", { class: "soft" }, `${found.status_text}: says `, person(found.ending.by, { plain: true }), ` in #${found.ending.n}`, found.ending.reporter && [", as told by ", person(found.ending.reporter, { plain: true })], found.ending.detail && [": ", said(found.ending.detail, 200)]),
    found.denied && el("p", { class: "dissent" }, el("strong", {}, "Denied: "), said(found.denied.says, 240)),
  );
}

const status = (found) => (found.shelf && found.shelf !== "firm" ? found.shelf : found.as_read ? found.status_text : found.status === "active" ? "open" : (ENDED[found.status] ?? String(found.status)));

function quotes(ctx, words) {
  if (!words?.length) return null;
  return el("ul", { class: "quotes", role: "list" }, ...words.map(({ n, by, text, quote }) => {
    const start = quote ? quote.indexOf(text) : -1;
    return el("li", {}, el("p", { class: "who-said" }, by && person(by), cite(ctx, [n, 0, 0])), start < 0 ? passage(text, 0, 0) : passage(quote, points(quote, start), points(quote, start + text.length)));
  }));
}

const points = (text, index) => [...text.slice(0, index)].length;

function stood(ctx, found) {
  const reactions = found.reactions ?? [
    ...(found.supporters ?? []).map((one) => ({ ...one, stance: "support" })),
    ...(found.dissenters ?? []).map((one) => ({ ...one, stance: "oppose" })),
    ...(found.abstainers ?? []).map((one) => ({ ...one, stance: "neutral" })),
  ];
  if (!reactions.length) return null;
  return el("ul", { class: "stood", role: "list" }, ...reactions.map((one) =>
    el(
      "li",
      { class: `stand ${one.stance}` },
      sign(SIGNS[one.stance] ?? "·"),
      el(
        "div",
        { class: "names" },
        el("span", { class: "unseen" }, one.stance),
        person(one.participant),
        one.quote && el("q", {}, said(one.quote, 160)),
        one.as_read ? tag("as-read", "as read by a model") : one.counted === false && tag("tentative", "not counted toward a quorum"),
        one.conditional && tag("how", one.condition ? `if ${one.condition}` : "on a condition"),
        one.n && cite(ctx, one.cites?.[0] ?? [one.n, 0, 0]),
      ),
    )));
}

function covered(ctx, summaries) {
  if (!summaries?.length) return null;
  return el("ul", { class: "covers", role: "list" }, ...summaries.map(({ level, first, last }) =>
    el("li", {}, el("button", { type: "button", class: "link", onclick: (event) => {
      event.target.closest("dialog")?.close();
      ctx.go({ view: "outline", n: first });
    } }, `the summary of #${first}–${last}`), el("span", { class: "soft" }, ` level ${level}`))));
}

function fates(context) {
  if (!context?.length) return null;
  return el("ul", { class: "fates", role: "list" }, ...context.map(({ block, fate, why }) =>
    el("li", {}, block && el("span", { class: "tag" }, block), el("span", {}, why ?? fate))));
}
