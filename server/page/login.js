/** Coming in: a ticket in the address is used at once; whoever has none is told what to do. */

import { ask, Problem } from "/static/api.js";
import { el } from "/static/el.js";

/** Use the ticket that the address carries, which leaves the address first. True if it had one. */
export async function redeem() {
  const ticket = new URLSearchParams(location.hash.slice(1)).get("ticket");
  if (!ticket) return false;
  history.replaceState(null, "", location.pathname + location.search);
  await logIn(ticket);
  return true;
}

const logIn = (ticket) => ask("POST", "/v1/login", { body: { ticket }, tries: 1 });

const WORDS = {
  "token-missing": ["Come in", "This page opens with a link that is good once. Whoever runs this server can give you one."],
  "token-expired": ["Your time here is over", "What let you in has expired. Ask for a new link."],
  "token-invalid": ["This link opens nothing", "It was used before, or it is too old, or it is of another server. Ask for a new one."],
  "other-session": ["You were not let into this one", "Your link is for another session."],
  "no-session": ["There is no such session", "It may have been deleted, or its name is written otherwise."],
  forbidden: ["This is not for you", "Your link does not give you the right to see it."],
};

/** What stands where a view would, if `error` keeps one out. */
export function doorway(error, { again }) {
  const [title, text] = WORDS[error.slug] ?? ["This did not work", error.message];
  const outside = error.status === 401;
  return [
    el(
      "main",
      { class: "doorway", id: "main" },
      el("img", { src: "/static/favicon.svg", alt: "", width: 56, height: 56 }),
      el("h1", {}, title),
      el("p", {}, text),
      outside ? form(again) : others(error, again),
      outside && el("p", { class: "soft" }, "On the machine it runs on: ", el("code", {}, "parley token operator --role operator --link")),
    ),
  ];
}

function others(error, again) {
  return el(
    "p",
    { class: "row center" },
    el("a", { class: "button", href: "/" }, "All sessions"),
    error.status !== 404 && el("button", { type: "button", class: "button", onclick: again }, "Try again"),
  );
}

function form(again) {
  const field = el("input", { type: "text", id: "ticket", autocomplete: "off", spellcheck: "false", required: true, placeholder: "…#ticket=…" });
  const told = el("p", { class: "told bad", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    told.textContent = "";
    try {
      await logIn(field.value.trim().replace(/^.*[#&]ticket=/u, ""));
      again();
    } catch (failed) {
      if (!(failed instanceof Problem)) throw failed;
      told.textContent = failed.status === 401 ? WORDS["token-invalid"][1] : failed.message;
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
