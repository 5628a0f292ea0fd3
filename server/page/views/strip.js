/** The strip above the slider: what happened when, and how many proposals stood open. */

import { el } from "/static/el.js";
import { WEIGHTS } from "./marks.js";
import { fresh, inks, sized, themed } from "./ink.js";

const HEIGHT = 34;
const COLOURS = {
  proposal: "ink-soft", settled: "ink-soft", circling: "warn", claimed: "accent", ratified: "good", disputed: "bad",
  superseded: "ink-soft", flip: "warn", vote: "accent", closed: "ink", nudge: "line", other: "line",
};
const NAMES = ["ink", "ink-soft", "line", "accent", "good", "bad", "warn"];

/** A canvas that `draw({marks, series, newest, at})` fills; `point(n, x)` follows the mouse. */
export function strip(point, press) {
  const canvas = el("canvas", { class: "strip", height: HEIGHT, "aria-hidden": "true" });
  let [width, held] = [0, null];
  const paint = () => held && width && drawn(canvas, width, held);
  const where = (event) => Math.round(1 + (event.offsetX / canvas.clientWidth) * ((held?.newest ?? 1) - 1));
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
  const x = (n) => (newest <= 1 ? 0.5 : ((n - 1) / (newest - 1)) * (width - 1) + 0.5);
  area(pen, ink, series, x);
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

function area(pen, ink, series, x) {
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
  pen.lineTo(x(series.n.at(-1)), HEIGHT);
  pen.globalAlpha = 0.14;
  pen.fillStyle = ink.accent;
  pen.fill();
  pen.globalAlpha = 1;
}
