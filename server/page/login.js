/** Coming in: a ticket in the address is used at once; whoever has none is told what to do. */

import { ask, of, Problem } from "/static/api.js";
import { el } from "/static/el.js";

/** The ticket that the address carries, taken out of it; else null. */
export function brought() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (ticket !== null) history.replaceState(null, "", location.pathname + location.search);
  return ticket || null;
}

/** Come in, to the page or to the session `name`: `{me, kept_out, ticket}`, whatever it is. */
export function visit(name, ticket = null) {
  const path = name ? of(name, "visit") : "/v1/visit";
  return ask("POST", path, { body: ticket ? { ticket: ticket.slice(0, 4096) } : {}, tries: ticket ? 1 : undefined });
}

const WORDS = {
  "token-missing": ["Come in", "This page opens with a link that is good once. Whoever runs this server can give you one."],
  "token-expired": ["Your time here is over", "What let you in has expired. Ask for a new link."],
  "token-invalid": ["This link opens nothing", "It was used before, or it is too old, or it is of another server. Ask for a new one."],
  "other-session": ["You were not let into this one", "Your link is for another session."],
  "no-session": ["There is no such session", "It may have been deleted, or its name is written otherwise."],
  forbidden: ["This is not for you", "Your link does not give you the right to see it."],
};

const OUTSIDE = new Set(["token-missing", "token-expired", "token-invalid"]);

/** What stands where a view would, if one is kept out: `slug` says by what. */
export function doorway(slug, { message = "", name = null, me = null, again, enter } = {}) {
  const [title, text] = WORDS[slug] ?? ["This did not work", message];
  return [
    el(
      "main",
      { class: "doorway", id: "main" },
      el("img", { src: "/static/favicon.svg", alt: "", width: 56, height: 56 }),
      el("h1", {}, title),
      name && me && el("p", { class: "which" }, el("code", {}, name)),
      el("p", {}, text),
      OUTSIDE.has(slug) ? form(name, enter) : others(slug, me, again),
      OUTSIDE.has(slug) && el("p", { class: "soft" }, "On the machine it runs on: ", el("code", {}, "parley token operator --role operator --link")),
    ),
  ];
}

/** The list is for those who may see other sessions too; a person of one session has their own. */
function others(slug, me, again) {
  const own = me && me.session !== "*" && !me.operator ? me.session : null;
  return el(
    "p",
    { class: "row center" },
    own ? el("a", { class: "button primary", href: `/s/${own}` }, "Your session") : el("a", { class: "button primary", href: "/" }, "All sessions"),
    !WORDS[slug] && el("button", { type: "button", class: "button", onclick: again }, "Try again"),
  );
}

/** Where one pastes a link; `enter(found)` goes on with whoever came in. */
function form(name, enter) {
  const field = el("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false", required: true, placeholder: "…#ticket=…" });
  const told = el("p", { class: "told bad", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    told.textContent = "";
    try {
      const found = await visit(name, field.value.trim().replace(/^.*[#&]ticket=/u, ""));
      if (found.ticket) enter(found);
      else told.textContent = WORDS["token-invalid"][1];
    } catch (failed) {
      if (!(failed instanceof Problem)) throw failed;
      told.textContent = failed.message;
    }
  };
  return el(
    "form",
    { class: "row center", onsubmit: submit },
    el("label", { for: "ticket", class: "unseen" }, "Link or ticket"),
    field,
    el("button", { class: "button primary" }, "Enter"),
    told,
  );
}
