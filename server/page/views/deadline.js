/** By when a vote is over, how long that is still, and how long one is to run. */

import { el } from "/static/el.js";
import { many } from "/static/text.js";

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const days = new Intl.DateTimeFormat(undefined, { weekday: "long", hour: "2-digit", minute: "2-digit" });
const dates = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const hours = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });

/** " until 17:00", " until Friday 17:00", " until 3 May 2026, 17:00"; nothing where no end is known. */
export function until(ctx, vote) {
  const ends = vote?.ends_ms;
  if (!ends) return null;
  const left = (ends - Date.now()) / 1000;
  const form = left < 12 * HOUR ? hours : left < 6 * DAY ? days : dates;
  return el("span", {}, " until ", el("time", { datetime: new Date(ends).toISOString(), title: dates.format(ends) }, form.format(ends)));
}

/** "1 day", "3 hours", "90 seconds", in the largest unit that says it exactly. */
export function span(seconds) {
  for (const [size, unit] of [[7 * DAY, "week"], [DAY, "day"], [HOUR, "hour"], [MINUTE, "minute"]]) if (seconds >= size && seconds % size === 0) return many(seconds / size, unit);
  return many(seconds, "second");
}

/** "1 day 3 h left", "12 min left", "40 s left", by two units at most. */
function left(seconds) {
  if (seconds <= 0) return "being counted";
  const [d, h, m] = [Math.floor(seconds / DAY), Math.floor((seconds % DAY) / HOUR), Math.floor((seconds % HOUR) / MINUTE)];
  if (d) return `${many(d, "day")}${h ? ` ${h} h` : ""} left`;
  if (h) return `${h} h${m ? ` ${m} min` : ""} left`;
  return m ? `${m} min left` : `${seconds} s left`;
}

let ticking = 0;

/** How long a vote has still, counting down; nothing where no end is known. */
export function countdown(vote) {
  const ends = vote.ends_ms;
  if (!ends) return null;
  ticking ||= setInterval(tick, 1000);
  return el("time", { class: "countdown", role: "timer", datetime: new Date(ends).toISOString(), title: dates.format(ends), data: { ends } }, left(seconds(ends)));
}

const seconds = (ends) => Math.ceil((ends - Date.now()) / 1000);

function tick() {
  const nodes = document.querySelectorAll("time[data-ends]");
  for (const node of nodes) {
    const words = left(seconds(Number(node.dataset.ends)));
    if (node.textContent !== words) node.textContent = words;
  }
  if (nodes.length) return;
  clearInterval(ticking);
  ticking = 0;
}

const CHOICES = [5 * MINUTE, HOUR, DAY, 3 * DAY, 7 * DAY];

/** A choice of how long a vote runs; `first` is what stands first and chosen, if it is none of them. */
export function times(id, chosen, first = null) {
  const rows = CHOICES.map((time) => [String(time), span(time)]);
  return el("select", { id }, ...(first ? [["", first], ...rows] : rows).map(([value, label]) => el("option", { value, selected: value === String(chosen) }, label)));
}

/** The seconds that a vote among these participants is to run: a day for people, "" for agents alone. */
export function usual(participants, me) {
  const others = (participants ?? []).filter((one) => one.name !== me && one.role !== "observer" && (one.present || one.messages));
  return others.length && others.every((one) => one.role === "agent") ? "" : DAY;
}
