/** Keys: one table for what is pressed, and one that tells of it. */

import { dialog, el } from "/static/el.js";

const HELP = [
  ["Anywhere", [["/", "search; Ctrl K or ⌘ K too, from anywhere"], ["?", "this help"], ["g l", "the list of sessions"], ["t", "light or dark"]]],
  ["In the talk", [
    ["j k", "next, previous message"],
    ["Enter", "open the message"],
    ["r", "answer it"],
    ["e", "edit your last message"],
    ["c", "write"],
    ["p", "write a proposal"],
    ["End", "the newest message"],
    ["Esc", "leave the field, close what is open"],
  ]],
  ["In the memory", [["1 – 7", "its tabs"], ["w", "why is this here?"]]],
  ["In the room", [["v", "floor, votes, goals, people"]]],
  ["In time", [["[ ]", "one entry back, on"], ["{ }", "a tenth back, on"], [".", "now"]]],
];
const SEQUENCE_MS = 1200;
const layers = [];
let before = "";
let timer = 0;

/** Have these keys do this, over what others said of them; gives what ends it. */
export function keys(table) {
  layers.push(table);
  return () => layers.splice(layers.indexOf(table), 1);
}

const writes = (node) => node.closest?.("input, textarea, select, [contenteditable]");

function pressed(event) {
  if (event.altKey || event.defaultPrevented) return;
  if (event.ctrlKey || event.metaKey) return void combined(event);
  const key = event.key;
  if (writes(event.target)) {
    if (key === "Escape") event.target.blur();
    if (!(event.target.type === "range" && !/^(Arrow|Home|End|Page)/u.test(key))) return;
  }
  if (document.querySelector("dialog[open]")) return;
  const wanted = before ? `${before} ${key}` : key;
  clearTimeout(timer);
  before = "";
  const found = layers.findLast((table) => table[wanted])?.[wanted];
  if (found) {
    if (found(event) !== false) event.preventDefault();
  } else if (layers.some((table) => Object.keys(table).some((one) => one.startsWith(`${key} `)))) {
    before = key;
    timer = setTimeout(() => (before = ""), SEQUENCE_MS);
  }
}

/** A key with Ctrl or ⌘, which works in fields too. */
function combined(event) {
  const wanted = `Mod ${event.key.toLowerCase()}`;
  const does = layers.findLast((table) => table[wanted])?.[wanted];
  if (!does || event.shiftKey || document.querySelector("dialog[open]")) return;
  does(event);
  event.preventDefault();
}

/** All keys, in a dialog. */
export function showHelp() {
  dialog(
    "Keys",
    el("div", { class: "help" }, ...HELP.map(([title, rows]) => el(
      "section",
      {},
      el("h3", {}, title),
      el("dl", {}, ...rows.flatMap(([key, what]) => [el("dt", {}, ...key.split(" ").map((one) => (one === "–" ? " – " : el("kbd", {}, one)))), el("dd", {}, what)])),
    ))),
  );
}

addEventListener("keydown", pressed);
