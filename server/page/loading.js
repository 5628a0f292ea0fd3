/** What stands while something is on its way: its shape, quietly, and in words for who cannot see. */

import { el } from "/static/el.js";

const bones = (...widths) => widths.map((width) => el("span", { class: "bone", style: { width } }));

/** A whole page on its way: that of the session `name`, or the list. */
export function loading(name) {
  const rows = (count) => Array.from({ length: count }, () => el("div", { class: "bones" }, bones("26%", "78%")));
  return el(
    "main",
    { class: "loading", id: "main", "aria-busy": "true" },
    el("p", { role: "status" }, name ? "Loading the session…" : "Loading sessions…"),
    el("div", { "aria-hidden": "true" }, rows(4)),
  );
}

/** Lines on their way, in the place where they will stand. */
export const lines = (words) =>
  el("div", { class: "bones" }, el("span", { class: "unseen", role: "status" }, words), bones("40%", "92%", "74%"));
