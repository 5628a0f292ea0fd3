/** Taking part: the box to join, or why one may not, over the one to write in. */

import { Problem } from "/static/api.js";
import { button, el, fill, icon } from "/static/el.js";
import { hears } from "/static/store.js";
import { bdi, clip, named } from "/static/text.js";
import { whyClosed } from "./closed.js";
import { written } from "./composer.js";

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
