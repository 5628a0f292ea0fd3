/** Positions over time: a lane a participant, a mark a stance, changes of side marked. */

import { el, fill } from "/static/el.js";
import { bdi, clip, count, many, visible } from "/static/text.js";
import { cite } from "./citations.js";
import { sized } from "./ink.js";
import { growing } from "./keyed.js";
import { SIGNS, ending, following, handle, nothing, person, said, sign, why } from "./parts.js";
import { byParticipant, placed, stances, subjects } from "./stances.js";
import { last } from "./travel.js";

const APART = 25; // pixels from a mark to the next
const LANES = 60; // at first, and as many more where their end comes into sight
const FEW = 12; // lanes that need no filter
const SUBJECTS = 40;

export function mount(root, ctx) {
  const state = { on: "", slots: 20, words: "" };
  const select = el("select", { "aria-label": "Positions on", onchange: () => ((state.on = select.value), show()) });
  const field = el("input", { type: "search", class: "filter", placeholder: "Find somebody", "aria-label": "Lanes of whose name has", autocomplete: "off", oninput: () => ((state.words = field.value.trim().toLowerCase()), show()) });
  const list = el("ol", { class: "lanes", role: "list", onkeydown: along });
  const detail = el("div", { class: "stance-told", "aria-live": "polite" });
  const empty = nothing("Nobody has taken a side yet", "Who supports or opposes something gets a lane here; a change of side is marked ⇄.");
  const legend = el("p", { class: "legend soft" }, ...Object.entries({ ...SIGNS, flip: "⇄" }).map(([stance, glyph]) => el("span", {}, el("span", { class: `spot ${stance}` }, glyph), stance === "flip" ? "changed sides" : stance)));
  const head = el("div", { class: "lanes-head" }, el("label", {}, "On ", select), field, legend);
  const more = el("p", { class: "soft more" });
  root.append(el("div", { class: "lanes-view" }, empty, head, list, more, detail));
  const lanes = growing(list, LANES);
  function show() {
    const [board, at] = [ctx.store.get("board"), ctx.store.get("at")];
    const rows = stances(board, ctx.store.get("timeline"), at);
    empty.hidden = !board || rows.length > 0;
    head.hidden = list.hidden = rows.length === 0;
    choices(select, rows, state);
    const every = byParticipant(state.on ? rows.filter((one) => one.on === state.on) : rows);
    const shown = every.filter((lane) => lane.participant.toLowerCase().includes(state.words));
    field.hidden = every.length <= FEW;
    const newest = last(ctx);
    list.style.setProperty("--at", newest <= 1 ? 1 : ((at ?? newest) - 1) / (newest - 1));
    const tell = (row, button) => told(ctx, detail, row, button);
    lanes.show(shown, (lane) => lane.participant, (lane) => drawn(lane, newest, at, state, tell), (lane) =>
      JSON.stringify([lane.held.length, lane.held.at(-1), newest, state.on && at, state.on, state.slots]));
    if (!detail.hasChildNodes() || !detail.shown?.isConnected) latest(list);
    more.hidden = shown.length > 0 || !state.words;
    more.textContent = "Nobody of that name took a side.";
  }
  const wide = sized(list, (width) => {
    const slots = Math.max(6, Math.round((width < 560 ? width - 24 : width - 236) / APART));
    if (slots === state.slots) return;
    state.slots = slots;
    show();
  });
  return ending(root, wide, lanes.end, following(ctx, ["board", "at", "timeline"], show));
}

/** Where nothing is chosen the last change of side is told, or else the last stance. */
function latest(list) {
  const marks = [...list.querySelectorAll(".stance")];
  const newer = (one, other) => (share(other) > share(one) ? other : one);
  const turned = marks.filter((one) => one.classList.contains("flip"));
  const found = turned.length ? turned : marks;
  if (found.length) found.reduce(newer).click();
}

function choices(select, rows, state) {
  const found = subjects(rows).slice(0, SUBJECTS);
  if (state.on && !found.some(([on]) => on === state.on)) state.on = "";
  const key = JSON.stringify(found);
  if (select.dataset.key === key) return;
  select.dataset.key = key;
  const option = ([on, taken, flips]) =>
    el("option", { value: on }, `${visible(clip(on, 40))} (${many(taken, "stance")}${flips ? `, ${many(flips, "change")} of side` : ""})`);
  fill(select, el("option", { value: "" }, "everything"), ...found.map(option));
  select.value = state.on;
}

function drawn({ participant, held }, newest, at, { on, slots }, tell) {
  const track = el("div", { class: "lane-track" });
  if (on) track.append(...stretches(held, newest, at));
  placed(held, newest, slots).forEach(({ share, held: here }, place) => track.append(heap(share, here, tell, place === 0)));
  const flips = held.filter((one) => one.flip).length;
  return el(
    "li",
    { class: "lane" },
    el("div", { class: "lane-who" }, person(participant), flips > 0 && el("span", { class: "tag", data: { tag: "flip" } }, `⇄ ${flips}`)),
    track,
  );
}

