/** A session's settings: what each is, what it would be, and for an operator changing it. */

import { Problem } from "/static/api.js";
import { button, dialog, el, fill } from "/static/el.js";
import { lines } from "/static/loading.js";
import { many, visible } from "/static/text.js";

const FIXED = new Set(["preset"]); // what the session was opened with

/** The dialog, of now or of the moment that is shown. */
export function settings(ctx) {
  const at = ctx.store.get("at");
  const state = { rows: [], words: "", editing: null, changes: Boolean(ctx.store.get("me").operator) && at === null && !ctx.store.get("board").closed };
  const list = el("div", { class: "settings", "aria-busy": "true" }, lines("Reading the settings…"));
  const count = el("p", { class: "soft small", role: "status" });
  const find = el("input", { type: "search", id: "find-setting", placeholder: "Find by name or meaning", "aria-label": "Find a setting", oninput: () => ((state.words = find.value.trim().toLowerCase()), draw()) });
  const draw = () => shown(state, list, count, { edit, keep });
  const read = async () => {
    state.rows = (await ctx.api.get(ctx.api.of(ctx.session, "settings"), { at })).items;
    list.removeAttribute("aria-busy");
    draw();
  };
  function edit(key) {
    const before = state.editing;
    state.editing = key;
    draw();
    const wanted = key ? `[data-key="${CSS.escape(key)}"] :is(input, select, textarea)` : `[data-key="${CSS.escape(before ?? "")}"] .button`;
    list.querySelector(wanted)?.focus();
  }
  async function keep(row, value) {
    await ctx.api.patch(ctx.api.of(ctx.session, "settings"), { settings: nested(row.key, value) });
    await read();
    edit(null);
  }
  dialog(at === null ? "Settings" : `Settings at #${at}`, find, count, list);
  read().catch((error) => {
    if (!(error instanceof Problem)) throw error;
    fill(list, el("p", { class: "told bad", role: "alert" }, error.message));
  });
}

const nested = (key, value) => key.split(".").reduceRight((inner, name) => ({ [name]: inner }), value);

/** What was changed here first, then group by group; found words open what they are in. */
function shown(state, list, count, hands) {
  const found = state.rows.filter((row) => `${row.key} ${row.about}`.toLowerCase().includes(state.words));
  const changed = found.filter((row) => row.changed);
  count.textContent = `${many(found.length, "setting")}, ${changed.length || "none"} changed here`;
  const groups = grouped(found.filter((row) => !row.changed));
  const open = new Set([...list.querySelectorAll("details[open]:not([data-found])")].map((one) => one.dataset.group));
  fill(
    list,
    changed.length > 0 && el("section", {}, el("h3", {}, "Changed here"), rows(state, changed, hands)),
    [...groups].map(([name, held]) => {
      const unfolded = Boolean(state.words) || open.has(name) || held.some((row) => row.key === state.editing);
      return el("details", { data: { group: name, found: state.words ? "" : null }, open: unfolded }, el("summary", {}, name, el("span", { class: "soft" }, ` ${held.length}`)), rows(state, held, hands));
    }),
    found.length === 0 && el("p", { class: "soft" }, "No setting is like that."),
  );
}

function grouped(found) {
  const groups = new Map();
  for (const row of found) {
    const name = row.key.includes(".") ? row.key.split(".")[0] : "session";
    groups.set(name, [...(groups.get(name) ?? []), row]);
  }
  return groups;
}

const rows = (state, found, hands) => el("ul", { role: "list" }, found.map((row) => (state.editing === row.key ? editor(row, hands) : line(state, row, hands))));

function line(state, row, { edit }) {
  return el(
    "li",
    { class: row.changed ? "changed" : "", data: { key: row.key } },
    el("div", { class: "grow" }, el("code", {}, row.key), row.about && el("span", { class: "soft block" }, row.about)),
    el("span", { class: "setting" }, el("bdi", { dir: "auto" }, worded(row.value)), row.changed && el("span", { class: "soft block" }, "else ", el("bdi", {}, worded(row.usual)))),
    state.changes && !FIXED.has(row.key) && button(`Change ${row.key}`, { class: "button bare tight", onclick: () => edit(row.key) }, "edit", false),
  );
}

function worded(value) {
  if (value === "" || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value !== "object") return visible(String(value));
  return Object.keys(value).length ? visible(JSON.stringify(value)) : "none";
}

function editor(row, { edit, keep }) {
  const input = entry(row);
  const told = el("p", { class: "told bad", role: "alert" });
  const submit = async (event) => {
    event.preventDefault();
    told.textContent = "";
    try {
      await keep(row, parsed(row, input.value));
    } catch (error) {
      if (!(error instanceof Problem || error instanceof SyntaxError)) throw error;
      told.textContent = error instanceof SyntaxError ? "Write it as JSON: [\"ana\", \"bo\"], 12, null." : error.message;
    }
  };
  return el(
    "li",
    { class: "editing", data: { key: row.key } },
    el(
      "form",
      { class: "form", onsubmit: submit },
      el("label", { for: input.id }, el("code", {}, row.key), row.about && el("span", { class: "soft block" }, row.about)),
      input, told,
      el("p", { class: "row end" }, button("Leave it", { class: "button small", onclick: () => edit(null) }), el("button", { class: "button small primary" }, "Change it")),
    ),
  );
}

function entry(row) {
  const id = "setting-value";
  if (typeof row.usual === "boolean") return el("select", { id }, ...[true, false].map((one) => el("option", { value: String(one), selected: row.value === one }, one ? "yes" : "no")));
  if (typeof row.usual === "number") return el("input", { type: "number", id, step: 1, required: true, value: row.value });
  if (row.key === "goal") return el("textarea", { id, rows: 3, value: row.value ?? "" });
  if (typeof row.usual === "string") return el("input", { type: "text", id, spellcheck: "false", value: row.value ?? "" });
  return el("textarea", { id, rows: 3, class: "json", spellcheck: "false", value: JSON.stringify(row.value) });
}

function parsed(row, text) {
  if (typeof row.usual === "string") return text.trim();
  return JSON.parse(text.trim() || "null");
}
