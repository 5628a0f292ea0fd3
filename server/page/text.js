/** Words of others as text: nothing in them acts, hides, or turns around what stands beside it. */

import { el } from "/static/el.js";

const ARABIC_SIGNS = new Set("\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u08e2");
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Zs}]/u;
const SPACE = /\p{Zs}/u;
const NAMED = { "\n": "\\n", "\t": "\\t", "\r": "\\r" };

/** `text` with whatever one would not see written as an escape; the twin of `parley.memory.text.fences.escape_invisible`. */
export function visible(text, keepNewlines = false) {
  if (!UNSEEN.test(text)) return text;
  if (keepNewlines) {
    return text.replaceAll("\r\n", "\n").split("\n").map((line) => visible(line)).join("\n");
  }
  const chars = Array.from(text);
  return chars.map((char, at) => (joins(chars, at) ? char : escaped(char))).join("");
}

function joins(chars, at) {
  if (chars[at] !== "\u200c" && chars[at] !== "\u200d") return false;
  return [chars[at - 1], chars[at + 1]].every(
    (one) => one !== undefined && one.codePointAt(0) > 127 && one !== "\u200c" && one !== "\u200d",
  );
}

function escaped(char) {
  if (!UNSEEN.test(char) || ARABIC_SIGNS.has(char)) return char;
  if (SPACE.test(char)) return " ";
  const code = char.codePointAt(0);
  if (code < 0x100) return NAMED[char] ?? `\\x${code.toString(16).padStart(2, "0")}`;
  return code < 0x10000
    ? `\\u${code.toString(16).padStart(4, "0")}`
    : `\\U${code.toString(16).padStart(8, "0")}`;
}

/** Where in a JavaScript string the code point of that number begins. */
export function utf16(text, codePoint) {
  let at = 0;
  for (let left = codePoint; left > 0 && at < text.length; left--) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
  }
  return at;
}

/** One line of somebody's words, kept from running into what stands beside it. */
export function bdi(text, props = {}) {
  return el("bdi", { dir: "auto", ...props }, visible(String(text ?? "")));
}

/** A name, in its speaker's colour. */
export function named(name, hue, props = {}) {
  return bdi(name, { class: "name", data: { hue: hue ?? hueOf(name) }, ...props });
}

const hues = new Map();

/** Remember which colour the session gives to whom. */
export function learnHues(participants) {
  for (const one of participants ?? []) for (const name of [one.name, ...(one.aliases ?? [])]) hues.set(name, one.hue);
}

/** The colour of a name, 0 to 15; of one that the session did not tell yet, some colour. */
export function hueOf(name) {
  if (hues.has(name)) return hues.get(name);
  let sum = 0;
  for (const char of name) sum = (sum * 31 + char.codePointAt(0)) >>> 0;
  return sum % 16;
}

/** One or two letters for a name. */
export function initials(name) {
  const words = visible(name).split(/[\s._-]+/u).filter((word) => /[\p{L}\p{N}]/u.test(word));
  const letters = words.map((word) => Array.from(word).find((char) => /[\p{L}\p{N}]/u.test(char)));
  const two = letters.length > 1 ? letters[0] + letters.at(-1) : Array.from(words[0] ?? "?").slice(0, 2).join("");
  return two.toLocaleUpperCase();
}

/** The round badge of a speaker; decoration beside the name. */
export function avatar(name, hue = hueOf(name), props = {}) {
  return el("span", { class: "avatar", "aria-hidden": "true", data: { hue }, ...props }, initials(name));
}

/** At most `limit` characters of one line. */
export function clip(text, limit = 120) {
  const line = String(text ?? "").slice(0, 4 * limit).replace(/\s+/gu, " ").trim();
  const chars = Array.from(line);
  return chars.length <= limit ? line : `${chars.slice(0, limit - 1).join("").trimEnd()}…`;
}

const numbers = new Intl.NumberFormat();
export const count = (number) => numbers.format(number ?? 0);

/** Millionths of the money that prices are in. */
export const money = (micros) => (micros / 1e6).toFixed(!micros || micros >= 10000 ? 2 : 6);

/** "3 votes", "1 vote". */
export const many = (number, word, plural = `${word}s`) => `${count(number)} ${number === 1 ? word : plural}`;

const STEPS = [[60, "second"], [60, "minute"], [24, "hour"], [7, "day"], [5, "week"], [12, "month"], [Infinity, "year"]];

/** How long ago, in words. */
export function ago(ms, now = Date.now()) {
  if (!ms) return "never";
  let left = Math.round((ms - now) / 1000);
  if (Math.abs(left) < 10) return "just now";
  for (const [size, unit] of STEPS) {
    if (Math.abs(left) < size) return new Intl.RelativeTimeFormat(undefined, { numeric: "auto" }).format(left, unit);
    left = Math.round(left / size);
  }
  return "";
}

const clocks = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const days = new Intl.DateTimeFormat(undefined, { weekday: "long", day: "numeric", month: "long", year: "numeric" });
const moments = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

export const clock = (ms) => clocks.format(ms);
export const day = (ms) => days.format(ms);
export const moment = (ms) => moments.format(ms);
