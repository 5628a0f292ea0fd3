/** What happened at which message: the marks of a timeline, in signs, colours and words. */

const KINDS = {
  "proposal.made": ["○", "proposal", (ref) => `${ref} proposed`],
  "proposal.settled": ["●", "settled", (ref) => `${ref} settled`],
  "proposal.echoed": ["↻", "circling", (ref) => `${ref} repeats an earlier idea`],
  "proposal.reoffered": ["↻", "circling", (ref) => `${ref} offers again what had gone`],
  "decision.claimed": ["?", "claimed", (ref) => `${ref} said to be decided`],
  "decision.ratified": ["✓", "ratified", (ref) => `${ref} decided`],
  "decision.disputed": ["!", "disputed", (ref) => `${ref} disputed`],
  "decision.superseded": ["⤳", "superseded", (ref) => `${ref} replaced`],
  "position.flipped": ["⇄", "flip", (ref) => (ref ? `changed sides on ${ref}` : "changed sides")],
  "vote.called": ["V", "vote", (ref) => `vote ${ref} called`],
  "vote.closed": ["V", "vote", (ref) => `vote ${ref} counted`],
  "floor.nudged": ["·", "nudge", () => "the floor was nudged"],
  "session.closed": ["■", "closed", () => "the session closed"],
};

/** Tall marks are those a person looks for first. */
export const WEIGHTS = { ratified: 3, disputed: 3, closed: 3, flip: 2, circling: 2, vote: 2, settled: 1.5, claimed: 1.5 };

/** Those of a timeline's rows that one goes to: who came and went is told in the talk alone. */
export const marks = (rows) => (rows ?? []).filter(([, kind]) => KINDS[kind]).map(mark);

/** Such a row as `{n, glyph, sort, text, ref, participant}`. */
function mark([n, kind, ref, participant]) {
  const [glyph, sort, told] = KINDS[kind];
  return { n, glyph, sort, ref, participant, text: told(ref) };
}

const SETTLED = { ratified: "decision.ratified", disputed: "decision.disputed", claimed: "decision.claimed" };

/** Those that a board tells of, in order: what stands on the strip while the timeline is made. */
export function ofBoard(board) {
  const rows = [
    ...(board?.proposals ?? []).map((row) => [row.n, "proposal.made", row.ref, row.participant]),
    ...(board?.decisions ?? []).filter((row) => SETTLED[row.status]).map((row) => [row.cites.at(-1)?.[0] ?? row.n, SETTLED[row.status], row.ref, row.participant]),
    ...(board?.votes ?? []).map((row) => [row.n, "vote.called", row.ref, row.participant]),
  ];
  return marks(rows).sort((one, other) => one.n - other.n);
}

/** The marks of what was heard after the timeline was made, which went as far as `n`. */
export function heard(messages, n) {
  const found = [];
  const add = (at, { kind, ref, participant }) => KINDS[kind] && found.push(mark([at, kind, ref ?? "", participant ?? ""]));
  for (let at = n + 1; at <= messages.total; at++) {
    for (const fact of messages.facts.get(at) ?? []) add(at, { ...fact.data, kind: fact.kind, ref: fact.ref });
    for (const row of messages.beside.get(at) ?? []) add(at, row);
  }
  return found;
}

/** The newest mark at or before `n`, by halving; null where there is none. */
export function before(marks, n) {
  let [low, high] = [0, marks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (marks[middle].n <= n) low = middle + 1;
    else high = middle;
  }
  return low ? marks[low - 1] : null;
}

/** The newest thing at or before `n`; of several at once, what a person looks for first. */
export function latest(marks, n) {
  const found = before(marks, n);
  const weight = (one) => WEIGHTS[one.sort] ?? 1;
  return found && marks.filter((one) => one.n === found.n).reduce((one, other) => (weight(other) >= weight(one) ? other : one));
}

/** The first mark after `n`; null where there is none. */
export const after = (marks, n) => marks.find((one) => one.n > n) ?? null;
