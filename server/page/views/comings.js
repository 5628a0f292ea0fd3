/** Who came and went, and what was set: quiet lines, of which what follows on is one. */

import { named, visible } from "/static/text.js";
import { said } from "./parts.js";

const MOST = 4; // names on a line, above that two and how many others
const KEYS = 4; // settings on one
const EXPECTED = "expected"; // why a seat is empty that nobody has taken yet

const SEATS = new Set(["seat.taken", "seat.left"]);
const KINDS = new Set([...SEATS, "settings.changed", "participant.aliased"]);

/** Whether a row is told here. */
export const quiet = (row) => KINDS.has(row.kind);

/** Whether `one` stands on the line of `other`. */
export const alike = (one, other) =>
  (SEATS.has(one.kind) && SEATS.has(other.kind)) || (one.kind === "settings.changed" && other.kind === one.kind && whose(one) === whose(other));

/** A sign and the words of rows that are alike; null where they come to nothing. */
export function told(rows) {
  const [first] = rows;
  if (SEATS.has(first.kind)) return came(rows);
  if (first.kind === "participant.aliased") return ["≡", [named(first.participant), " is also ", named(first.alias ?? first.text ?? "")]];
  return ["⚙", [whose(first) ? named(whose(first)) : "Somebody", " changed ", settings(rows)]];
}

const whose = (row) => row.by || row.participant || "";

function came(rows) {
  const last = new Map();
  for (const row of rows) {
    if (row.kind === "seat.left" && row.reason === EXPECTED) last.delete(row.participant);
    else last.set(row.participant, row);
  }
  const [here, gone] = ["seat.taken", "seat.left"].map((kind) => [...last.values()].filter((row) => row.kind === kind));
  if (!here.length && !gone.length) return null;
  const why = gone.length === 1 && gone[0].reason ? [": ", said(gone[0].reason, 80)] : [];
  return [here.length ? "→" : "←", [here.length > 0 && [names(here), " joined"], here.length > 0 && gone.length > 0 && "; ", gone.length > 0 && [names(gone), " left", why]]];
}

function names(rows) {
  const shown = rows.slice(0, rows.length > MOST ? 2 : MOST).map((row) => named(row.participant, undefined, { title: visible(row.participant) }));
  const more = rows.length - shown.length;
  return [...shown.flatMap((one, at) => [at && (at === shown.length - 1 && !more ? " and " : ", "), one]).slice(1), more > 0 && ` and ${more} others`];
}

function settings(rows) {
  const keys = [...new Set(rows.flatMap((row) => (row.settings ? flat(row.settings) : (row.text ?? "").split(", "))))].filter(Boolean);
  const more = keys.length - KEYS;
  return [keys.length ? said(keys.slice(0, KEYS).join(", "), 160) : "the settings", more > 0 && ` and ${more} more`];
}

/** The dotted names of a partial tree. */
function flat(tree, above = "") {
  return Object.entries(tree).flatMap(([name, value]) =>
    value && typeof value === "object" && !Array.isArray(value) && Object.keys(value).length ? flat(value, `${above}${name}.`) : [`${above}${name}`]);
}
