/** The side: the floor and who asks for it, votes, who is here, what it costs. */

import { button, el, fill, icon } from "/static/el.js";
import { hears } from "/static/store.js";
import { avatar, bdi, count, many, money, named } from "/static/text.js";
import { act, may } from "./acting.js";
import { askNotified, notified } from "./attention.js";
import { whyClosed } from "./closed.js";
import { asked, field } from "./form.js";
import { goals } from "./goals.js";
import { people } from "./people.js";
import { votes } from "./votes.js";

const POLICIES = { open: "Everybody speaks when they like.", floor: "One speaks at a time; whoever would, asks." };

export function mount(root, ctx) {
  const parts = [["floor", floor], ["votes", votes], ["goals", goals], ["people", people], ["attention", attention], ["usage", usage], ["end", end]].map(([name, make]) => ({ make, box: el("section", { class: `part part-${name}` }), was: "" }));
  fill(root, ...parts.map((part) => part.box));
  const update = () => parts.forEach((part) => draw(part, ctx));
  const off = hears(ctx.store, { away: update, board: update, me: update, at: update });
  update();
  return { unmount: () => (off(), fill(root)) };
}

/** Draw a part anew where it changed, and where nobody is typing in it. */
function draw(part, ctx) {
  const { store } = ctx;
  const board = store.get("board");
  const sign = JSON.stringify([board.floor, board.votes, board.goals, board.participants, board.usage, board.closed, store.get("me"), store.get("at"), part.make === people && store.get("away"), part.make === votes ? board.proposals?.map((one) => one.ref) : 0]);
  if (sign === part.was) return;
  const focus = part.box.contains(document.activeElement) ? document.activeElement : null;
  if (focus?.matches("input:not([type=radio]), select, textarea")) return;
  part.was = sign;
  const label = focus?.dataset.focus;
  fill(part.box, ...part.make(ctx, board));
  if (label) part.box.querySelector(`[data-focus="${CSS.escape(label)}"]`)?.focus();
}

function floor(ctx, { floor: found, closed }) {
  if (closed) return [el("h2", {}, "Over"), over(found, closed)];
  const open = found.policy === "open";
  const bids = found.queue.map((name) => found.bids.find((bid) => bid.participant === name)).filter(Boolean);
  return [
    el("h2", {}, "Floor", found.epoch > 0 && !open && el("span", { class: "soft" }, many(found.turns, "turn"))),
    found.paused && el("p", { class: "banner warn" }, icon("pause"), el("span", {}, "Paused", found.paused !== true && [": ", bdi(String(found.paused))])),
    found.holder ? holder(ctx, found.holder) : el("p", { class: "soft" }, open ? POLICIES.open : `The floor is free. ${POLICIES.floor}`),
    bids.length > 0 && el("ol", { class: "bids", role: "list", "aria-label": "Who asks for the floor" }, ...bids.map((bid) => asking(ctx, bid))),
    found.passed?.length > 0 && el("p", { class: "soft small" }, "passed: ", found.passed.flatMap((name, at) => [at ? ", " : "", bdi(name)])),
    el("p", { class: "row" }, may(ctx, "pause") && (found.paused ? act(ctx, "Resume", "play", "resume", {}) : act(ctx, "Pause", "pause", "pause", {}))),
  ];
}

/** How it ended; who spoke by the floor took turns. */
const over = (found, closed) =>
  el("p", { class: "soft" }, "It closed: ", bdi(whyClosed(closed)), ".", found.turns > 0 && ` ${many(found.turns, "turn")} ${found.turns === 1 ? "was" : "were"} taken.`);

const holder = (ctx, name) =>
  el(
    "div",
    { class: "holder" },
    avatar(name),
    el("div", { class: "grow" }, named(name), el("span", { class: "soft block" }, "has the floor")),
    may(ctx, "interrupt") && act(ctx, "Interrupt", "stop", "interrupt", {}, { look: "danger" }),
  );

function asking(ctx, bid) {
  const dots = el("span", { class: `urgency u${bid.urgency}`, role: "img", "aria-label": `urgency ${bid.urgency} of 3` }, ...[1, 2, 3].map(() => el("i")));
  return el(
    "li",
    {},
    avatar(bid.participant),
    el("div", { class: "grow" }, named(bid.participant), el("span", { class: "soft block" }, `to ${bid.intent}`, bid.re && ` on ${bid.re}`, bid.novelty && [": ", bdi(bid.novelty)])),
    dots,
    may(ctx, "grant") && act(ctx, "Grant", null, "grant", { participant: bid.participant }),
  );
}

/** Notifications of the browser; it is asked for them on a press alone. */
function attention(ctx, { closed }) {
  const takesPart = ["person", "agent"].includes(ctx.store.get("me").role);
  if (closed || !takesPart || ctx.store.get("at") !== null || !globalThis.Notification) return [];
  const told = el("p", { class: "soft small", role: "status" });
  const label = () => (notified() ? "Do not notify me" : "Notify me here");
  const press = button(label(), { class: "button small", data: { focus: "notify" }, title: "When you are mentioned, asked to vote, or given the floor while you look elsewhere" }, "bell");
  press.addEventListener("click", async () => {
    const wanted = !notified();
    if (wanted && !(await askNotified(true))) told.textContent = "The browser does not allow it; its settings for this page do.";
    else if (!wanted) await askNotified(false);
    press.lastChild.textContent = label();
  });
  return [el("p", { class: "row" }, press), told];
}

function usage(ctx, { usage: found }) {
  if (!found?.tokens && !found?.micros) return [];
  const most = Math.max(...found.by.map((one) => one.tokens), 1);
  return [
    el("h2", {}, "Cost"),
    el("div", { class: "sums" }, sum(count(found.tokens), "tokens"), sum(money(found.micros), "spent")),
    el("ul", { class: "spent", role: "list" }, ...[...found.by].sort((one, other) => other.tokens - one.tokens).slice(0, 8).map((one) => spent(one, most))),
  ];
}

const sum = (number, word) => el("p", {}, el("b", {}, number), el("span", { class: "soft" }, word));

function spent(one, most) {
  return el(
    "li",
    {},
    named(one.participant),
    el("span", { class: "gauge" }, el("span", { class: "filled", style: { width: `${(100 * one.tokens) / most}%` } })),
    el("span", { class: "soft number", title: `${money(one.micros)} spent` }, count(one.tokens)),
  );
}

function end(ctx) {
  return may(ctx, "close") ? [el("p", { class: "row" }, button("Close the session", { class: "button small danger", onclick: () => close(ctx) }, "close"))] : [];
}

/** Nothing can be said in a closed session, so it is asked for twice. */
function close(ctx) {
  const reason = el("input", { type: "text", id: "close-reason", maxlength: 500, placeholder: "decided" });
  asked("Close the session", [el("p", {}, "It takes no more messages, votes or people. What it came to stays to be read."), field("Why", reason)], {
    does: "Close it", look: "danger", not: "Leave it open",
    send: () => ctx.api.post(ctx.api.of(ctx.session, "close"), reason.value.trim() ? { reason: reason.value.trim() } : {}),
  });
}
