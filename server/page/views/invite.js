/** Letting somebody in: a link that is good once, or for a program a token. */

import { Problem } from "/static/api.js";
import { button, dialog, el, fill } from "/static/el.js";
import { copy } from "./message.js";
import { field } from "./form.js";

const ROLES = [
  ["person", "a person: speaks and votes"],
  ["observer", "an observer: reads"],
  ["agent", "an agent: a program that takes part"],
  ["operator", "an operator: runs this server"],
];
const POWERS = ["grant", "mute", "pause", "phase", "vote", "close", "interrupt", "moderate"];

/** The dialog; `session` null is for every session. */
export function invite(ctx, session) {
  const name = el("input", { type: "text", id: "invite-name", maxlength: 128, required: true, autocomplete: "off" });
  const role = el("select", { id: "invite-role" }, ...ROLES.map(([value, label]) => el("option", { value }, label)));
  const hours = el("input", { type: "number", id: "invite-hours", min: 1, max: 2160, value: 12, required: true });
  const chair = el("input", { type: "checkbox" });
  const out = el("div", { class: "made", "aria-live": "polite" });
  const submit = async (event) => {
    event.preventDefault();
    const wish = { name: name.value.trim(), role: role.value, session: role.value === "operator" ? "*" : (session ?? "*"), hours: Number(hours.value) };
    if (chair.checked) wish.may = [...POWERS, ...ACTS];
    try {
      fill(out, ...(role.value === "agent" ? await token(ctx, wish) : await link(ctx, wish, session)));
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      fill(out, el("p", { class: "told bad", role: "alert" }, error.message));
    }
  };
  dialog(
    session ? "Invite to this session" : "Invite",
    el(
      "form",
      { class: "form", onsubmit: submit },
      field("Name", name, "What they say is recorded under it; they cannot change it."),
      field("As", role),
      field("For how many hours", hours, "Counted from now."),
      el("label", { class: "check" }, chair, el("span", {}, "May moderate: give the floor, mute, pause, close")),
      el("p", { class: "row end" }, el("button", { class: "button primary" }, "Make the invitation")),
    ),
    out,
  );
}

const ACTS = ["propose", "amend", "withdraw", "support", "oppose", "abstain", "accept", "reject", "decide", "ratify", "dispute", "ask", "inform"];

async function link(ctx, wish, session) {
  const { path, ticket } = await ctx.api.post("/v1/tickets", wish);
  const where = path ?? `${session ? `/s/${session}` : "/"}#ticket=${ticket}`;
  return secret(ctx, new URL(where, location.origin).href, "This link lets in once, within the next ten minutes. Give it to nobody else.");
}

async function token(ctx, wish) {
  const made = await ctx.api.post("/v1/tokens", wish);
  return secret(ctx, made.token, "Send it as “Authorization: Bearer …”. It is shown only now.");
}

function secret(ctx, text, words) {
  const shown = el("input", { type: "text", readonly: true, value: text, class: "secret", "aria-label": "The invitation", onfocus: (event) => event.currentTarget.select() });
  return [el("div", { class: "row" }, shown, button("Copy", { class: "button primary", onclick: () => copy(ctx, text) }, "copy")), el("p", { class: "soft small" }, words)];
}
