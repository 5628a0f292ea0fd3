/** Other words for one's own last message, or none; what it said at first stays to be read. */

import { newKey } from "/static/api.js";
import { el } from "/static/el.js";
import { asked, field } from "./form.js";
import { maySpeak } from "./parts.js";

const REACH = 500; // newest entries among which it has to be

/** The reader's last message, where it is within reach and here; null else. */
export function ownLast(ctx) {
  const { store } = ctx;
  const messages = store.get("messages");
  const name = store.get("me")?.name;
  for (let n = messages.total; name && n > Math.max(0, messages.total - REACH) && messages.knows(n); n--) {
    if (messages.said(n)?.entry.participant === name) return messages.said(n);
  }
  return null;
}

/** Whether the reader may try: their own last words, now. What rests on it the server knows. */
export const mayEdit = (ctx, record) => maySpeak(ctx) && ownLast(ctx)?.n === record.n;

const put = (ctx, n, content, key) => ctx.api.put(ctx.api.of(ctx.session, "messages", n), { content }, { key });

/** The dialog to edit the message; `now` are its newest words. */
export function edit(ctx, record, now) {
  const key = newKey();
  const words = el("textarea", { id: "edit-words", rows: 6, required: true, value: now });
  asked(`Edit #${record.n}`, [field("Your words", words), el("p", { class: "soft small" }, "What they propose or support is read anew. Earlier moments keep the old words.")], {
    does: "Save", send: () => put(ctx, record.n, words.value.trim(), key),
  });
  words.setSelectionRange(now.length, now.length);
}

/** The dialog to take the message back. */
export function takeBack(ctx, record) {
  const key = newKey();
  asked(`Delete #${record.n}`, [el("p", {}, "What it proposed or supported is taken back. Whoever asks for its first words, or looks at an earlier moment, still sees them; an operator can take them out for good.")], {
    does: "Delete", look: "danger-full", not: "Leave it", send: () => put(ctx, record.n, "", key),
  });
}
