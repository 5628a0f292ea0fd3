/** Votes: what is asked, how it stands, one's own ballot, and calling one. */

import { button, el, fill, icon } from "/static/el.js";
import { bdi, clip, many, named } from "/static/text.js";
import { countdown, times, usual } from "./deadline.js";
import { asked, field } from "./form.js";
import { failed } from "./join.js";
import { mayCall, maySpeak, spokenTo } from "./parts.js";
import { missed, tending } from "./tending.js";

const RULES = { majority: "majority", two_thirds: "two thirds", unanimity: "unanimity", consent: "consent", ranked: "ranked" };
const ENDED = 3; // of those that are over, the newest
const CARRIED = { closed: "counted", cancelled: "cancelled" };

/** The children of the votes' part. */
export function votes(ctx, { votes: found = [] }) {
  const running = found.filter((one) => one.status === "open" || one.status === "called");
  const over = found.filter((one) => !running.includes(one)).sort((one, other) => other.n - one.n);
  const calls = maySpeak(ctx) && (ctx.store.get("me").operator || mayCall(ctx));
  if (!found.length && !calls) return [];
  return [
    el("h2", {}, "Votes", found.length > 0 && el("span", { class: "soft" }, String(found.length))),
    ...running.map((one) => vote(ctx, one)),
    over.length > 0 && el("ul", { class: "over", role: "list" }, ...over.slice(0, ENDED).map(ended)),
    calls && el("p", { class: "row" }, button("Call a vote", { class: "button small", onclick: () => call(ctx) }, "vote")),
  ];
}

function vote(ctx, one) {
  const me = ctx.store.get("me").name;
  const elector = Object.hasOwn(one.electorate ?? {}, me);
  return el(
    "article",
    { class: "room-vote", data: { ref: one.ref }, tabindex: "-1", "aria-label": `Vote ${one.ref}` },
    el("p", { class: "room-vote-head" }, el("span", {}, el("span", { class: "handle" }, one.ref), one.proposal && el("span", { class: "soft" }, ` on ${one.proposal}`)), el("span", { class: "soft" }, [RULES[one.rule] ?? one.rule, one.secret && "secret"].filter(Boolean).join(", "))),
    el("p", { class: "question" }, bdi(one.question)),
    tally(one),
    one.missing && el("p", { class: "small" }, bdi(one.missing)),
    waiting(one),
    tending(ctx, one),
    one.status === "called" && maySpeak(ctx) && elector && one.waiting.includes(me) && agreeing(ctx, one),
    one.status === "open" && maySpeak(ctx) && elector && ballot(ctx, one, one.ballots?.[me]),
    one.status === "open" && maySpeak(ctx) && !elector && mayCall(ctx) && el("p", { class: "row" }, step(ctx, "Count now", one.ref, "count", () => ({}), "small")),
  );
}

function tally(one) {
  const whole = Math.max(1, Object.values(one.electorate ?? {}).reduce((sum, weight) => sum + weight, 0));
  const rows = Object.entries(one.tally ?? {});
  if (!rows.length) return null;
  return el("ul", { class: "stands", role: "list" }, ...rows.map(([option, weight]) => el(
    "li",
    { class: SIDES[option] ?? "" },
    el("span", { class: "option" }, bdi(option)),
    el("span", { class: "gauge" }, el("span", { class: "filled", style: { width: `${(100 * weight) / whole}%` } })),
    el("b", {}, String(weight)),
  )));
}

const SIDES = { accept: "support", reject: "oppose" };

function waiting(one) {
  const all = Object.keys(one.electorate ?? {}).length;
  const names = one.waiting ?? [];
  return el(
    "p",
    { class: "soft small" },
    one.ends_ms && [countdown(one), "; "],
    one.status === "called" ? "to be agreed to: " : `${one.voted ?? 0} of ${many(all, "ballot")} cast`,
    names.length > 0 && [one.status === "called" ? "" : "; waits for ", names.slice(0, 6).flatMap((name, at) => [at ? ", " : "", named(name)]), names.length > 6 && ` and ${names.length - 6} more`],
  );
}

function step(ctx, label, ref, path, body, look = "") {
  const press = async (event) => {
    const pressed = event.currentTarget;
    pressed.disabled = true;
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "votes", ref, path), body());
    } catch (error) {
      failed(ctx, error);
    } finally {
      pressed.disabled = false;
    }
  };
  return button(label, { class: `button ${look}`, onclick: press, data: { focus: `${ref}-${label}` } });
}

const agreeing = (ctx, one) =>
  el("p", { class: "row" }, step(ctx, "Agree to vote", one.ref, "confirm", () => ({ agreed: true }), "small primary"), step(ctx, "Do not", one.ref, "confirm", () => ({ agreed: false }), "small"));

const drafts = new Map(); // ballots that were not cast yet: others' ballots draw the part anew

