/** Heights of many rows, most of them guessed: where a row begins, and which is at a place. */

/** Sums in a binary indexed tree; rows are numbered from 1. */
export class Heights {
  #tree = new Float64Array(1025);
  #known = new Float64Array(1025);
  size = 0;

  constructor(guess) {
    this.guess = guess;
  }

  /** Have `size` rows; new ones are as high as they are guessed. */
  resize(size) {
    if (size === this.size) return;
    if (size < this.size || size >= this.#tree.length) this.#rebuild(size);
    for (let row = this.size + 1; row <= size; row++) this.#add(row, this.guess);
    this.size = size;
  }

  #rebuild(size) {
    const kept = this.#known.slice(0, Math.min(size, this.size) + 1);
    const room = Math.max(1025, 2 ** Math.ceil(Math.log2(size + 2)) + 1);
    this.#tree = new Float64Array(room);
    this.#known = new Float64Array(room);
    this.size = kept.length - 1;
    for (let row = 1; row <= this.size; row++) {
      if (kept[row]) this.#known[row] = kept[row];
      this.#add(row, this.of(row));
    }
  }

  #add(row, more) {
    for (let at = row; at < this.#tree.length; at += at & -at) this.#tree[at] += more;
  }

  /** Note how high a row is. True where that is news. */
  measure(row, height) {
    const before = this.of(row);
    this.#known[row] = height + 1;
    if (before === height) return false;
    this.#add(row, height - before);
    return true;
  }

  of(row) {
    return this.#known[row] ? this.#known[row] - 1 : this.guess;
  }

  /** What is above a row. */
  offset(row) {
    let sum = 0;
    for (let at = Math.min(row - 1, this.size); at > 0; at -= at & -at) sum += this.#tree[at];
    return sum;
  }

  get total() {
    return this.offset(this.size + 1);
  }

  /** The row at that distance from the top. */
  at(place) {
    let row = 0;
    let left = place;
    for (let step = 2 ** Math.floor(Math.log2(this.#tree.length)); step; step >>= 1) {
      if (row + step <= this.size && this.#tree[row + step] <= left) {
        row += step;
        left -= this.#tree[row];
      }
    }
    return Math.min(row + 1, Math.max(1, this.size));
  }
}
