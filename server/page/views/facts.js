/** What an entry did, as chips beneath it: proposed, supported, decided, turned around. */

import { el } from "/static/el.js";
import { BESIDE } from "/static/messages.js";
import { bdi, visible } from "/static/text.js";
import { ENDED } from "./parts.js";

const MOST = 12; // chips of one entry
const SIGNS = { support: "+", oppose: "−", neutral: "~" };
const STANCES = { support: "supports", oppose: "opposes", neutral: "is neutral on" };

/** By kind: sign, look, words. The words are given the fact's ref and data. */
const KINDS = {
  "proposal.made": ["○", "made", ({ ref }) => `${ref} proposed`],
  "proposal.edited": ["✎", "made", ({ ref }) => `${ref} in other words`],
  "proposal.amended": ["✎", "made", ({ ref, earlier }) => `${ref} rewords ${earlier ?? "an earlier one"}`],
  "proposal.echoed": ["↻", "circling", ({ ref, earlier, earlier_n }) => `${ref} repeats ${earlier ? `${earlier} of #${earlier_n}` : "an earlier idea"}`],
  "proposal.reoffered": ["↻", "circling", ({ ref, earlier, earlier_status }) => `${ref} offers again ${earlier ? `${earlier}, ${earlier_status}` : "what had gone"}`],
  "proposal.recalled": ["↻", "circling", ({ ref }) => `${ref} said again`],
  "proposal.settled": ["●", "settled", ({ ref, status }) => `${ref} ${ENDED[status] ?? status ?? "settled"}`],
  "reaction.changed": [null, null, ({ ref, stance }) => `${STANCES[stance] ?? "reacts to"} ${ref}`],
  "decision.claimed": ["?", "claimed", ({ ref }) => `${ref} said to be decided`],
  "decision.ratified": ["✓", "ratified", ({ ref }) => `${ref} decided`],
  "decision.disputed": ["!", "disputed", ({ ref }) => `${ref} disputed`],
  "decision.superseded": ["⤳", "settled", ({ ref, by }) => `${ref} replaced${by ? ` by ${by}` : ""}`],
  "position.flipped": ["⇄", "flip", ({ ref, was, stance }) => `changes sides on ${ref ?? "it"}${was ? `: ${was} → ${stance}` : ""}`],
  "vote.called": ["▤", "vote", ({ ref }) => `${ref} called`],
  "vote.opened": ["▤", "vote", ({ ref }) => `${ref} open`],
  "vote.closed": ["▤", "vote", ({ ref, carried, status }) => `${ref} ${carried ? `came to ${carried}` : status ?? "counted"}`],
  "vote.cancelled": ["▤", "settled", ({ ref }) => `${ref} cancelled`],
  "ballot.cast": ["▤", "vote", ({ ref }) => `ballot in ${ref}`],
  "ballot.invalid": ["▤", "settled", ({ ref }) => `not a valid ballot in ${ref}`],
  "vote.refused": ["▤", "settled", ({ reason }) => `vote refused${reason ? `: ${reason}` : ""}`],
  "episode.opened": ["▸", "made", ({ ref, title }) => `${ref} ${title ?? "begins"}`],
  "episode.closed": ["▪", "settled", ({ ref, status }) => `${ref} ${status ?? "ends"}`],
  "item.corrected": ["✎", "settled", ({ ref, op }) => `${ref} corrected${op ? `: ${op}` : ""}`],
};
const SIDES = { support: "support", oppose: "oppose", neutral: "neutral" };
const LOOKS = { accepted: "support", adopted: "support", rejected: "oppose" };

/** What goes without saying beside another fact of the same entry about the same item. */
const IMPLIED = {
  "reaction.changed": ["position.flipped"], "decision.claimed": ["decision.ratified"],
  "vote.opened": ["vote.called"], "proposal.echoed": ["proposal.reoffered"],
};

/** Facts of one entry, from what came live, else from the timeline: each thing told once. */
export function deeds(facts, past) {
  const rows = [...(facts ?? []).map(plain), ...(past ?? [])].filter((row) => KINDS[row.kind] && !BESIDE.has(row.kind));
  const seen = new Set();
  const fresh = rows.filter((row) => {
    const key = `${row.kind} ${row.ref ?? ""} ${row.kind === "reaction.changed" ? row.participant : ""}`;
    return !seen.has(key) && seen.add(key);
  });
  const told = (kind, ref) => fresh.some((row) => row.kind === kind && row.ref === ref);
  return fresh.filter((row) => !IMPLIED[row.kind]?.some((kind) => told(kind, row.ref)));
}

const plain = (fact) => ({ kind: fact.kind, ...fact.data, ref: fact.ref ?? fact.data?.ref ?? null });

/** Those rows as chips; where somebody else than `speaker` did it, their name stands first. */
export function chips(ctx, rows, speaker) {
  const apart = new Set(ctx.store.get("board")?.apart);
  const firm = rows.filter((row) => !apart.has(row.ref) || row.kind === "item.corrected");
  const shown = firm.slice(0, MOST).map((row) => chip(ctx, completed(ctx, row), speaker));
  if (firm.length > MOST) shown.push(el("li", { class: "soft small" }, `and ${firm.length - MOST} more`));
  return shown;
}

/** The timeline names the kind alone; what an item came to stands on the board. */
function completed(ctx, row) {
  const board = ctx.store.get("board");
  if (row.kind === "proposal.settled" && !row.status) {
    const found = board?.proposals?.find((one) => one.ref === row.ref);
    return { ...row, status: found && found.status !== "active" ? found.status : null };
  }
  if (row.kind === "vote.closed" && !row.status) {
    const found = board?.votes?.find((one) => one.ref === row.ref);
    return { ...row, carried: found?.carried ?? null, status: found?.status ?? null };
  }
  return row;
}

const OF_SOMEBODY = new Set(["reaction.changed", "position.flipped", "proposal.made", "decision.claimed"]);

function chip(ctx, row, speaker) {
  const [sign, look, words] = KINDS[row.kind];
  const kind = LOOKS[row.status] ?? look ?? SIDES[row.stance] ?? "neutral";
  const other = OF_SOMEBODY.has(row.kind) && row.participant && speaker && row.participant !== speaker ? `${visible(row.participant)}: ` : "";
  const inner = [el("span", { class: "sign", "aria-hidden": "true" }, sign ?? SIGNS[row.stance] ?? "·"), other && bdi(other), bdi(words(row))];
  if (!row.ref || !/^[PDEIVM]\d/u.test(row.ref)) return el("li", {}, el("span", { class: `fact ${kind}` }, inner));
  return el(
    "li",
    {},
    el("button", { type: "button", class: `fact ${kind}`, data: { ref: row.ref }, title: `Why is ${row.ref} here?`, onclick: () => ctx.go({ view: "why", ref: row.ref }) }, inner),
  );
}

/** The timeline's marks and stances by number. */
export function byMessage(timeline) {
  const found = new Map();
  const add = (n, row) => {
    if (!found.has(n)) found.set(n, []);
    found.get(n).push(row);
  };
  for (const [n, kind, ref, participant, told] of timeline?.marks ?? []) add(n, { kind, ref, participant, ...(BESIDE.has(kind) && { text: told, reason: told, alias: told }) });
  for (const [n, participant, on, stance] of timeline?.stances ?? []) add(n, { kind: "reaction.changed", ref: on, stance, participant });
  return found;
}
