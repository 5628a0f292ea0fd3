/** What a message says, as its reader sees it: Markdown as elements, cited spans marked, long ones folded. */

import { el } from "/static/el.js";
import { markdown } from "/static/markdown.js";
import { count, utf16, visible } from "/static/text.js";

const FOLD = 4000; // characters of a message that are shown at once
const LINES = 60; // and lines
const PLAIN = 64_000; // characters above which a whole message is shown as it was typed
const MARK_OF_ORDER = "\ufeff"; // the parser leaves it out at the beginning, and would count all else one off

/** The words of a message; `spans` (code points) are marked. Plain where they are not its speaker's. */
export function words(text, spans = [], { plain = false } = {}) {
  const cited = units(text, spans);
  const box = el("div", { class: "words markdown", dir: "auto" });
  const fold = plain ? text.length : folded(text);
  const show = plain ? typed : said;
  if (text.length <= fold || cited.some(([, end]) => end > fold)) {
    box.append(...show(text, cited));
    return box;
  }
  const more = el(
    "button",
    { type: "button", class: "link", onclick: () => box.replaceChildren(...show(text, cited)) },
    `show all (${count(text.length - fold)} more characters)`,
  );
  box.append(...show(text.slice(0, fold), cited), el("p", {}, "… ", more));
  return box;
}

/** How much of a text is shown at once: whole lines, where they are not too long. */
function folded(text) {
  let at = -1;
  for (let line = 0; line < LINES; line++) {
    const next = text.indexOf("\n", at + 1);
    if (next < 0 || next > FOLD) return text.length <= FOLD ? text.length : at > FOLD / 2 ? at : FOLD;
    at = next;
  }
  return at;
}

/** `spans` of code points as UTF-16 units, in order and apart. */
function units(text, spans) {
  const cited = [];
  for (const [start, end] of [...spans].sort(([left], [right]) => left - right)) {
    const from = Math.max(cited.at(-1)?.[1] ?? 0, utf16(text, start));
    const to = utf16(text, end);
    if (to > from) cited.push([from, to]);
  }
  return cited;
}

function said(text, cited) {
  if (text.length > PLAIN || text.startsWith(MARK_OF_ORDER)) return typed(text, cited);
  try {
    return markdown(text, cited);
  } catch (error) {
    console.error("a message is shown as it was typed", error); // nobody's words may stop the talk
    return typed(text, cited);
  }
}

/** `text` as it was typed. */
function typed(text, cited) {
  const nodes = [];
  let last = 0;
  for (const [from, to] of cited) {
    nodes.push(visible(text.slice(last, from), true), el("mark", {}, visible(text.slice(from, to), true)));
    last = to;
  }
  return [el("p", {}, ...nodes, visible(text.slice(last), true))];
}
