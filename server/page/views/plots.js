/** How the session went, in plots by message: press one to go to that moment. */

import { el, fill } from "/static/el.js";
import { count, money } from "/static/text.js";
import { inks, sized, themed } from "./ink.js";
import { ending, following, nothing } from "./parts.js";
import { travel } from "./travel.js";

const HEIGHT = 150;
const NAMES = ["ink", "ink-soft", "line", "accent", "good", "bad", "warn", "bg-raised"];
const SHORT = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
const COINS = new Intl.NumberFormat(undefined, { maximumSignificantDigits: 3 });
const WHOLE = Array.from({ length: 12 }, (_, power) => [1, 2, 5].map((step) => step * 10 ** power)).flat();
const PLOTS = [
  { title: "Proposals and decisions", told: count, stepped: true, lines: [["proposals_open", "open proposals", "warn"], ["decided", "decisions", "good"], ["flips", "changes of side", "bad"]] },
  { title: "Tokens", rare: true, told: count, least: 10, lines: [["tokens", "tokens", "accent"]] },
  { title: "Cost", rare: true, told: money, least: 1000, lines: [["micros", "cost", "accent"]] },
];

export function mount(root, ctx) {
  const box = el("div", { class: "plots" });
  const waiting = nothing("The plots are being drawn", "They come once the whole session was read.");
  root.append(waiting, box);
  const figures = PLOTS.map((plot) => figure(ctx, plot));
  box.append(...figures.map((one) => one.node));
  const show = () => {
    const line = ctx.store.get("timeline");
    waiting.hidden = Boolean(line);
    const read = ctx.store.get("status").read;
    if (!line && read < 1000) waiting.lastChild.textContent = `The session is being read: ${Math.floor(read / 10)} %.`;
    box.hidden = !line;
    if (line) figures.forEach((one) => one.draw(line.series ?? {}));
  };
  const moved = () => figures.forEach((one) => one.redraw());
  return ending(root, following(ctx, ["timeline"], show), ctx.store.on("at", moved), themed(() => figures.forEach((one) => one.anew())), ...figures.map((one) => one.end));
}

function figure(ctx, plot) {
  const place = el("div", { class: "plot-place", role: "img", "aria-label": plot.title });
  const caption = el("figcaption", {}, el("strong", {}, plot.title), el("span", { class: "plot-now" }));
  const table = el("details", { class: "numbers" }, el("summary", {}, "as numbers"));
  const node = el("figure", { class: "plot" }, caption, place, table);
  let [chart, series, width] = [null, null, 0];
  const anew = () => {
    chart?.destroy();
    chart = null;
    draw();
  };
  function draw() {
    if (!series) return;
    node.hidden = Boolean(plot.rare) && plot.lines.every(([name]) => !series[name]?.some(Boolean));
    if (!width || node.hidden) return;
    const data = [series.n ?? [], ...plot.lines.map(([name]) => series[name] ?? [])];
    if (chart) chart.setData(data);
    else chart = new globalThis.uPlot(options(ctx, plot, place, width, caption.lastChild), data, place);
    place.setAttribute("aria-label", spoken(plot, series));
    tell(caption.lastChild, plot, series, standing(ctx, series.n));
    if (table.open) numbers(table, plot, series);
  }
  table.addEventListener("toggle", () => table.open && series && numbers(table, plot, series));
  const end = sized(place, (now) => {
    width = now;
    if (chart) chart.setSize({ width, height: HEIGHT });
    else draw();
  });
  return {
    node,
    draw(given) {
      series = given;
      draw();
    },
    redraw() {
      chart?.redraw(false);
      if (series) tell(caption.lastChild, plot, series, standing(ctx, series.n));
    },
    anew,
    end() {
      end();
      chart?.destroy();
    },
  };
}

