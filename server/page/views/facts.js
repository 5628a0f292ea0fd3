/** What a message did, as chips beneath it: proposed, supported, decided, turned around. */

import { el } from "/static/el.js";
import { bdi } from "/static/text.js";

const SIGNS = { support: "+", oppose: "−", neutral: "~" };
const STANCES = { support: "supports", oppose: "opposes", neutral: "is neutral on" };

/** By kind: sign, look, words. The words are given the fact's ref and data. */
const KINDS = {
  "proposal.made": ["○", "made", ({ ref }) => `${ref} proposed`],
  "proposal.amended": ["✎", "made", ({ ref, earlier }) => `${ref} rewords ${earlier ?? "an earlier one"}`],
  "proposal.echoed": ["↻", "circling", ({ ref, earlier, earlier_n }) => `${ref} repeats ${earlier ? `${earlier} of message ${earlier_n}` : "an earlier idea"}`],
  "proposal.reoffered": ["↻", "circling", ({ ref, earlier, earlier_status }) => `${ref} offers again ${earlier ? `${earlier}, ${earlier_status}` : "what had gone"}`],
  "proposal.settled": ["●", "settled", ({ ref, status }) => `${ref} ${status ?? "settled"}`],
  "reaction.changed": [null, null, ({ ref, stance }) => `${STANCES[stance] ?? "reacts to"} ${ref}`],
  "decision.claimed": ["?", "claimed", ({ ref }) => `${ref} claimed`],
  "decision.ratified": ["✓", "ratified", ({ ref }) => `${ref} ratified`],
  "decision.disputed": ["!", "disputed", ({ ref }) => `${ref} disputed`],
  "decision.superseded": ["⤳", "settled", ({ ref, by }) => `${ref} superseded${by ? ` by ${by}` : ""}`],
  "position.flipped": ["⇄", "flip", ({ ref, was, stance }) => `changes sides on ${ref ?? "it"}${was ? `: ${was} → ${stance}` : ""}`],
  "vote.called": ["▤", "vote", ({ ref }) => `${ref} called`],
  "vote.opened": ["▤", "vote", ({ ref }) => `${ref} open`],
  "vote.closed": ["▤", "vote", ({ ref, carried, status }) => `${ref} ${carried ? `carries ${carried}` : status ?? "counted"}`],
  "vote.cancelled": ["▤", "settled", ({ ref }) => `${ref} cancelled`],
  "ballot.cast": ["▤", "vote", ({ ref }) => `ballot in ${ref}`],
  "floor.nudged": ["↻", "circling", ({ text }) => text ?? "the floor was nudged"],
  "episode.opened": ["▸", "made", ({ ref, title }) => `${ref} ${title ?? "begins"}`],
  "episode.closed": ["▪", "settled", ({ ref, status }) => `${ref} ${status ?? "ends"}`],
  "item.corrected": ["✎", "settled", ({ ref, op }) => `${ref} corrected${op ? `: ${op}` : ""}`],
  "session.closed": ["■", "settled", () => "the session closes"],
};
const SIDES = { support: "support", oppose: "oppose", neutral: "neutral" };

/** The chips of message `n`, from what came live, else from the timeline. */
export function chips(ctx, n, facts, past) {
  const rows = [...(facts ?? []).map(plain), ...(past ?? [])];
  const seen = new Set();
  const fresh = rows.filter((row) => {
    const key = `${row.kind} ${row.ref ?? ""}`;
    return KINDS[row.kind] && !seen.has(key) && seen.add(key);
  });
  return fresh.slice(0, 8).map((row) => chip(ctx, row));
}

const plain = (fact) => ({ kind: fact.kind, ...fact.data, ref: fact.ref ?? fact.data?.ref ?? null });

function chip(ctx, row) {
  const [sign, look, words] = KINDS[row.kind];
  const kind = look ?? SIDES[row.stance] ?? "neutral";
  const inner = [el("span", { class: "sign", "aria-hidden": "true" }, sign ?? SIGNS[row.stance] ?? "·"), bdi(words(row))];
  if (!row.ref || !/^[PDEIVM]\d/u.test(row.ref)) return el("li", {}, el("span", { class: `fact ${kind}` }, inner));
  return el(
    "li",
    {},
    el("button", { type: "button", class: `fact ${kind}`, data: { ref: row.ref }, title: `Why is ${row.ref} here?`, onclick: () => ctx.go({ view: "why", ref: row.ref }) }, inner),
  );
}

/** The timeline's marks and stances by message number. */
export function byMessage(timeline) {
  const found = new Map();
  const add = (n, row) => {
    if (!found.has(n)) found.set(n, []);
    found.get(n).push(row);
  };
  for (const [n, kind, ref] of timeline?.marks ?? []) add(n, { kind, ref });
  for (const [n, , on, stance] of timeline?.stances ?? []) add(n, { kind: "reaction.changed", ref: on, stance });
  return found;
}
