/** The banner over a session that cannot go on: what is wrong, since when, and what is kept. */

import { Problem } from "/static/api.js";
import { el, fill } from "/static/el.js";
import { visit } from "/static/login.js";
import { clock } from "/static/text.js";

const AFTER_MS = 3000; // of what may pass by itself, before it is said

const WORDS = {
  waiting: (since) => `Nothing is heard from the server since ${since}. What stands here may be old; what you write is kept, and sent once it answers.`,
  stuck: (since) => `The server is there, but its Redis has not answered since ${since}: nothing is saved and nothing new comes. What you write is kept here, and sent once it can be.`,
};
const EXPIRED = "Your time here is over: the link that let you in has expired. What you wrote is kept here. Ask for a new link, and paste it:";
const GONE = "This session is not there any more: it was deleted. What stands here, and what you wrote, is kept until you leave the page.";

/** `show()` what `status()` says, in `root`. */
export class Trouble {
  #line = "";
  #since = 0;
  #timer = 0;

  constructor(root, session, status) {
    Object.assign(this, { root, session, status });
  }

  end() {
    clearTimeout(this.#timer);
  }

  show() {
    const { line, why } = this.status();
    const wrong = line in WORDS ? line : line === "ended" && why ? why : "";
    if (wrong === this.#line) return;
    if (!wrong || !this.#since) this.#since = Date.now();
    this.#line = wrong;
    clearTimeout(this.#timer);
    if (!wrong) {
      this.#since = 0;
      this.root.hidden = true;
    } else if (wrong in WORDS) this.#timer = setTimeout(() => this.#put(WORDS[wrong](clock(this.#since))), Math.max(0, this.#since + AFTER_MS - Date.now()));
    else if (wrong.startsWith("token")) this.#put(EXPIRED, this.#form());
    else this.#put(GONE);
  }

  #put(...children) {
    fill(this.root, ...children);
    this.root.hidden = false;
  }

  /** Coming in again without leaving: the page is made anew, with what was typed. */
  #form() {
    const field = el("input", { type: "text", autocomplete: "off", spellcheck: "false", required: true, placeholder: "…#ticket=…", "aria-label": "Link or ticket" });
    const told = el("span", { class: "told bad", role: "alert" });
    const submit = async (event) => {
      event.preventDefault();
      told.textContent = "";
      try {
        const found = await visit(this.session, field.value.trim().replace(/^.*[#&]ticket=/u, ""));
        if (found.ticket && !found.kept_out) location.reload();
        else told.textContent = found.ticket ? "That link is for another session." : "That link opens nothing: it was used before, or is too old.";
      } catch (failed) {
        if (!(failed instanceof Problem)) throw failed;
        told.textContent = failed.message;
      }
    };
    return el("form", { class: "row", onsubmit: submit }, field, el("button", { class: "button small primary" }, "Come in again"), told);
  }
}
