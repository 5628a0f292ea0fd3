/** Parts of Markdown that are more than one plain element: headings, code, tables, links, boxes to tick. */

import { el } from "/static/el.js";
import { visible } from "/static/text.js";

const PROTOCOLS = new Set(["http:", "https:", "mailto:"]);
const COPIED_MS = 1500;

/** A heading below those of the page. */
export const heading = (level) => el(`h${Math.min(6, level + 2)}`);

/** A box of code with its language and a button that copies it, and the element its words go into. */
export function code(language) {
  const inner = el("code");
  const copy = el("button", { type: "button", class: "button bare copy" }, "Copy");
  copy.addEventListener("click", () => copied(copy, inner.textContent));
  const head = el("p", { class: "code-head" }, el("span", { class: "grow" }, visible(language)), copy);
  return [el("div", { class: "code" }, head, el("pre", {}, inner)), inner];
}

async function copied(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Mark it to copy it";
  }
  setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
}

/** A table that may be wider than the talk, and the element that its rows go into. */
export function table(align) {
  const inner = el("table", { data: { align: align.join(" ") } });
  return [el("div", { class: "wide", tabindex: "0", role: "group", "aria-label": "Table" }, inner), inner];
}

/** The next cell of `row`. */
export function cell(tag, row) {
  const align = row.closest("table")?.dataset.align.split(" ")[row.children.length];
  return el(tag, { data: { align: align === "none" ? null : align } });
}

/** `[x]` or `[ ]` before an item. */
export const task = (source) => el("span", { class: "task", role: "img", "aria-label": source === "[ ]" ? "to do" : "done" }, source === "[ ]" ? "☐ " : "☑ ");

/** A link that tells its host and no referrer; nothing but words where it leads nowhere that a browser should go. */
export function link(type, destination, source) {
  const url = address(type, destination);
  const picture = type === "image" && el("span", { class: "soft" }, "image: ");
  if (!url) return el("span", {}, picture);
  const apart = (type === "link" || type === "image") && !source.startsWith(`[${destination}](`);
  return el(
    "a",
    {
      href: url.href, target: "_blank", rel: "noreferrer noopener", title: visible(url.href),
      data: { host: apart || url.username ? url.host || url.pathname : null },
    },
    picture,
  );
}

function address(type, destination) {
  const bare = type !== "link" && type !== "image" && !/^[a-z][a-z\d+.-]*:/iu.test(destination);
  const whole = bare ? `${destination.includes("@") ? "mailto:" : "https://"}${destination}` : destination;
  if (!URL.canParse(whole)) return null;
  const url = new URL(whole);
  return PROTOCOLS.has(url.protocol) ? url : null;
}