function draft(ctx, one, cast) {
  const [key, sign] = [`${ctx.session} ${one.ref}`, JSON.stringify(cast ?? null)];
  if (drafts.get(key)?.sign !== sign) drafts.set(key, { sign, chosen: [...(cast ?? [])], why: "" });
  return drafts.get(key);
}

/** One's own ballot: a choice, or of a ranked vote an order, made by choosing in turn. */
function ballot(ctx, one, cast) {
  const ranked = one.rule === "ranked";
  const held = draft(ctx, one, cast);
  const { chosen } = held;
  const box = el("div", { class: "options" });
  const why = el("input", { type: "text", maxlength: 2000, placeholder: "Why (optional)", "aria-label": "Why", value: held.why, oninput: () => (held.why = why.value) });
  const draw = () => fill(box, ...[...one.options, "abstain"].map((option) => choice(option)));
  const send = step(ctx, cast ? "Change my ballot" : "Cast my ballot", one.ref, "ballots", () => ({ choice: [...chosen], why: why.value.trim() }), "small primary");
  function choice(option) {
    const place = chosen.indexOf(option);
    const pick = () => {
      const alone = !ranked || option === "abstain" || chosen[0] === "abstain";
      if (place >= 0) chosen.splice(place, 1);
      else if (alone) chosen.splice(0, chosen.length, option);
      else chosen.push(option);
      draw();
      box.querySelector(`[data-option="${CSS.escape(option)}"]`)?.focus();
    };
    return el(
      "button",
      { type: "button", class: `option-button ${SIDES[option] ?? ""}`, "aria-pressed": String(place >= 0), data: { option }, onclick: pick },
      ranked && place >= 0 && el("b", {}, `${place + 1}.`),
      bdi(option),
    );
  }
  send.addEventListener("click", (event) => {
    if (chosen.length) return;
    event.stopImmediatePropagation();
    ctx.notice("Choose first.");
  }, { capture: true });
  draw();
  return el("div", { class: "ballot" }, ranked && el("p", { class: "soft small" }, "Choose in your order, best first."), box, why, el("p", { class: "row" }, send, mayCall(ctx) && step(ctx, "Count now", one.ref, "count", () => ({}), "small")), cast && el("span", { class: "soft small" }, "you chose ", bdi(cast.join(" › "))));
}

/** What was asked stands below how it ended: either may be long. */
function ended(one) {
  const word = one.carried ? el("span", {}, "carries ", el("b", {}, bdi(one.carried))) : missed(one) ? el("span", {}, missed(one)) : CARRIED[one.status] ?? one.status;
  return el("li", { data: { ref: one.ref }, tabindex: "-1" }, el("p", { class: "over-head" }, icon("vote"), el("span", { class: "handle" }, one.ref), " ", word), el("p", { class: "soft over-asked" }, bdi(one.question)));
}

/** Asks for a vote in a dialog; `on` is the proposal that it is meant for. */
export function call(ctx, on = "") {
  const open = (ctx.store.get("board").proposals ?? []).filter((one) => one.status === "active" && spokenTo(one));
  const about = el("select", { id: "vote-on" }, el("option", { value: "" }, "nothing that is proposed"), ...open.map((one) => el("option", { value: one.ref }, `${one.ref} ${bdi(clip(one.text || one.topic, 60)).textContent}`)));
  const question = el("input", { type: "text", id: "vote-question", maxlength: 1000, required: true, placeholder: "Shall we…?" });
  const options = el("textarea", { id: "vote-options", rows: 3, placeholder: "one a line; none: accept or reject" });
  const rule = el("select", { id: "vote-rule" }, el("option", { value: "" }, "as the session has it"), ...Object.entries(RULES).map(([value, label]) => el("option", { value }, label)));
  const secret = el("input", { type: "checkbox", id: "vote-secret" });
  const time = times("vote-time", usual(ctx.store.get("board").participants, ctx.store.get("me").name), "some minutes, as the session has it");
  const chosen = () => {
    const found = open.find((one) => one.ref === about.value);
    if (found && !question.value) question.value = `${clip(found.text || found.topic, 120).replace(/[.?!]$/u, "")}?`;
  };
  about.addEventListener("change", chosen);
  about.value = on;
  chosen();
  asked("Call a vote", [
    field("On", about, "It counts if the chair calls it, or if enough others than the proposer vote: two, unless the session has another number."),
    field("Question", question), field("Options", options), field("Rule", rule),
    field("Counted after", time, "Sooner once everybody has voted. The talk goes on meanwhile where it is longer than the session's own time."),
    el("label", { class: "check" }, secret, el("span", {}, "Secret: nobody is shown who chose what")),
  ], {
    does: "Call it",
    send: () => {
      const lines = options.value.split("\n").map((line) => line.trim()).filter(Boolean);
      return ctx.api.post(ctx.api.of(ctx.session, "votes"), { question: question.value.trim(), ...(about.value && { proposal: about.value }), ...(lines.length && { options: lines }), ...(rule.value && { rule: rule.value }), ...(secret.checked && { secret: true }), ...(time.value && { seconds: Number(time.value) }) });
    },
  });
}
