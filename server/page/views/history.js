/** The facts about one item, in the order of the talk, in words. */

import { el } from "/static/el.js";
import { cite } from "./citations.js";
import { SIGNS, person, said, sign } from "./parts.js";

const TOLD = { // of somebody, and of nobody
  "proposal.made": ["proposed it", "was proposed"],
  "proposal.edited": ["edited it", "was edited"],
  "proposal.amended": ["reworded it", "was reworded"],
  "proposal.settled": ["settled it", "was settled"],
  "proposal.echoed": ["repeats an earlier idea with it", "repeats an earlier idea"],
  "proposal.reoffered": ["offers again what had gone", "offers again what had gone"],
  "decision.claimed": ["said it was decided", "was said to be decided"],
  "decision.ratified": ["made it binding", "was made binding"],
  "decision.disputed": ["disputed it", "was disputed"],
  "decision.superseded": ["replaced it", "was replaced"],
  "vote.called": ["called the vote", "the vote was called"],
  "vote.opened": ["opened the vote", "the vote was opened"],
  "vote.extended": ["gave it more time", "was given more time"],
  "vote.closed": ["closed the vote", "the vote was counted"],
  "item.corrected": ["corrected it", "was corrected"],
  "episode.opened": ["began it", "was begun"],
  "episode.closed": ["ended it", "was ended"],
};
const BY_RULE = ["rule", "vote", "person"]; // how a decision came to be that nobody claimed
const ACCEPTING = /\/(?:accept|ratify)/; // the rule of one that a chair made by accepting its proposal
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
  const somebody = typeof participant === "string" && participant;
  const told = stance ? turned(stance, was)
    : kind === "decision.claimed" && (BY_RULE.includes(data.how) || ACCEPTING.test(data.rule)) ? "proposed what it says"
    : (TOLD[kind]?.[somebody ? 0 : 1] ?? String(kind).replaceAll(/[._]/g, " "));
  const more = SHOWN.filter((name) => typeof data[name] === "string" && data[name]);
  return [
    somebody && person(participant),
    stance && sign(SIGNS[stance] ?? "·"),
    el("span", {}, told),
    ...more.map((name) => el("span", { class: "soft" }, said(data[name], 80))),
  ];
}

const turned = (stance, was) => (was && was !== stance ? `turned from ${was} to ${stance}` : stance);
