/** Names that complete an `@` in a field: those who are here first, then who spoke most. */

import { el, fill } from "/static/el.js";
import { avatar, named } from "/static/text.js";

const SHOWN = 6;
const BEGUN = /(?:^|[\s(])@([^\s@][^@\n]{0,40}|)$/u;

/** Gives `{list, pressed(event), end()}`; `changed()` is called once a name is put in. */
export function completion(ctx, field, changed) {
  const list = el("ul", { class: "mentions", id: "mentions", role: "listbox", "aria-label": "Names", hidden: true });
  const state = { rows: [], at: 0 };
  field.setAttribute("aria-controls", "mentions");
  field.setAttribute("aria-autocomplete", "list");

  function look() {
    const begun = field.selectionStart === field.selectionEnd && BEGUN.exec(field.value.slice(0, field.selectionStart));
    const rows = begun ? matching(ctx, begun[1]) : [];
    state.rows = rows.length === 1 && rows[0].name === begun[1] ? [] : rows;
    state.at = 0;
    draw();
  }
  function draw() {
    list.hidden = state.rows.length === 0;
    fill(list, ...state.rows.map((row, place) => el("li", { id: `mention-${place}`, role: "option", "aria-selected": String(place === state.at), onpointerdown: (event) => (event.preventDefault(), put(row)) }, avatar(row.name, row.hue), named(row.name, row.hue))));
    if (list.hidden) field.removeAttribute("aria-activedescendant");
    else field.setAttribute("aria-activedescendant", `mention-${state.at}`);
  }
  function put({ name }) {
    const place = field.selectionStart;
    const from = field.value.lastIndexOf("@", place - 1);
    field.setRangeText(`@${name} `, from, place, "end");
    close();
    changed();
  }
  function close() {
    state.rows = [];
    draw();
  }
  const moves = { ArrowDown: 1, ArrowUp: -1 };
  function pressed(event) {
    if (list.hidden || event.isComposing) return false;
    if (event.key in moves) state.at = (state.at + moves[event.key] + state.rows.length) % state.rows.length;
    else if (event.key === "Enter" || event.key === "Tab") put(state.rows[state.at]);
    else if (event.key === "Escape") close();
    else return false;
    if (event.key in moves) draw();
    event.preventDefault();
    return true;
  }
  field.addEventListener("input", look);
  field.addEventListener("click", look);
  field.addEventListener("blur", close);
  return { list, pressed, end: close };
}

/** Whose name, or a part of it after a space, begins with `words`; oneself is no answer. */
function matching(ctx, words) {
  const [wanted, me] = [words.toLowerCase(), ctx.store.get("me")?.name];
  const fits = ({ name, aliases }) => [name, ...(aliases ?? [])].some((one) => ` ${one.toLowerCase()}`.includes(` ${wanted}`) || one.toLowerCase().startsWith(wanted));
  return (ctx.store.get("board")?.participants ?? [])
    .filter((one) => one.name !== me && fits(one))
    .sort((one, other) => Number(other.present) - Number(one.present) || other.messages - one.messages)
    .slice(0, SHOWN);
}
