/** A notebook: its owner's to read and write, an operator's to look into. */

import { Problem } from "/static/api.js";
import { button, el, fill } from "/static/el.js";
import { count, visible } from "/static/text.js";

/** Whether there is one that one may see: in most sessions nobody keeps any. */
export async function keeps(ctx, name) {
  const me = ctx.store.get("me");
  if (!me.operator && me.name !== name) return false;
  const { items } = await ctx.api.get(ctx.api.of(ctx.session, "settings"), { at: ctx.store.get("at") });
  const of = (key) => items.find((one) => one.key === key)?.value;
  return (of("note.agents")?.[name]?.policy ?? of("note.policy") ?? "off") !== "off";
}

/** It, as it stands at the moment that is shown. */
export function notebook(ctx, name) {
  const box = el("section", { class: "notebook", "aria-label": "Notebook" });
  const path = ctx.api.of(ctx.session, "notebooks", name);
  const read = async () => show(ctx, name, path, box, await ctx.api.get(path, { at: ctx.store.get("at") }), read);
  read().catch((error) => {
    if (!(error instanceof Problem)) throw error;
    fill(box, el("p", { class: "told bad", role: "alert" }, error.message));
  });
  return box;
}

function show(ctx, name, path, box, page, again) {
  const { store } = ctx;
  const own = store.get("me").name === name && store.get("me").role !== "observer";
  const writes = own && store.get("at") === null && !store.get("board").closed;
  if (!writes) return fill(box, el("h3", {}, "Notebook"), el("pre", { class: "noted", tabindex: "0", "aria-label": "Notebook" }, visible(page.text, true) || "Nothing is written in it."));
  const text = el("textarea", { id: "notebook", rows: 8, maxlength: 1048576, value: page.standing, placeholder: "What you want to have at hand" });
  const told = el("p", { class: "told", role: "status" });
  const save = button("Keep it", { class: "button primary", type: "submit" });
  const submit = async (event) => {
    event.preventDefault();
    told.className = "told";
    told.textContent = "";
    save.disabled = true;
    try {
      const { n } = await ctx.api.put(path, { text: text.value, base: page.base });
      Object.assign(page, { base: n, standing: text.value });
      told.textContent = `Kept, as #${n}.`;
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      told.classList.add("bad");
      fill(told, error.message, " ", error.slug === "note-moved" && button("Read it again", { class: "link", onclick: again }));
    } finally {
      save.disabled = false;
    }
  };
  const form = el(
    "form",
    { class: "form", onsubmit: submit },
    el("div", { class: "field" }, el("label", { for: "notebook" }, "Notebook"), text, page.text !== page.standing && el("details", {}, el("summary", { class: "soft small" }, "with what was noted since"), el("pre", { class: "noted", tabindex: "0" }, visible(page.text, true))), el("p", { class: "soft small" }, `Only you and operators read it. At most ${count(page.limit)} characters.`)),
    el("p", { class: "row end" }, told, save),
  );
  return fill(box, form);
}
