/** The time slider: the memory as it stood at any message, by hand, by mark or playing. */

import { button, el, fill, icon } from "/static/el.js";
import { bdi, count } from "/static/text.js";
import { after, before, heard, latest, marks, ofBoard } from "./marks.js";
import { ending, following, handle } from "./parts.js";
import { timeline } from "./source.js";
import { strip } from "./strip.js";
import { Journey, last, step, travel } from "./travel.js";

const FRAMES = 120; // of a whole session, played
const FRAME_MS = 160;
const MAKING_MS = 400; // between looks at a timeline that is being made
const AGAIN_MS = 500; // between looks at one that has grown, of a session that is not
const LEGEND = [["proposal", "proposed"], ["ratified", "decided"], ["disputed", "disputed"], ["flip", "changed sides"], ["vote", "voted"]];
const LONG = 2000; // entries, or more, which takes
const LONG_MS = 3000;

export function mount(root, ctx) {
  const bar = made(ctx);
  root.append(bar.node);
  const journey = new Journey(ctx, (error) => (bar.trouble.textContent = error ? `That moment cannot be shown: ${error.message}` : ""));
  const ends = [
    () => journey.end(),
    following(ctx, ["at", "board", "timeline", "status", "messages"], () => show(ctx, bar)),
    watching(ctx),
    () => bar.strip.end(),
    () => bar.playing.stop(),
  ];
  return ending(root, ...ends);
}

function made(ctx) {
  const range = el("input", { type: "range", min: "1", max: "1", step: "1", value: "1", "aria-label": "Moment, by number" });
  const told = el("span", { class: "moment" });
  const tip = el("span", { class: "tip", hidden: true });
  const trouble = el("span", { class: "refused", role: "status" });
  const state = { marks: [] };
  const drawing = strip((n, x, width) => hover(state, tip, n, x, width), (n) => travel(ctx, near(state, ctx, n)));
  const playing = player(ctx);
  range.addEventListener("input", () => travel(ctx, Number(range.value)));
  const now = el("button", { type: "button", class: "button now", onclick: () => travel(ctx, null) }, "Now");
  const jump = (name, find) =>
    button(name, { class: "button bare", onclick: () => travel(ctx, find(state.marks, ctx.store.get("at") ?? last(ctx))?.n ?? null) }, null, false);
  const back = jump("To the event before", (marks, n) => before(marks, n - 1) ?? { n: 1 });
  const on = jump("To the next event", after);
  back.append("⇤");
  on.append("⇥");
  const node = el(
    "div",
    { class: "slider" },
    el("div", { class: "slider-hands" }, back, playing.node, on),
    el("div", { class: "slider-track" }, el("div", { class: "strip-box" }, drawing.canvas, tip), range),
    el("div", { class: "slider-told" }, told, now, trouble, legend()),
  );
  return { node, range, told, trouble, state, strip: drawing, playing, now, back, on };
}

/** What the marks over the slider stand for. */
const legend = () => el("p", { class: "legend soft wide-only", title: "The marks over the slider; the shade behind them is how many proposals stood open" }, LEGEND.flatMap(([sort, word]) => [el("span", {}, el("span", { class: "swatch", data: { sort }, "aria-hidden": "true" }), word), " "]));

function show(ctx, { node, range, told, state, strip: drawing, playing, now, back, on }) {
  const [at, newest, line] = [ctx.store.get("at"), last(ctx), ctx.store.get("timeline")];
  if (line && state.line !== line) Object.assign(state, { line, made: marks(line.marks) });
  if (!line && at === null && state.board !== ctx.store.get("board")) Object.assign(state, { board: ctx.store.get("board"), made: ofBoard(ctx.store.get("board")) });
  const apart = new Set(ctx.store.get("board")?.apart);
  state.marks = [...(state.made ?? []), ...heard(ctx.store.get("messages"), state.line?.n ?? newest)].filter((one) => !apart.has(one.ref));
  range.max = String(newest);
  if (document.activeElement !== range || Number(range.value) !== (at ?? newest)) range.value = String(at ?? newest);
  range.setAttribute("aria-valuetext", at === null ? `now, number ${newest}` : `number ${at} of ${newest}`);
  node.classList.toggle("then", at !== null);
  now.hidden = at === null;
  const none = !ctx.store.get("status")?.n && !ctx.store.get("board")?.n;
  on.disabled = at === null;
  back.disabled = playing.node.disabled = range.disabled = none;
  fill(told, ...words(state.marks, at, none ? 0 : newest));
  drawing.draw({ marks: state.marks, series: state.line?.series, newest, at });
}

