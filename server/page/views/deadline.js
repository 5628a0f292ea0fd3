/** By when a vote is over, in words. */

import { el } from "/static/el.js";

const days = new Intl.DateTimeFormat(undefined, { weekday: "long", hour: "2-digit", minute: "2-digit" });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** " until 17:00", " until Friday 17:00", " until 3 May 2026, 17:00"; nothing where no end is known. */
export function until(ctx, vote) {
  const ends = vote?.ends_ms;
  if (!ends) return null;
  const left = ends - Date.now();
  const form = left < 12 * 3600_000 ? hours : left < 6 * 24 * 3600_000 ? days : dates;
  return el("span", {}, " until ", el("time", { datetime: new Date(ends).toISOString(), title: dates.format(ends) }, form.format(ends)));
}
