/**
 * The address of what is shown: `/s/NAME?tab=decisions&at=40#D1`. `#4` is a message, `#D1`, `#P3`,
 * `#V2` an item, `#@Ana` a person; a tab that is not named is the Brief, a moment now.
 */

const ITEM = /^[PDVMEI]\d+(\.\d+)?$/u;

/** What the address names: {tab, at, n, ref, person}, null where it names none. */
export function read() {
  const query = new URLSearchParams(location.search);
  const mark = decoded(location.hash.slice(1));
  const at = Number(query.get("at"));
  return {
    tab: query.get("tab"),
    at: query.has("at") && Number.isSafeInteger(at) && at >= 0 ? at : null,
    n: /^[1-9]\d{0,15}$/u.test(mark) ? Number(mark) : null,
    ref: ITEM.test(mark) ? mark : null,
    person: mark.startsWith("@") ? mark.slice(1) : null,
  };
}

/** The address of a part of this session; what is null is left out. */
export function address({ tab = null, at = null, n = null, ref = null, person = null }) {
  const query = new URLSearchParams();
  if (tab && tab !== "brief") query.set("tab", tab);
  if (at !== null) query.set("at", at);
  const mark = n ?? ref ?? (person && `@${person}`);
  return `${location.pathname}${query.size ? `?${query}` : ""}${mark ? `#${encodeURIComponent(mark)}` : ""}`;
}

/** Have the address name that; `step` makes it one that Back returns from. */
export function write(wanted, step) {
  const next = address(wanted);
  if (next === location.pathname + location.search + location.hash) return;
  if (step) history.pushState(null, "", next);
  else history.replaceState(null, "", next);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return "";
  }
}