function words(marks, at, newest) {
  const newer = latest(marks, at ?? newest);
  return [
    el("span", { class: "moment-at" }, el("strong", {}, at === null ? "Now" : `#${at}`), el("span", { class: "soft" }, at === null ? newest > 0 && ` #${newest}` : ` of ${count(newest)}`)),
    newer && el("span", { class: "latest", title: `#${newer.n} ${newer.text}` }, ...event(newer), el("span", { class: "soft" }, ` #${newer.n}`)),
  ];
}

const event = (one) => [
  el("span", { class: "sign", "aria-hidden": "true", data: { sort: one.sort } }, one.glyph),
  one.text,
  one.participant && one.participant !== "parley" && el("span", { class: "soft" }, " by ", bdi(one.participant)),
];

/** A press close to a mark means the mark. */
function near(state, ctx, n) {
  const reach = last(ctx) / 150;
  const close = state.marks.filter((one) => Math.abs(one.n - n) <= reach);
  return close.sort((one, other) => Math.abs(one.n - n) - Math.abs(other.n - n))[0]?.n ?? n;
}

function hover(state, tip, n, x, width) {
  const one = n === null ? null : before(state.marks, n + (state.line?.n ?? 1) / 200);
  tip.hidden = !one || (state.line?.n ?? 1) / 60 < n - one.n;
  if (tip.hidden) return;
  fill(tip, `#${one.n} `, ...event(one));
  tip.style.left = `${Math.min(Math.max(x, 90), width - 90)}px`;
}

/** Plays the session from the start, or on from where one is, in about twenty seconds. */
function player(ctx) {
  let timer = 0;
  const node = button("Play from here", { class: "button bare play", onclick: () => (timer ? stop() : start()) }, "play", false);
  const face = (name, glyph) => {
    node.setAttribute("aria-label", name);
    node.title = name;
    fill(node, icon(glyph));
  };
  function stop() {
    clearInterval(timer);
    timer = 0;
    face("Play from here", "play");
  }
  function start() {
    if (ctx.store.get("at") === null) travel(ctx, 1);
    face("Pause", "pause");
    timer = setInterval(() => {
      step(ctx, Math.max(1, Math.round(last(ctx) / FRAMES)));
      if (ctx.store.get("at") === null) stop();
    }, FRAME_MS);
  }
  return { node, stop };
}

/** Keeps the store's `timeline`: asked for until it is made, and again when something came. */
function watching(ctx) {
  let [timer, asked, ended, seen] = [0, 0, false, ""];
  // Numbers grow with what is said; what the floor asks and the close have none of their own.
  const sign = () => `${last(ctx)} ${ctx.store.get("status").told ?? 0} ${ctx.store.get("status").resets ?? 0} ${Boolean(ctx.store.get("board")?.closed)}`;
  const look = async () => {
    timer = 0;
    asked = Date.now();
    const was = sign();
    const found = await timeline(ctx).catch(() => null);
    if (ended) return;
    ctx.store.get("status").read = found?.done ?? 1000;
    if (found && found.ready !== false) {
      seen = was;
      ctx.store.set("timeline", found);
      grown();
    } else if (found) {
      ctx.store.tell("timeline");
      timer = setTimeout(look, MAKING_MS);
    }
  };
  const grown = () => {
    if (timer || seen === sign()) return;
    const rest = last(ctx) > LONG ? LONG_MS : AGAIN_MS;
    timer = setTimeout(look, Math.max(0, asked + rest - Date.now()));
  };
  const offs = ["board", "status", "at"].map((part) => ctx.store.on(part, grown));
  look();
  return () => {
    ended = true;
    clearTimeout(timer);
    offs.forEach((off) => off());
  };
}
