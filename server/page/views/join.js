/** Taking part: the box to join, and the one to write in. */

import { newKey, Problem } from "/static/api.js";
import { button, el, fill, icon } from "/static/el.js";
import { hears } from "/static/store.js";
import { bdi, clip, named } from "/static/text.js";
import { whyClosed } from "./closed.js";

const ACTS = [
  ["", "Say"], ["propose", "Propose"], ["amend", "Amend"], ["support", "Support"], ["oppose", "Oppose"], ["abstain", "Abstain"], ["ask", "Ask"],
  ["inform", "Inform"], ["decide", "Decide"], ["ratify", "Ratify"], ["dispute", "Dispute"], ["accept", "Accept"], ["reject", "Reject"], ["withdraw", "Withdraw"],
];
const ABOUT = new Set(["amend", "support", "oppose", "abstain", "ratify", "dispute", "accept", "reject", "withdraw", "decide"]);
const LONGEST = 1048576; // bytes of a message
const AGAIN_MS = 3000; // until what could not be sent is tried again
const AWAY = new Set([0, 503]); // statuses of a server, or its Redis, that is away

export function mount(root, ctx) {
  const composer = written(ctx);
  const update = () => fill(root, ...state(ctx, composer));
  const off = hears(ctx.store, { me: update, at: update, session: update, board: () => changed(ctx, root) && update(), replying: () => composer.answering() });
  update();
  composer.answering();
  return { unmount: () => (off(), composer.end(), fill(root)) };
}

/** Which of the boxes stands, as a word. */
function kind(ctx) {
  const { store } = ctx;
  const me = store.get("me");
  const board = store.get("board");
  if (board?.closed) return "closed";
  if (store.get("at") !== null) return "past";
  if (me.role === "operator") return "operator";
  if (me.role === "observer") return "observer";
  return present(board, me.name) ? "here" : "outside";
}

const present = (board, name) => board?.participants?.some((one) => one.name === name && one.present && one.role);

const changed = (ctx, root) => root.dataset.kind !== kind(ctx);

function state(ctx, composer) {
  const now = kind(ctx);
  composer.root.parentElement?.replaceChildren();
  queueMicrotask(() => composer.root.isConnected && composer.fit());
  ctx.writes = now;
  const host = document.querySelector(".write");
  if (host) host.dataset.kind = now;
  if (now === "closed") return [el("p", { class: "told" }, "This session is closed: ", bdi(clip(whyClosed(ctx.store.get("board").closed), 200)), ".")];
  if (now === "past") return [el("p", { class: "told" }, "You are looking at the past. Come back to now to take part.")];
  if (now === "observer") return [el("p", { class: "told" }, "You are watching. To speak, ask for a link as a participant.")];
  if (now === "operator") return [joinAs(ctx)];
  return [now === "outside" ? joinBox(ctx) : null, composer.root];
}

/** A participant who has not taken a seat yet: speaking needs none, being seen does. */
function joinBox(ctx) {
  const me = ctx.store.get("me");
  return el(
    "div",
    { class: "join" },
    el("p", {}, "You may speak as ", named(me.name), ". Join, and the others see that you are here."),
    button("Join", { class: "button primary", onclick: (event) => sit(ctx, event.currentTarget) }, "person"),
  );
}

async function sit(ctx, pressed) {
  pressed.disabled = true;
  try {
    await ctx.api.post(ctx.api.of(ctx.session, "seats"), {});
    await fresh(ctx);
  } catch (error) {
    failed(ctx, error);
  } finally {
    pressed.disabled = false;
  }
}

