/** What keeps a vote going: who is awaited is reminded, and it is given more time; and how it ended. */

import { newKey } from "/static/api.js";
import { button, el } from "/static/el.js";
import { bdi, clip, visible } from "/static/text.js";
import { span, times } from "./deadline.js";
import { asked, field } from "./form.js";
import { failed } from "./join.js";
import { maySpeak, mayCall } from "./parts.js";

const AGAIN_MS = 10 * 60 * 1000; // between two reminders from this page: nobody is to be nagged
const reminded = new Map(); // by session and vote: when

/** ": accept 3, reject 1."; a full stop alone where no counts are told. */
export const tallied = (vote) => (vote.tally ? [": ", counts(vote.tally).flatMap(([option, weight], at) => [at ? ", " : "", bdi(option), ` ${weight}`]), "."] : ".");

const counts = (tally) => Object.entries(tally).filter(([option, weight]) => weight || option !== "abstain");

/** How a vote ended that came to nothing, with its counts; null of any other. */
export function missed(vote) {
  if (!["short", "failed"].includes(vote?.status)) return null;
  return [vote.status === "short" ? "ended without a quorum" : "carried nothing", tallied(vote)];
}

/** Buttons for whoever called a vote, or may call one, while it is open. */
export function tending(ctx, vote) {
  const mine = vote.participant === ctx.store.get("me")?.name;
  if (vote.status !== "open" || !maySpeak(ctx) || !(mine || mayCall(ctx))) return null;
  const others = vote.waiting.filter((name) => name !== ctx.store.get("me").name);
  return el(
    "p",
    { class: "row tending" },
    others.length > 0 && remind(ctx, vote, others),
    button("More time", { class: "button small", data: { focus: `more-${vote.ref}` }, "aria-label": `More time for ${vote.ref}`, onclick: () => extend(ctx, vote) }),
  );
}

function remind(ctx, vote, names) {
  const key = `${ctx.session} ${vote.ref}`;
  const done = Date.now() - (reminded.get(key) ?? -AGAIN_MS) < AGAIN_MS;
  const press = async () => {
    pressed.disabled = true;
    try {
      const content = `${vote.ref} waits for your ballot: “${visible(clip(vote.question, 200))}”`;
      await ctx.api.post(ctx.api.of(ctx.session, "messages"), { content, act: "inform", to: names.slice(0, 100) }, { key: newKey() });
      reminded.set(key, Date.now());
      pressed.lastElementChild.textContent = "Reminded";
    } catch (error) {
      pressed.disabled = false;
      failed(ctx, error);
    }
  };
  const pressed = button(done ? "Reminded" : "Remind them", { class: "button small", disabled: done, data: { focus: `remind-${vote.ref}` }, title: `A message to ${names.map(visible).join(", ")}`, onclick: press });
  return pressed;
}

function extend(ctx, vote) {
  const more = times("vote-more", 86400);
  asked(`More time for ${vote.ref}`, [field("Counted later by", more)], {
    does: "Give it",
    send: async () => {
      await ctx.api.post(ctx.api.of(ctx.session, "votes", vote.ref, "extend"), { seconds: Number(more.value) }, { key: newKey() });
      ctx.notice(`${vote.ref} has ${span(Number(more.value))} more.`);
    },
  });
}
