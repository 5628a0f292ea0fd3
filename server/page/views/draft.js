/** What is being written in a session, kept through a reload: words, act, what it answers. */

const NOTHING = { text: "", act: "", about: "", replying: null, key: null, who: null };
const MOST = 100_000; // characters that are kept

/** `key` is that under which it is being sent as `who`; null while it is only written. */
export class Draft {
  constructor(session) {
    this.place = `parley-draft-${session}`;
    Object.assign(this, NOTHING, kept(this.place));
  }

  /** Note what changed of it. */
  keep(more) {
    Object.assign(this, more);
    const { text, act, about, replying, key, who } = this;
    if (!text && !act && !replying) return this.forget();
    if (text.length > MOST) return undefined;
    return sessionStorage.setItem(this.place, JSON.stringify({ text, act, about, replying, key, who }));
  }

  forget() {
    Object.assign(this, NOTHING);
    sessionStorage.removeItem(this.place);
  }
}

function kept(place) {
  try {
    return JSON.parse(sessionStorage.getItem(place) ?? "{}");
  } catch {
    return {};
  }
}
