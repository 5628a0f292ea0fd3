/** What stands while something is on its way: its shape, quietly, and in words for who cannot see. */

import { el } from "/static/el.js";

const bones = (...widths) => widths.map((width) => el("span", { class: "bone", style: { width } }));
const rows = (count) => Array.from({ length: count }, () => el("div", { class: "bones" }, bones("26%", "78%")));

/** A whole page on its way: that of the session `name`, or the list; nothing moves when it comes. */
export function loading(name) {
  const words = el("p", { class: "unseen", role: "status" }, name ? "Loading the session…" : "Loading sessions…");
  const head = el("header", { class: "bar" }, el("span", { class: "brand" }, el("img", { src: "/static/favicon.svg", alt: "", width: 22, height: 22 }), "Parley"));
  const parts = [["memory", 3], ["talk", 6], ["room", 3]].map(([part, count]) => el("div", { class: `${part} loading`, "aria-hidden": "true" }, rows(count)));
  const main = name ? el("main", { id: "main", class: "session", data: { show: "memory" }, "aria-busy": "true" }, parts, words) : el("main", { id: "main", class: "lobby", "aria-busy": "true" }, words, el("div", { class: "loading", "aria-hidden": "true" }, rows(5)));
  return [head, main, name && el("footer", { class: "time" })];
}

/** Lines on their way, in the place where they will stand. */
export const lines = (words) =>
  el("div", { class: "bones" }, el("span", { class: "unseen", role: "status" }, words), bones("40%", "92%", "74%"));
