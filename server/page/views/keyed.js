/** Lists that change in place: what stays the same keeps its element, and with it the focus. */

import { el } from "/static/el.js";

/** Shows `rows` in `parent`, made by `make(row)` anew only where `sign(row)` has changed. */
export function keyed(parent, rows, key, make, sign = JSON.stringify) {
  const held = parent.keyed ?? new Map();
  const next = new Map();
  let place = parent.firstChild;
  for (const row of rows) {
    const name = key(row);
    const signed = sign(row);
    const before = held.get(name);
    const node = before?.signed === signed ? before.node : make(row);
    if (before && before.node !== node) place = replaced(parent, before.node, node, place);
    if (node !== place) parent.insertBefore(node, place);
    else place = place.nextSibling;
    next.set(name, { node, signed });
  }
  for (const [name, { node }] of held) if (!next.has(name)) node.remove();
  parent.keyed = next;
}

function replaced(parent, old, node, place) {
  const focus = old.contains(document.activeElement) && marked(old, document.activeElement);
  old.replaceWith(node);
  if (focus) node.querySelector(focus)?.focus({ preventScroll: true });
  return place === old ? node : place;
}

function marked(root, element) {
  const name = element.closest("[data-focus]")?.dataset.focus;
  return name ? `[data-focus="${CSS.escape(name)}"]` : null;
}

/**
 * A list that shows `page` rows and, when its end comes into sight, as many more.
 * `show(rows, …)` is `keyed` of those; `whole()` shows all of them.
 */
export function growing(parent, page) {
  let [most, again] = [page, () => {}];
  const end = el("div", { class: "list-end", "aria-hidden": "true" });
  const watch = new IntersectionObserver((seen) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    most += page;
    again();
  }, { rootMargin: "400px" });
  parent.after(end);
  watch.observe(end);
  return {
    end: () => watch.disconnect(),
    whole() {
      most = Infinity;
      again();
    },
    show(rows, ...how) {
      const draw = () => {
        keyed(parent, rows.slice(0, most), ...how);
        end.hidden = rows.length <= most;
      };
      again = draw;
      draw();
    },
  };
}
