/** The box to write in: what is typed is kept as a draft until it is said. */

import { AGAIN_MS, AWAY, newKey, Problem } from "/static/api.js";
import { button, el, fill, icon } from "/static/el.js";
import { bdi, clip, named } from "/static/text.js";
import { Draft } from "./draft.js";
import { completion } from "./mentions.js";
import { spokenTo } from "./parts.js";

const ACTS = [
  ["", "Say"], ["propose", "Propose"], ["amend", "Amend"], ["support", "Support"], ["oppose", "Oppose"], ["abstain", "Abstain"], ["ask", "Ask"],
  ["inform", "Inform"], ["decide", "Decide"], ["ratify", "Ratify"], ["dispute", "Dispute"], ["accept", "Accept"], ["reject", "Reject"], ["withdraw", "Withdraw"],
];
const ABOUT = new Set(["amend", "support", "oppose", "abstain", "ratify", "dispute", "accept", "reject", "withdraw", "decide"]);
const LONGEST = 1048576; // bytes of a message

/** Gives `{root, fit(), answering(), end()}`: the form, and what keeps it to what the store says. */
export function written(ctx) {
  const draft = new Draft(ctx.session);
  const field = el("textarea", { id: "say", rows: 1, placeholder: "Write to everybody…", "aria-label": "Your message", value: draft.text });
  const act = el("select", { "aria-label": "What the message does" }, ...ACTS.map(([name, label]) => el("option", { value: name, selected: name === draft.act }, label)));
  const about = el("select", { class: "about", "aria-label": "Which proposal or decision", hidden: true });
  const quote = el("div", { class: "replying", hidden: true });
  const told = el("p", { class: "told bad", role: "alert" });
  const send = button("Send", { class: "button primary send", type: "submit" }, "send");
  const names = completion(ctx, field, () => typed());
  const root = el("form", { class: "composer" }, quote, el("div", { class: "field" }, field, names.list), el("div", { class: "composer-tools" }, act, about, told, el("span", { class: "end" }, el("span", { class: "soft hint wide-only" }, el("kbd", {}, "Enter"), " sends"), send)));
  const state = { busy: false, again: 0 };
  if (draft.replying) ctx.store.set("replying", draft.replying);

  function fit() {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 240)}px`;
  }
  function aim() {
    const { re } = ctx.store.get("replying") ?? {};
    about.hidden = !ABOUT.has(act.value);
    root.dataset.act = act.value;
    if (!about.hidden) fill(about, ...options(ctx, typeof re === "string" ? re : about.value || draft.about, act.value));
  }
  function answering() {
    const found = ctx.store.get("replying");
    if (found?.act) act.value = found.act;
    quote.hidden = !found || (found.re === null && !found.said);
    if (!quote.hidden) fill(quote, ...answers(ctx, found));
    aim();
    keep();
  }
  const keep = (more = {}) => draft.keep({ text: field.value, act: act.value, about: about.hidden ? "" : about.value, replying: ctx.store.get("replying"), ...more });
  /** Other words are another message: what was to be sent is not what stands there now. */
  function typed() {
    fit();
    clearTimeout(state.again);
    told.textContent = "";
    keep({ key: null });
  }
  async function submit(event) {
    event?.preventDefault();
    const content = field.value.trim();
    if (!content || state.busy) return;
    if (new TextEncoder().encode(content).length > LONGEST) return void (told.textContent = "That is longer than a mebibyte; attach it elsewhere and say where.");
    await sent(content);
  }
  async function sent(content) {
    clearTimeout(state.again);
    const body = { content, ...(act.value && { act: act.value }), ...target() };
    keep({ key: draft.key ?? newKey(), who: ctx.store.get("me")?.name });
    state.busy = send.disabled = true;
    told.textContent = "";
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "messages"), body, { key: draft.key });
      field.value = act.value = "";
      ctx.store.set("replying", null);
      draft.forget();
      fit();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      refused(error);
    } finally {
      state.busy = send.disabled = false;
      field.focus();
    }
  }
  /** What may come right is tried again under the same key, so that it is said once however often. */
  function refused(error) {
    if (AWAY.has(error.status)) {
      told.textContent = `${error.message} What you wrote is kept, and sent once it answers.`;
      state.again = setTimeout(() => submit(), AGAIN_MS);
    } else if (error.status === 401) { // the banner says what to do
      ctx.store.set("status", { ...ctx.store.get("status"), line: "ended", why: error.slug });
    } else {
      keep({ key: null });
      told.textContent = error.message;
    }
  }
  function target() {
    const { re } = ctx.store.get("replying") ?? {};
    const found = (about.hidden ? null : about.value || null) ?? re ?? null;
    return found === null ? {} : { re: found };
  }

  root.addEventListener("submit", submit);
  act.addEventListener("change", () => (aim(), typed()));
  about.addEventListener("change", typed);
  field.addEventListener("input", typed);
  field.addEventListener("keydown", (event) => {
    if (names.pressed(event)) return;
    const plain = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (plain && (event.ctrlKey || event.metaKey || matchMedia("(pointer: fine)").matches)) submit(event);
  });
  // it was on its way when the page was left
  if (draft.key && draft.who === ctx.store.get("me")?.name) state.again = setTimeout(() => submit(), 0);
  return { root, fit, answering, end: () => (clearTimeout(state.again), names.end()) };
}

/** What an act can be about: what stands open, newest first; a decision settles a proposal. */
function options(ctx, chosen, act) {
  const board = ctx.store.get("board");
  const settles = act === "decide";
  const open = (board?.proposals ?? []).filter((one) => (one.status === "active" && spokenTo(one)) || one.ref === chosen);
  const decided = settles ? [] : (board?.decisions ?? []).filter((one) => one.status !== "superseded" && spokenTo(one)).slice(0, 20);
  const rows = [...open, ...decided].map((one) => [one.ref, `${settles ? "settles " : ""}${one.ref} ${clip(one.text || one.outcome || one.topic, 48)}`]);
  return [["", settles ? "settles nothing that is proposed" : "as it stands"], ...rows].map(([value, label]) => el("option", { value, selected: value === chosen }, bdi(label).textContent));
}

function answers(ctx, { re, said }) {
  return [
    icon("reply"),
    el("span", { class: "answered-words" }, typeof re === "number" ? `#${re} ` : `${re ?? ""} `, said?.who && named(said.who), said?.text && [" ", bdi(clip(said.text, 100), { class: "soft" })]),
    button("Answer nothing", { class: "button bare", onclick: () => ctx.store.set("replying", null) }, "close", false),
  ];
}
