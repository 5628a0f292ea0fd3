/** That one name is another name of somebody: an operator says so. */

import { newKey, Problem } from "/static/api.js";
import { el } from "/static/el.js";
import { visible } from "/static/text.js";
import { field } from "./form.js";

/** The form, for whoever may; what was said under the other name is theirs from the beginning on. */
export function aliases(ctx, name) {
  const { store } = ctx;
  if (!store.get("me").operator || store.get("at") !== null || store.get("board").closed) return null;
  const other = el("input", { type: "text", id: "alias", maxlength: 128, required: true, autocomplete: "off", list: "alias-names" });
  const known = el("datalist", { id: "alias-names" }, ...store.get("board").participants.filter((one) => one.name !== name).slice(0, 200).map((one) => el("option", { value: one.name, label: visible(one.name) })));
  const told = el("p", { class: "told bad", role: "alert" });
  const key = newKey();
  const submit = async (event) => {
    event.preventDefault();
    told.textContent = "";
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "aliases"), { alias: other.value.trim(), participant: name }, { key });
      event.target.closest("dialog").close();
      ctx.notice(`${visible(other.value.trim())} is ${visible(name)}, from the beginning on.`, "good");
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      told.textContent = error.message;
    }
  };
  return el(
    "form",
    { class: "form", onsubmit: submit },
    field("Is also", other, "All that was said under that name is theirs, from the beginning on. It cannot be taken apart again."),
    known,
    told,
    el("p", { class: "row end" }, el("button", { class: "button" }, "Make them one")),
  );
}
