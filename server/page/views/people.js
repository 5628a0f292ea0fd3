/** Who is here, and each of them in full: role, words, other names, notebook. */

import { Problem } from "/static/api.js";
import { button, dialog, el, fill } from "/static/el.js";
import { lines } from "/static/loading.js";
import { avatar, bdi, count, many, named, visible } from "/static/text.js";
import { act, may } from "./acting.js";
import { leave } from "./join.js";
import { aliases } from "./aliases.js";
import { keeps, notebook } from "./notebook.js";

const SHOWN = 60; // people at first, and more at a press
const FEW = 12; // who are seen at once need no filter
const NAMES = 3; // other names of one
const ALL_NAMES = 60;

/** Whether they are at the page, or at work: who closed it a moment ago keeps the seat, and is not there. */
const isHere = (ctx, one) => one.present && (ctx.store.get("at") !== null || !ctx.store.get("away")?.includes(one.name));

/** The children of the people's part; many are filtered by any of their names. */
export function people(ctx, board) {
  const me = ctx.store.get("me");
  const all = board.participants.length + (board.more?.participants ?? 0);
  const list = el("ul", { class: "people", role: "list" });
  const more = button("", { class: "link", hidden: true, onclick: () => ((state(ctx).shown += SHOWN), draw()) });
  const field = el("input", { type: "search", class: "filter", placeholder: "Find somebody", "aria-label": "Find somebody by name", autocomplete: "off", value: state(ctx).words, hidden: all <= FEW });
  const told = el("p", { class: "soft small", role: "status" });
  const draw = () => drawn(ctx, board, all, { list, more, told });
  field.addEventListener("input", async () => {
    Object.assign(state(ctx), { words: field.value, shown: SHOWN });
    draw();
    if (board.more?.participants && !state(ctx).all) { // a board lists the first of them
      state(ctx).all = (await ctx.api.get(ctx.api.of(ctx.session, "participants")).catch(() => null))?.items;
      draw();
    }
  });
  draw();
  return [
    el("h2", {}, "People", el("span", { class: "soft" }, count(all))),
    all === 0 && el("p", { class: "soft" }, me.operator ? "Nobody is here yet. Invite people, or give a program a token." : "Nobody is here yet."),
    field,
    list,
    told,
    more,
  ];
}

/** What was typed to find somebody, and how many are shown: the part is drawn anew beneath it. */
const state = (ctx) => (ctx.people ??= { words: "", shown: SHOWN, all: null });

function drawn(ctx, board, all, { list, more, told }) {
  const { words, shown, all: everybody } = state(ctx);
  const muted = new Set(board.floor.muted ?? []);
  const wanted = words.trim().toLowerCase();
  const fits = (one) => [one.name, ...(one.aliases ?? [])].some((name) => name.toLowerCase().includes(wanted));
  const rows = (wanted && everybody ? everybody : board.participants).filter(fits);
  rows.sort((one, other) => Number(isHere(ctx, other)) - Number(isHere(ctx, one)) || Number(Boolean(other.role)) - Number(Boolean(one.role)) || other.messages - one.messages);
  fill(list, ...rows.slice(0, shown).map((one) => person(ctx, board, one, muted.has(one.name) || one.muted)));
  const left = Math.max(0, (wanted ? rows.length : all) - shown);
  more.hidden = rows.length <= shown;
  more.textContent = `Show ${count(Math.min(left, SHOWN))} more of ${count(left)}`;
  told.textContent = wanted && !rows.length ? "Nobody here has such a name." : !wanted && more.hidden && left > 0 ? `and ${count(left)} more, to be found by name` : "";
}

function person(ctx, board, one, muted) {
  const me = ctx.store.get("me");
  const own = one.name === me.name && me.role !== "operator"; // an operator takes a name to be there
  const closed = Boolean(board.closed); // then nobody is there, and nobody has gone
  const here = isHere(ctx, one);
  const gone = one.role && !here && !closed;
  const words = [one.role, gone && (one.present ? "away" : "gone"), muted && "muted", own && "you"].filter(Boolean).join(", ");
  const hands = { shown: false };
  return el(
    "li",
    { class: gone ? "gone" : "" },
    el("span", { class: "seat" }, avatar(one.name, one.hue), one.role && !closed && el("span", { class: `presence ${here ? "here" : ""}`, "aria-hidden": "true" })),
    el(
      "button",
      { type: "button", class: "grow person-name", title: `More about ${visible(one.name)}`, data: { focus: `person-${one.name}` }, onclick: () => profile(ctx, one.name) },
      named(one.name, one.hue),
      el("span", { class: "soft block" }, [words, many(one.messages, "message")].filter(Boolean).join(", ")),
      one.aliases?.length > 0 && el("span", { class: "soft block also" }, "also ", listed(one.aliases, NAMES)),
    ),
    own && one.present && !closed && ctx.store.get("at") === null && button("Leave", { class: "button bare", onclick: () => leave(ctx) }, "out", false),
    !own && may(ctx, "grant") && board.floor.policy !== "open" && act(ctx, `Give ${visible(one.name)} the floor`, "hand", "grant", { participant: one.name }, hands),
    !own && may(ctx, "mute") && act(ctx, muted ? `Unmute ${visible(one.name)}` : `Mute ${visible(one.name)}`, muted ? "mic" : "mute", muted ? "unmute" : "mute", { participant: one.name }, hands),
  );
}

const listed = (names, most) => [names.slice(0, most).flatMap((name, at) => [at ? ", " : "", bdi(name)]), names.length > most && ` and ${names.length - most} more`];

/** All that is known of somebody, at the moment that is shown; what one may do about it. */
export async function profile(ctx, name) {
  const at = ctx.store.get("at");
  const box = el("div", { class: "profile", "aria-busy": "true" }, lines("Looking them up…"));
  ctx.shown?.({ person: name });
  dialog(bdi(name), box);
  try {
    const [found, kept] = await Promise.all([ctx.api.get(ctx.api.of(ctx.session, "participants"), { at }), keeps(ctx, name)]);
    const one = found.items.find((row) => row.name === name);
    fill(box, one ? known(ctx, one) : el("p", { class: "soft" }, "They are somebody else's other name by now."), aliases(ctx, name), kept && notebook(ctx, name));
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    fill(box, el("p", { class: "told bad", role: "alert" }, error.message));
  } finally {
    box.removeAttribute("aria-busy");
  }
}

function known(ctx, one) {
  const last = one.last && el("button", { type: "button", class: "link", onclick: (event) => (event.target.closest("dialog").close(), ctx.go({ view: "talk", n: one.last })) }, `#${one.last}`);
  const rows = [
    ["Takes part as", one.role ?? "somebody who spoke without a seat"],
    one.role && !ctx.store.get("board").closed && ["Now", isHere(ctx, one) ? "here" : one.present ? "away: their page is closed" : "gone"],
    ["Said", [many(one.messages, "message"), last && [", the last that counts ", last]]],
    one.muted && ["Muted", "yes"],
    one.may && ["May", one.may.join(", ") || "only listen"],
    one.aliases.length > 0 && ["Also known as", listed(one.aliases, ALL_NAMES)],
  ].filter(Boolean);
  return el("dl", { class: "fields" }, rows.flatMap(([label, value]) => [el("dt", {}, label), el("dd", {}, value)]));
}