/** An operator looks after the server; to take part they take a name in this session. */
function joinAs(ctx) {
  const field = el("input", { type: "text", id: "join-name", maxlength: 128, required: true, autocomplete: "nickname", placeholder: "Your name here" });
  const told = el("p", { class: "told bad", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    told.textContent = "";
    try {
      const { ticket } = await ctx.api.post("/v1/tickets", { name: field.value.trim(), session: ctx.session, role: "person" });
      await ctx.api.post("/v1/login", { ticket });
      ctx.store.set("me", await ctx.api.get(ctx.api.of(ctx.session, "me")));
      await ctx.api.post(ctx.api.of(ctx.session, "seats"), {});
      await fresh(ctx);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      told.textContent = error.message;
    }
  };
  return el("form", { class: "join", onsubmit: submit }, el("label", { for: "join-name" }, "Take part as"), field, el("button", { class: "button primary" }, icon("person"), el("span", {}, "Join")), told);
}

async function fresh(ctx) {
  ctx.store.set("board", await ctx.api.get(ctx.api.of(ctx.session, "view")));
  document.querySelector(".write textarea")?.focus();
}

/** Give the seat back; an operator is only an operator again. */
export async function leave(ctx) {
  try {
    await ctx.api.del(ctx.api.of(ctx.session, "seats", "me"));
    if (ctx.me?.operator) {
      await ctx.api.ask("POST", "/v1/logout", { query: { session: ctx.session }, body: {} });
      ctx.store.set("me", await ctx.api.get(ctx.api.of(ctx.session, "me")));
    }
    await fresh(ctx);
  } catch (error) {
    failed(ctx, error);
  }
}

export function failed(ctx, error) {
  if (!(error instanceof Problem)) throw error;
  ctx.notice(error.message, "bad");
}

function written(ctx) {
  const draft = `parley-draft-${ctx.session}`;
  const field = el("textarea", { id: "say", rows: 1, placeholder: "Write to everybody…", "aria-label": "Your message", value: sessionStorage.getItem(draft) ?? "" });
  const act = el("select", { "aria-label": "What the message does" }, ...ACTS.map(([name, label]) => el("option", { value: name }, label)));
  const about = el("select", { class: "about", "aria-label": "Which proposal or decision", hidden: true });
  const quote = el("div", { class: "replying", hidden: true });
  const told = el("p", { class: "told bad", role: "alert" });
  const send = button("Send", { class: "button primary send", type: "submit" }, "send");
  const root = el("form", { class: "composer" }, quote, field, el("div", { class: "composer-tools" }, act, about, told, el("span", { class: "end" }, el("span", { class: "soft hint wide-only" }, el("kbd", {}, "Enter"), " sends"), send)));
  const state = { key: null, busy: false, again: 0 };

  function fit() {
    field.style.height = "auto";
    field.style.height = `${Math.min(field.scrollHeight + 2, 240)}px`;
  }
  function aim() {
    const { re } = ctx.store.get("replying") ?? {};
    about.hidden = !ABOUT.has(act.value);
    root.dataset.act = act.value;
    if (!about.hidden) fill(about, ...options(ctx, typeof re === "string" ? re : about.value, act.value));
  }
  function answering() {
    const found = ctx.store.get("replying");
    if (found?.act) act.value = found.act;
    quote.hidden = !found || (found.re === null && !found.said);
    if (!quote.hidden) fill(quote, ...answers(ctx, found));
    aim();
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
    const { re } = ctx.store.get("replying") ?? {};
    const body = { content, ...(act.value && { act: act.value }), ...target(re) };
    Object.assign(state, { busy: true, key: state.key ?? newKey() });
    send.disabled = true;
    told.textContent = "";
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "messages"), body, { key: state.key });
      state.key = null;
      field.value = "";
      act.value = "";
      sessionStorage.removeItem(draft);
      ctx.store.set("replying", null);
      fit();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      if (!AWAY.has(error.status)) {
        state.key = null;
        told.textContent = error.message;
      } else { // under the same key, so that it is said once however often it was tried
        told.textContent = `${error.message} What you wrote is kept, and sent once it answers.`;
        state.again = setTimeout(() => submit(), AGAIN_MS);
      }
    } finally {
      state.busy = false;
      send.disabled = false;
      field.focus();
    }
  }
  function target(re) {
    const named = about.hidden ? null : about.value || null;
    const found = named ?? re ?? null;
    return found === null ? {} : { re: found };
  }

  root.addEventListener("submit", submit);
  act.addEventListener("change", aim);
  field.addEventListener("input", () => {
    fit();
    clearTimeout(state.again);
    state.key = null;
    told.textContent = "";
    sessionStorage.setItem(draft, field.value.slice(0, 100000));
  });
  field.addEventListener("keydown", (event) => {
    const plain = event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (plain && (event.ctrlKey || event.metaKey || matchMedia("(pointer: fine)").matches)) submit(event);
  });
  return { root, fit, answering, end: () => clearTimeout(state.again) };
}

/** What an act can be about: what stands open, newest first; a decision settles a proposal. */
function options(ctx, chosen, act) {
  const board = ctx.store.get("board");
  const settles = act === "decide";
  const open = (board?.proposals ?? []).filter((one) => one.status === "active" || one.ref === chosen);
  const decided = settles ? [] : (board?.decisions ?? []).filter((one) => one.status !== "superseded").slice(0, 20);
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
