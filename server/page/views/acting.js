/** What one may do with the floor and the others, and the buttons that do it. */

import { button } from "/static/el.js";
import { failed } from "./join.js";

/** Whether one may do something here, now. */
export function may({ store }, right) {
  const me = store.get("me");
  if (store.get("at") !== null || store.get("board").closed) return false;
  return me.operator || Boolean(me.may?.includes(right) || me.may?.includes("moderate"));
}

/** A button that does one thing of the floor. */
export function act(ctx, label, glyph, path, body, { shown = true, look = "" } = {}) {
  const press = async (event) => {
    event.currentTarget.disabled = true;
    try {
      await ctx.api.post(ctx.api.of(ctx.session, "floor", path), body);
    } catch (error) {
      failed(ctx, error);
    } finally {
      pressed.disabled = false;
    }
  };
  const pressed = button(label, { class: `button ${shown ? "small" : "bare"} ${look}`, onclick: press, data: { focus: `${path}-${body.participant ?? ""}` } }, glyph, shown);
  return pressed;
}
