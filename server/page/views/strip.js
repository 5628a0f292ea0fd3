/** The strip above the slider: what happened when, and how many proposals stood open. */

import { el } from "/static/el.js";
import { WEIGHTS } from "./marks.js";
import { fresh, inks, sized, themed } from "./ink.js";

const HEIGHT = 34;
const CROWDED = 6; // pixels a mark needs
const PLACE = 6;
const INSET = 4; // pixels at both ends, so that no mark is cut
const STACK = ["good", "bad", "warn", "accent", "ink", "ink-soft", "line"];
const COLOURS = {
  proposal: "ink-soft", settled: "ink-soft", circling: "warn", claimed: "accent", ratified: "good", disputed: "bad",
  superseded: "ink-soft", flip: "warn", vote: "accent", closed: "ink", nudge: "line",
};
const NAMES = ["ink", "ink-soft", "line", "accent", "good", "bad", "warn"];

/** A canvas that `draw({marks, series, newest, at})` fills; `point(n, x)` follows the mouse. */
export function strip(point, press) {
  const canvas = el("canvas", { class: "strip", height: HEIGHT, "aria-hidden": "true" });
  let [width, held] = [0, null];
  const paint = () => held && width && drawn(canvas, width, held);
  const share = (x) => Math.min(1, Math.max(0, (x - INSET) / (canvas.clientWidth - 2 * INSET)));
  const where = (event) => Math.round(1 + share(event.offsetX) * ((held?.newest ?? 1) - 1));
  canvas.addEventListener("pointermove", (event) => point(where(event), event.offsetX, canvas.clientWidth));
  canvas.addEventListener("pointerleave", () => point(null));
  canvas.addEventListener("click", (event) => press(where(event)));
  const ends = [
    sized(canvas, (now) => {
      width = now;
      paint();
    }),
    themed(paint),
  ];
  return {
    canvas,
    draw(given) {
      held = given;
      paint();
    },
    end: () => ends.forEach((one) => one()),
  };
}

function drawn(canvas, width, { marks, series, newest, at }) {
  const pen = fresh(canvas, width, HEIGHT);
  const ink = inks(canvas, ...NAMES);
  const x = (n) => INSET + (newest <= 1 ? 0 : ((n - 1) / (newest - 1)) * (width - 2 * INSET));
  area(pen, ink, series, newest, x);
  if (marks.length > width / CROWDED) return crowd(pen, ink, marks, x, width, at);
  for (const one of [...marks].sort((some, other) => (WEIGHTS[some.sort] ?? 1) - (WEIGHTS[other.sort] ?? 1))) {
    const high = 7 + 5 * (WEIGHTS[one.sort] ?? 1);
    pen.globalAlpha = at !== null && one.n > at ? 0.3 : 1;
    pen.fillStyle = ink[COLOURS[one.sort] ?? "line"];
    pen.fillRect(x(one.n) - 1, HEIGHT - high, 2, high);
    if (high > 20) {
      pen.beginPath();
      pen.arc(x(one.n), HEIGHT - high, 3.5, 0, 7);
      pen.fill();
    }
  }
  pen.globalAlpha = 1;
}

/** Where there are too many to tell apart: how many of each sort, in places as wide as a finger. */
function crowd(pen, ink, marks, x, width, at) {
  const places = Array.from({ length: Math.ceil(width / PLACE) }, () => new Map());
  for (const one of marks) {
    const place = places[Math.min(places.length - 1, Math.floor(x(one.n) / PLACE))];
    const colour = COLOURS[one.sort] ?? "line";
    place.set(colour, (place.get(colour) ?? 0) + 1);
  }
  const most = Math.max(...places.map((place) => [...place.values()].reduce((one, other) => one + other, 0)));
  places.forEach((place, index) => {
    let floor = HEIGHT;
    pen.globalAlpha = at !== null && index * PLACE > x(at) ? 0.3 : 1;
    for (const colour of STACK.filter((one) => place.has(one))) {
      const high = (place.get(colour) / most) * (HEIGHT - 4);
      pen.fillStyle = ink[colour];
      pen.fillRect(index * PLACE, floor - high, PLACE - 1, high);
      floor -= high;
    }
  });
  pen.globalAlpha = 1;
}

function area(pen, ink, series, newest, x) {
  const open = series?.proposals_open ?? [];
  if (open.length < 2) return;
  const most = Math.max(...open, 1);
  const y = (value) => HEIGHT - (value / most) * (HEIGHT - 12);
  pen.beginPath();
  pen.moveTo(x(series.n[0]), HEIGHT);
  open.forEach((value, place) => {
    if (place) pen.lineTo(x(series.n[place]), y(open[place - 1]));
    pen.lineTo(x(series.n[place]), y(value));
  });
  pen.lineTo(x(newest), y(open.at(-1))); // as it was when last it was read
  pen.lineTo(x(newest), HEIGHT);
  pen.globalAlpha = 0.14;
  pen.fillStyle = ink.accent;
  pen.fill();
  pen.globalAlpha = 1;
}
