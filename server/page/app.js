/** The page: which view stands, who one is, and the keys. */

import { api, Problem } from "/static/api.js";
import { button, el, fill } from "/static/el.js";
import { keys, showHelp } from "/static/keyboard.js";
import { loading } from "/static/loading.js";
import { brought, doorway, visit } from "/static/login.js";
import * as list from "/static/views/list.js";
import * as session from "/static/session.js";

const root = document.getElementById("app");
const notices = document.getElementById("notices");
const page = { mounted: null, name: null, round: 0 };

/** A line that comes and goes at the edge of the page; `kind` is good, bad or none. */
export function notice(text, kind = "") {
  const line = el("p", { class: `notice ${kind}` }, text);
  notices.append(line);
  setTimeout(() => line.remove(), kind === "bad" ? 9000 : 4000);
}

/** Go to the list, or to a session. */
export function open(path) {
  if (path !== location.pathname) history.pushState(null, "", path);
  return show();
}

/** The tools at the right of every head. */
export function tools(...more) {
  return el(
    "div",
    { class: "tools" },
    ...more,
    button("Keys", { class: "button bare wide-only", onclick: showHelp }, "keys", false),
    button("Light or dark", { class: "button bare", onclick: () => globalThis.toggleTheme() }, "half", false),
  );
}

export const brand = () =>
  el(
    "a",
    {
      class: "brand",
      href: "/",
      onclick: (event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        open("/");
      },
    },
    el("img", { src: "/static/favicon.svg", alt: "", width: 22, height: 22 }),
    "Parley",
  );

function wanted() {
  const found = /^\/s\/([A-Za-z0-9][A-Za-z0-9._-]{0,63})$/.exec(location.pathname);
  return found ? found[1] : null;
}

/** Show what the address names; `came` is what the visit told, where it was made already. */
async function show(came = null) {
  const round = ++page.round;
  page.mounted?.unmount();
  page.mounted = null;
  document.querySelectorAll("dialog[open]").forEach((one) => one.close());
  const name = wanted();
  fill(root, ...loading(name));
  try {
    const { me, kept_out: kept, ticket } = came ?? (await visit(name, brought()));
    if (round !== page.round) return;
    if (ticket === false && me) notice("That link opens nothing any more; you are who you were.", "bad");
    if (kept) return void fill(root, ...doorway(kept, { name, me, enter: show }));
    const ctx = { api, me, notice, open, signOut };
    const mounted = await (name ? session.mount(root, { ...ctx, session: name }) : list.mount(root, ctx));
    if (round === page.round) Object.assign(page, { mounted, name });
    else mounted.unmount();
  } catch (error) {
    if (round !== page.round) return;
    if (!(error instanceof Problem)) throw error;
    fill(root, ...doorway(error.slug, { name, message: error.message, again: () => show(), enter: show }));
  }
}

async function signOut() {
  await api.post("/v1/logout", {}).catch(() => null);
  open("/");
}

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  const main = document.getElementById("main");
  main?.setAttribute("tabindex", "-1");
  main?.focus();
});
/** Back and forth: within a session what stands is moved, not made anew. */
addEventListener("popstate", () => (page.mounted?.returned && page.name === wanted() ? page.mounted.returned() : show()));

keys({
  "?": showHelp,
  "g l": () => open("/"),
  t: () => globalThis.toggleTheme(),
});

show();
