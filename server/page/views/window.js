/** A list of many rows of which only those near the screen are elements. */

import { el } from "/static/el.js";
import { Heights } from "/static/heights.js";

const MOST = 80; // rows that are elements
const BEYOND = 500; // pixels above and below the screen
const GUESS = 76;
const NEAR_END = 60; // pixels: so near one is at the end, and stays there

/**
 * Rows 1…`size` in `root`. `make(row, node)` gives a row's element, the old one where it still
 * fits; `missing(first, last)` is told which rows stand on the screen.
 */
export class Window {
  #heights = new Heights(GUESS);
  #nodes = new Map();
  #frame = 0;
  #size = 0;
  #top = 0; // where it was scrolled to last

  constructor(root, { make, missing }) {
    Object.assign(this, { make, missing });
    this.atEnd = true;
    this.above = el("div", { class: "beyond", "aria-hidden": "true" });
    this.below = el("div", { class: "beyond", "aria-hidden": "true" });
    this.rows = el("div", { class: "rows", role: "feed", "aria-label": "Messages" });
    this.box = el("div", { class: "scroller", tabindex: "0", role: "region", "aria-label": "The talk" }, this.above, this.rows, this.below);
    this.box.addEventListener("scroll", () => this.#scrolled(), { passive: true });
    this.width = new ResizeObserver(() => this.draw());
    this.width.observe(this.box);
    root.append(this.box);
  }

  end() {
    cancelAnimationFrame(this.#frame);
    this.width.disconnect();
    this.box.remove();
  }

  /** Have that many rows. */
  resize(size) {
    this.#size = size;
    this.#heights.resize(size);
    this.draw();
  }

  /** Throw all elements away: what they showed was replaced. */
  clear() {
    this.#nodes.clear();
    this.rows.replaceChildren();
    this.#heights = new Heights(GUESS);
    this.resize(this.#size);
  }

  /** Whoever is at the end stays there until they go up: what grows or shrinks takes nobody away. */
  #scrolled() {
    const { scrollTop, scrollHeight, clientHeight } = this.box;
    const near = scrollHeight - scrollTop - clientHeight < NEAR_END;
    this.atEnd = near || (this.atEnd && scrollTop >= this.#top);
    this.#top = scrollTop;
    this.draw();
  }

  /** Draw at the next frame. */
  draw() {
    this.#frame ||= requestAnimationFrame(() => {
      this.#frame = 0;
      this.now();
    });
  }

  /** Draw: what is near the screen, and what is seen stays where it is. */
  now() {
    if (!this.box.clientHeight) return;
    const end = this.atEnd;
    const kept = end ? null : this.#anchor();
    if (end) this.box.scrollTop = this.#heights.total;
    for (let round = 0; round < 3; round++) {
      const [first, last] = this.#range();
      this.#put(first, last);
      const moved = this.#measure();
      if (end) this.box.scrollTop = this.box.scrollHeight;
      else if (kept) this.box.scrollTop = this.#heights.offset(kept.row) + kept.by;
      if (!moved) break;
    }
    this.#top = this.box.scrollTop;
    const [first, last] = this.#seen();
    if (this.#size) this.missing(first, last);
  }

  /** The first row on the screen, and how far it is scrolled past. */
  #anchor() {
    const row = this.#heights.at(this.box.scrollTop);
    return { row, by: this.box.scrollTop - this.#heights.offset(row) };
  }

  #seen() {
    return [this.#heights.at(this.box.scrollTop), this.#heights.at(this.box.scrollTop + this.box.clientHeight)];
  }

  #range() {
    const top = this.box.scrollTop;
    const first = this.#heights.at(Math.max(0, top - BEYOND));
    const last = this.#heights.at(top + this.box.clientHeight + BEYOND);
    return [first, Math.min(last, first + MOST - 1, this.#size)];
  }

  #put(first, last) {
    const wanted = new Map();
    for (let row = first; row <= last && this.#size; row++) wanted.set(row, this.make(row, this.#nodes.get(row)));
    for (const [row, node] of this.#nodes) if (wanted.get(row) !== node) node.remove();
    let place = this.rows.firstChild;
    for (const node of wanted.values()) {
      if (node === place) place = place.nextSibling;
      else this.rows.insertBefore(node, place);
    }
    this.#nodes = wanted;
    const busy = wanted.size > 0 && ![...wanted.values()].some((node) => node.localName === "article");
    this.rows.setAttribute("aria-busy", String(busy)); // a feed without an article is one that waits
    this.#pad(first, last);
  }

  #pad(first, last) {
    this.above.style.height = `${this.#heights.offset(first)}px`;
    this.below.style.height = `${Math.max(0, this.#heights.total - this.#heights.offset(last + 1))}px`;
  }

  #measure() {
    const sizes = [...this.#nodes].map(([row, node]) => [row, node.getBoundingClientRect().height]);
    const moved = sizes.map(([row, height]) => this.#heights.measure(row, height)).some(Boolean);
    const shown = [...this.#nodes.keys()];
    if (moved && shown.length) this.#pad(shown[0], shown.at(-1));
    return moved;
  }

  node(row) {
    return this.#nodes.get(row);
  }

  /** Bring a row onto the screen: to its middle, or only as far as is needed. */
  show(row, { middle = false } = {}) {
    const height = this.box.clientHeight;
    for (let round = 0; round < 3; round++) {
      const top = this.#heights.offset(row);
      const own = this.#heights.of(row);
      const seen = top >= this.box.scrollTop && top + own <= this.box.scrollTop + height;
      if (seen && (!middle || round)) break;
      const above = top < this.box.scrollTop;
      const to = middle || own > height ? top - Math.max(16, (height - own) / 2) : above ? top - 16 : top + own - height + 16;
      this.box.scrollTop = to;
      this.atEnd = false;
      this.now();
    }
    this.#scrolled();
    return this.node(row);
  }

  toEnd() {
    this.atEnd = true;
    this.now();
  }
}