function options(ctx, plot, place, width, now) {
  const ink = inks(place, ...NAMES);
  const axis = { stroke: ink["ink-soft"], grid: { stroke: ink.line, width: 1 }, ticks: { show: false }, font: "11px system-ui", size: 44 };
  const stepped = plot.stepped ? globalThis.uPlot.paths.stepped({ align: 1 }) : undefined;
  return {
    width,
    height: HEIGHT,
    padding: [8, 16, 0, 0],
    legend: { show: false },
    cursor: { sync: { key: "parley" }, drag: { x: false, y: false }, points: { size: 7 }, y: false },
    scales: { x: { time: false }, y: { range: (_, low, high) => [0, Math.max(high * 1.06, plot.least ?? 1)] } },
    axes: [
      { ...axis, size: 26, incrs: WHOLE, values: (_, found) => found.map((one) => SHORT.format(one)) },
      { ...axis, incrs: WHOLE, values: (_, found) => found.map((one) => (plot.told === money ? COINS.format(one / 1e6) : SHORT.format(one))) },
    ],
    series: [{}, ...plot.lines.map(([, label, colour], place) => ({
      label,
      stroke: ink[colour],
      width: 2,
      dash: place ? [[], [6, 3], [2, 3]][place] : [],
      fill: plot.lines.length === 1 ? faint(ink[colour]) : undefined,
      paths: stepped,
      points: { show: false },
    }))],
    hooks: {
      draw: [(chart) => moment(chart, ctx.store.get("at"), ink.ink)],
      setCursor: [(chart) => tell(now, plot, byName(plot, chart.data), chart.cursor.idx ?? standing(ctx, chart.data[0]))],
      ready: [(chart) => chart.over.addEventListener("click", () => chart.cursor.idx != null && travel(ctx, chart.data[0][chart.cursor.idx]))],
    },
  };
}

/** Where the moment that is shown stands in a series: the last row at or before it. */
function standing(ctx, numbers = []) {
  const at = ctx.store.get("at");
  return at === null ? numbers.length - 1 : Math.max(0, numbers.findLastIndex((n) => n <= at));
}

const faint = (colour) => (/^#[0-9a-f]{6}$/i.test(colour) ? `${colour}22` : "transparent");

const byName = (plot, [n, ...rows]) => ({ n, ...Object.fromEntries(plot.lines.map(([name], place) => [name, rows[place]])) });

/** The moment that the slider shows, as a line through the plot. */
function moment({ ctx: pen, bbox, valToPos }, at, colour) {
  if (at === null) return;
  const x = Math.round(valToPos(at, "x", true));
  pen.save();
  pen.fillStyle = colour;
  pen.fillRect(x, bbox.top, 2, bbox.height);
  pen.restore();
}

function tell(node, plot, series, place) {
  if (place < 0 || !series.n) return;
  const values = plot.lines.map(([name, label, colour]) => el("span", { class: "value", data: { ink: colour } }, `${label} `, el("b", {}, plot.told(series[name]?.[place] ?? 0))));
  fill(node, el("span", { class: "soft" }, `at #${series.n[place]}`), ...values);
}

function spoken(plot, series) {
  const ends = plot.lines.map(([name, label]) => `${label} from ${plot.told(series[name]?.[0] ?? 0)} to ${plot.told(series[name]?.at(-1) ?? 0)}`);
  return `${plot.title}: ${ends.join("; ")}`;
}

/** The same as a table, at most twenty rows of it. */
function numbers(table, plot, series) {
  const all = series.n ?? [];
  const every = Math.max(1, Math.ceil(all.length / 20));
  const rows = all.map((_, place) => place).filter((place) => place % every === 0 || place === all.length - 1);
  const cells = (place) => [el("th", { scope: "row" }, `#${all[place]}`), ...plot.lines.map(([name]) => el("td", {}, plot.told(series[name]?.[place] ?? 0)))];
  const head = el("tr", {}, el("th", { scope: "col" }, "at"), ...plot.lines.map(([, label]) => el("th", { scope: "col" }, label)));
  fill(table, table.firstChild, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows.map((place) => el("tr", {}, ...cells(place))))));
}
