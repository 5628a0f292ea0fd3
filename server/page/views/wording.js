/** What memory holds in short, in the words of the message that it is from. */

import { clip, utf16 } from "/static/text.js";

const WORDING = 600; // characters of a decision, as in the minutes
const REASON = 240;
// What the place it stands in says already: "[OPPOSE P4] ", "-1 to P7: ", "I oppose P4. "
const MARK = /^(?:\[[^\]\n]{1,60}\]|[+-]\d(?:\.\d+)?(?!\.?\d)(?:\s+(?:to|on)\s+[PD]\d+)?|I\s+(?:oppose|object\s+to|am\s+against)\s+[PD]\d+)[\s:;,.!–-]*(?=[\p{L}\p{N}])/u;
const SENTENCE = /[.!?…\n]["”’)]?\s+(?=\S)/gu;

async function content(ctx, n) {
  const messages = ctx.store.get("messages");
  await messages.need(n, n);
  const entry = messages.get(n)?.entry;
  return entry?.kind.startsWith("message") ? (entry.content ?? "") : "";
}

const line = (text) => text.replace(/\s+/gu, " ").trim();

/** All of an outcome that was cut short; "" where none of the messages it rests on has it. */
export async function whole(ctx, { outcome, cites }) {
  const begins = line(outcome.slice(0, -1));
  for (const [n] of cites) {
    for (const one of (await content(ctx, n)).split("\n").map(line)) {
      const at = one.indexOf(begins);
      if (at >= 0) return clip(one.slice(at), WORDING);
    }
  }
  return "";
}

/** What somebody said from the sentence on that a cite is of: why they take the stand. */
export async function reason(ctx, [n, start, end]) {
  const text = await content(ctx, n);
  const before = text.slice(0, end > start ? utf16(text, start) : 0);
  const from = [...before.matchAll(SENTENCE)].reduce((_, found) => found.index + found[0].length, 0);
  return clip(text.slice(from).trimStart().replace(MARK, ""), REASON);
}
