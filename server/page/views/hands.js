/** A hand in an item, one press each: for it, against it, neither; a ballot in the vote on it. */

import { newKey } from "/static/api.js";
import { button, el } from "/static/el.js";
import { bdi } from "/static/text.js";
import { failed } from "./join.js";
import { SIGNS, mayCall, maySpeak, sign } from "./parts.js";
import { hold, now, pending, undo, wait } from "./pending.js";
import { react } from "./source.js";
import { call } from "./votes.js";

const STANCES = [["support", "Support", "support"], ["oppose", "Oppose", "oppose"], ["abstain", "Abstain", "neutral"]];
const DONE = { support: "You support it.", oppose: "You oppose it.", abstain: "You abstain." };
const SIDES = { accept: "support", reject: "oppose", abstain: "neutral" };
const LABELS = { accept: "Accept", reject: "Reject", abstain: "Abstain" };

/** On an open proposal; `vote` is the one that runs on it, if one does. */
export function hands(ctx, row, vote = null, redraw = () => {}) {
  if (!maySpeak(ctx)) return null;
  const me = ctx.store.get("me")?.name;
  const key = `${ctx.session} ${row.ref}`;
  const send = (one, given) => react(ctx, one.choice, row.ref, one.why, one.id, given);
  const presses = STANCES.map(([act, label, side]) =>
    press(row.ref, { act, label, side, mine: (row.stances?.[side] ?? []).includes(me) }, () => begin(key, act, send, redraw)));
  const calls = !vote && mayCall(ctx) && button("Vote", { class: "hand", data: { focus: `vote-${row.ref}` }, "aria-label": `Call a vote on ${row.ref}`, onclick: () => call(ctx, row.ref) }, "vote");
  return box(key, row.ref, [...presses, calls], (choice) => DONE[choice]);
}

/** On a vote that is open: a ballot by one press; a ranked one is filled in in the room. */
export function ballots(ctx, vote, redraw = () => {}) {
  const me = ctx.store.get("me")?.name;
  if (!maySpeak(ctx) || !Object.hasOwn(vote.electorate ?? {}, me)) return null;
  if (vote.status === "called") return vote.waiting.includes(me) ? agreeing(ctx, vote) : null;
  if (vote.rule === "ranked") return el("div", { class: "hands" }, button("Vote", { class: "hand", onclick: () => ctx.go({ view: "room", ref: vote.ref }) }, "vote"));
  const key = `${ctx.session} ${vote.ref}`;
  const send = (one, given) => ctx.api.post(ctx.api.of(ctx.session, "votes", vote.ref, "ballots"), { choice: [one.choice], why: one.why }, { key: one.id, ...given });
  const cast = vote.ballots?.[me] ?? [];
  const presses = [...vote.options, "abstain"].map((option) =>
    press(vote.ref, { act: option, label: LABELS[option] ?? option, side: SIDES[option] ?? "", mine: cast.includes(option) }, () => begin(key, option, send, redraw)));
  return box(key, vote.ref, presses, (choice) => ["Your ballot: ", bdi(LABELS[choice] ?? choice), "."]);
}

function begin(key, choice, send, redraw) {
  hold({ key, choice, why: "", id: newKey(), fresh: true }, send, redraw);
  redraw();
}

const press = (ref, { act, label, side, mine }, onclick) =>
  el(
    "button",
    { class: `hand ${side}`, type: "button", data: { act, option: act, focus: `${act}-${ref}` }, "aria-pressed": String(mine), onclick },
    SIGNS[side] && sign(SIGNS[side]),
    bdi(label),
  );

/** The presses; or, after one, what was pressed, with a field for the reason and the way back. */
function box(key, ref, presses, told) {
  const one = pending(key);
  if (!one) return el("div", { class: "hands" }, el("div", { class: "hand-row" }, presses));
  return el("div", { class: "hands" }, after(one, ref, told(one.choice)), one.refused && el("p", { class: "refused", role: "alert" }, one.refused));
}

function after(one, ref, told) {
  const field = el("input", {
    type: "text", maxlength: "2000", value: one.why, placeholder: "Why? (you may leave it out)", "aria-label": `Why, on ${ref}`,
    data: { focus: `why-field-${ref}` }, disabled: one.sending,
    oninput: () => {
      one.why = field.value.trim();
      wait(one.key);
    },
  });
  const form = el(
    "form",
    { class: `because ${SIDES[one.choice] ?? one.choice}` },
    el("span", { class: "because-told", role: "status" }, told),
    field,
    el("button", { type: "submit", disabled: one.sending }, one.refused ? "Try again" : "Say it"),
    el("button", { type: "button", class: "undo", disabled: one.sending, data: { focus: `undo-${ref}` }, onclick: () => undo(one.key) }, "Undo"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    now(one.key);
  });
  form.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    undo(one.key);
  });
  if (one.fresh) {
    one.fresh = false;
    requestAnimationFrame(() => field.focus({ preventScroll: true }));
  }
  return form;
}

function agreeing(ctx, vote) {
  const send = (agreed) => async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "votes", vote.ref, "confirm"), { agreed });
    } catch (error) {
      failed(ctx, error);
    } finally {
      pressed.disabled = false;
    }
  };
  return el("div", { class: "hands" }, el("div", { class: "hand-row" },
    el("button", { type: "button", class: "hand", data: { focus: `agree-${vote.ref}` }, onclick: send(true) }, "Agree to vote now"),
    el("button", { type: "button", class: "hand", data: { focus: `disagree-${vote.ref}` }, onclick: send(false) }, "Do not")));
}