/** On one thing a stance lasts until the next: bars between the marks. */
function stretches(held, newest, at) {
  const share = (n) => (newest <= 1 ? 0 : (n - 1) / (newest - 1));
  return held.map((one, place) => {
    const bar = el("span", { class: `stretch ${one.stance}` });
    bar.style.setProperty("--from", share(one.n));
    bar.style.setProperty("--to", share(held[place + 1]?.n ?? at ?? newest));
    return bar;
  });
}

/** The stances of one place: a mark of one, a pile of several in the shares of both sides. */
function heap(share, here, tell, first) {
  const row = here.findLast((one) => one.flip) ?? here.at(-1);
  const flips = here.filter((one) => one.flip).length;
  const button = el(
    "button",
    {
      type: "button",
      class: `stance ${here.length > 1 ? "heap" : row.stance}${flips ? " flip" : ""}`,
      tabindex: first ? "0" : "-1",
      data: { focus: `stance-${row.n}-${row.on}` },
      "aria-label": visible(here.length > 1 ? pile(here, flips) : single(row)),
      onfocus: () => tell(here, button),
      onclick: () => tell(here, button),
      onpointerenter: () => tell(here, button),
    },
    here.length > 1 ? here.length : SIGNS[row.stance],
    flips > 0 && el("span", { class: "turn" }, "⇄"),
  );
  const part = (stance) => here.filter((one) => one.stance === stance).length / here.length;
  for (const [name, value] of [["share", share], ["for", part("support")], ["against", part("oppose")]]) button.style.setProperty(`--${name}`, value);
  return button;
}

const single = (row) => `${row.participant} ${row.flip ? "changed sides, now " : ""}${row.stance} on ${clip(row.on, 60)}, message ${row.n}`;

function pile(here, flips) {
  const sides = Object.keys(SIGNS).map((stance) => [stance, here.filter((one) => one.stance === stance).length]);
  const told = sides.filter(([, taken]) => taken).map(([stance, taken]) => `${taken} ${stance}`);
  return `${here[0].participant}, messages ${here[0].n} to ${here.at(-1).n}: ${told.join(", ")}${flips ? `, ${many(flips, "change")} of side` : ""}`;
}

/** Arrow keys go along a lane and from lane to lane. */
function along(event) {
  const button = event.target.closest?.(".stance");
  const track = button?.parentElement;
  if (!button || !["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key)) return;
  event.preventDefault();
  const marks = [...track.querySelectorAll(".stance")].sort((one, other) => share(one) - share(other));
  const place = marks.indexOf(button);
  const next = { ArrowLeft: marks[place - 1], ArrowRight: marks[place + 1], Home: marks[0], End: marks.at(-1) }[event.key] ?? beside(track, event.key, button);
  if (!next) return;
  marks.forEach((one) => (one.tabIndex = -1));
  next.tabIndex = 0;
  next.focus();
}

const share = (button) => Number(button.style.getPropertyValue("--share"));

function beside(track, key, button) {
  const lane = track.closest(".lane");
  const other = { ArrowUp: lane.previousElementSibling, ArrowDown: lane.nextElementSibling }[key];
  const marks = [...(other?.querySelectorAll(".stance") ?? [])];
  return marks.sort((one, two) => Math.abs(share(one) - share(button)) - Math.abs(share(two) - share(button)))[0];
}

/** What a mark stands for, below the lanes: nothing hides behind a hover alone. */
function told(ctx, detail, rows, button) {
  detail.closest(".lanes-view").querySelectorAll(".stance.picked").forEach((one) => one.classList.remove("picked"));
  button.classList.add("picked");
  detail.shown = button;
  fill(detail, ...rows.slice(-4).map((row) => line(ctx, row)), rows.length > 4 && el("p", { class: "soft" }, `and ${count(rows.length - 4)} more before`));
}

function line(ctx, row) {
  const item = /^[PDVM]\d+(\.\d+)?$/.test(row.on);
  return el(
    "p",
    {},
    person(row.participant),
    row.flip && el("span", {}, sign("⇄"), ` turned from ${row.was} to`),
    el("span", { class: `spot ${row.stance}` }, SIGNS[row.stance]),
    `${row.stance} `,
    row.as_read && el("span", { class: "soft" }, "(as read) "),
    item ? handle(row.on) : el("span", {}, "on ", said(row.on, 60)),
    row.text && el("q", {}, said(row.text, 120)),
    row.moved_by && el("span", { class: "soft" }, "after ", bdi(row.moved_by), " spoke ", row.moved_n && cite(ctx, [row.moved_n, 0, 0])),
    cite(ctx, [row.n, 0, 0]),
    item && why(ctx, row.on),
  );
}
