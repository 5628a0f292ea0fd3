/** The facts about one item, in the order of the talk, in words. */

import { el } from "/static/el.js";
import { cite } from "./evidence.js";
import { SIGNS, person, said, sign } from "./parts.js";

const TOLD = {
  "proposal.made": "was proposed",
  "proposal.amended": "was reworded",
  "proposal.settled": "was settled",
  "proposal.echoed": "repeats an earlier idea",
  "proposal.reoffered": "offers again what had gone",
  "decision.claimed": "was claimed",
  "decision.ratified": "was ratified",
  "decision.disputed": "was disputed",
  "decision.superseded": "was superseded",
  "vote.called": "the vote was called",
  "vote.opened": "the vote was opened",
  "vote.closed": "the vote was counted",
  "item.corrected": "was corrected",
};
const SHOWN = ["status", "carried", "reason"];
const MOST = 40;

/** A list of what happened, or null of nothing. */
export function happened(ctx, history) {
  if (!history?.length) return null;
  const rows = history.slice(-MOST);
  const older = history.length - rows.length;
  return el(
    "ol",
    { class: "history", role: "list" },
    older > 0 && el("li", { class: "soft" }, `${older} earlier`),
    ...rows.map((row) => el("li", {}, cite(ctx, [row.n, 0, 0]), ...words(row))),
  );
}

function words({ kind, participant, stance, was, ...data }) {
  const told = stance ? turned(stance, was) : (TOLD[kind] ?? String(kind).replaceAll(/[._]/g, " "));
  const more = SHOWN.filter((name) => typeof data[name] === "string" && data[name]);
  return [
    typeof participant === "string" && participant && person(participant),
    stance && sign(SIGNS[stance] ?? "·"),
    el("span", {}, told),
    ...more.map((name) => el("span", { class: "soft" }, said(data[name], 80))),
  ];
}

const turned = (stance, was) => (was && was !== stance ? `turned from ${was} to ${stance}` : stance);
