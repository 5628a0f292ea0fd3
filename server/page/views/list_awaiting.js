/** What waits for the reader in the sessions that they took part in from this browser. */

import { of, Problem } from "/static/api.js";
import { reading } from "/static/reading.js";

const LOOKED = 12; // sessions, those that moved last
const WORDS = { ballot: ["vote", "votes"], agreement: ["vote to agree to", "votes to agree to"], floor: ["floor", "floor"], mention: ["mention", "mentions"] };

export class Awaiting {
  #found = new Map(); // session to {n, words}

  constructor(ctx, changed) {
    Object.assign(this, { ctx, changed });
  }

  /** "one vote, two mentions", or "". */
  of(session) {
    return this.#found.get(session)?.words ?? "";
  }

  /** Ask anew of those that moved since they were asked for. */
  look(rows) {
    const taken = rows.filter((row) => reading(row.session)?.name && row.status !== "closed").slice(0, LOOKED);
    for (const { session, n } of taken) {
      if (this.#found.get(session)?.n === n) continue;
      this.#found.set(session, { n, words: this.of(session) });
      this.#ask(session, n);
    }
  }

  async #ask(session, n) {
    const { name, mentions } = reading(session);
    try {
      const { waiting } = await this.ctx.api.get(of(session, "brief"));
      const whats = [...waiting.filter((one) => one.participant === name).map((one) => one.what), ...mentions.map(() => "mention")];
      this.#found.set(session, { n, words: counted(whats) });
      this.changed();
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      this.#found.delete(session); // it is asked for again when the list is drawn next
    }
  }
}

function counted(whats) {
  const parts = Object.entries(WORDS).map(([what, [single, plural]]) => [whats.filter((one) => one === what).length, single, plural]);
  return parts.filter(([number]) => number).map(([number, single, plural]) => `${number} ${number === 1 ? single : plural}`).join(", ");
}
