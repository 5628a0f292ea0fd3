/** Who stood where, and when: the rows that the lanes draw. Pure. */

/** Stances in the order of the talk, `{n, participant, on, stance, was, text, …}`, up to `at`. */
export function stances(board, line, at) {
  const told = new Map(lanes(board).map((one) => [`${one.n} ${one.participant} ${one.on}`, one]));
  const shown = new Set([...told.values()].map((one) => `${one.participant} ${one.on}`));
  const rows = (line?.stances ?? []).map(([n, participant, on, stance]) => ({ n, participant, on, stance })).filter((one) => shown.has(`${one.participant} ${one.on}`));
  const until = at ?? Infinity;
  const read = [...told.values()].filter((one) => one.as_read || !rows.length);
  const all = [...rows, ...read.flatMap((one) => [one, ...(rows.length ? [] : earlier(one))])];
  const ordered = all.filter((one) => one.n <= until).sort((one, other) => one.n - other.n);
  return turned(ordered.map((one) => ({ ...one, ...told.get(`${one.n} ${one.participant} ${one.on}`) })));
}

const lanes = (board) =>
  (board?.lanes ?? []).flatMap(({ participant, positions }) => positions.map((one) => ({ ...one, participant })));

const earlier = ({ participant, on, was, was_n: n }) => (was && n ? [{ n, participant, on, stance: was }] : []);

/** Each with the stance before on the same thing; `flip` where that was the opposite. */
function turned(rows) {
  const held = new Map();
  return rows.map((row) => {
    const key = `${row.participant} ${row.on}`;
    const before = held.get(key);
    held.set(key, row);
    const was = row.was ?? before?.stance;
    return { ...row, was, flip: opposite(row.stance, was) };
  });
}

const opposite = (stance, was) => (stance === "support" && was === "oppose") || (stance === "oppose" && was === "support");

/** The stances of each participant, who moved last first. */
export function byParticipant(rows) {
  const found = new Map();
  for (const row of rows) into(found, row.participant, row);
  return [...found].map(([participant, held]) => ({ participant, held }));
}

/** The things stood on, the most contested first: `[on, count, flips]`. */
export function subjects(rows) {
  const found = new Map();
  for (const { on, flip } of rows) {
    const held = found.get(on) ?? [on, 0, 0];
    found.set(on, [on, held[1] + 1, held[2] + (flip ? 1 : 0)]);
  }
  return [...found.values()].sort((one, other) => other[2] - one[2] || other[1] - one[1]);
}

/** Rows that fall into the same of `slots` places along `newest` messages, together. */
export function placed(rows, newest, slots) {
  const found = new Map();
  for (const row of rows) {
    const slot = newest <= 1 ? 0 : Math.round(((row.n - 1) / (newest - 1)) * slots);
    into(found, slot, row);
  }
  return [...found].map(([slot, held]) => ({ share: slot / slots, held }));
}

function into(found, key, row) {
  if (!found.has(key)) found.set(key, []);
  found.get(key).push(row);
}
