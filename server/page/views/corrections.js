/** A person's word on what was read as an item: that it is one, or that it is none. */

import { newKey, Problem } from "/static/api.js";
import { el } from "/static/el.js";
import { maySpeak } from "./parts.js";
import { correct } from "./source.js";

/** The two presses; who said it confirms nothing. */
export function corrections(ctx, row) {
  if (!maySpeak(ctx)) return null;
  const told = el("p", { class: "refused", role: "alert", hidden: true });
  const press = (label, op) => {
    const node = el("button", { type: "button", class: "hand", data: { focus: `${op}-${row.ref}`, op }, "aria-label": `${label}: ${row.ref}` }, label);
    node.addEventListener("click", async () => {
      node.disabled = true;
      told.hidden = true;
      try {
        await correct(ctx, row.ref, op, newKey());
      } catch (error) {
        if (!(error instanceof Problem)) throw error;
        told.textContent = error.message;
        told.hidden = false;
        node.disabled = false;
      }
    });
    return node;
  };
  const own = row.participant === ctx.store.get("me")?.name;
  return el("div", { class: "hands" }, el("div", { class: "hand-row" }, !own && press("Confirm", "confirm"), press("Dismiss", "retract")), told);
}
