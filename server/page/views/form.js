/** A dialog with a form: what is refused is told in it, and it stays. */

import { Problem } from "/static/api.js";
import { button, dialog, el } from "/static/el.js";

/** A labelled field of a form. */
export function field(label, input, hint = null) {
  return el("div", { class: "field" }, el("label", { for: input.id }, label), input, hint && el("p", { class: "soft small" }, hint));
}

/**
 * Ask for what `children` hold, then `send(box)`, which closes nothing itself: the dialog goes
 * when it is done. `does` says what the button does, `look` how it looks, `not` the way out.
 */
export function asked(title, children, { does, send, look = "primary", not = "Cancel" }) {
  const told = el("p", { class: "told bad", role: "alert" });
  const press = el("button", { class: `button ${look}` }, does);
  const submit = async (event) => {
    event.preventDefault();
    if (press.disabled) return;
    told.textContent = "";
    press.disabled = true;
    try {
      await send(box);
      box.close();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      told.textContent = error.message;
    } finally {
      press.disabled = false;
    }
  };
  const ends = el("p", { class: "row end" }, button(not, { onclick: () => box.close() }), press);
  const box = dialog(title, el("form", { class: "form", onsubmit: submit }, children, told, ends));
  return box;
}
