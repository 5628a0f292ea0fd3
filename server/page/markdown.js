/**
 * Markdown of others as elements: each is made by hand from a short list, and nothing of the text becomes
 * markup. Raw HTML and definitions of links stay words, so that whatever was said is seen. Words keep their
 * place in the source, so that a cited span is marked to the character.
 */

import {
  decodeNamedCharacterReference, decodeNumericCharacterReference, gfmAutolinkLiteral, gfmStrikethrough,
  gfmTable, gfmTaskListItem, parse, postprocess, preprocess,
} from "/static/vendor/micromark.min.js";
import { el } from "/static/el.js";
import { cell, code, heading, link, table, task } from "/static/markdown_parts.js";
import { visible } from "/static/text.js";

const EXTENSIONS = [
  gfmTable(), gfmStrikethrough({ singleTilde: false }), gfmAutolinkLiteral(), gfmTaskListItem(),
  { disable: { null: ["htmlFlow", "htmlText", "definition"] } },
];
const DEEPEST = 24; // elements within each other; what is nested deeper stands in the last of them

/** Tokens that are an element, by what it is. */
const ELEMENTS = {
  paragraph: "p", blockQuote: "blockquote", listOrdered: "ol", listUnordered: "ul", emphasis: "em", strong: "strong",
  strikethrough: "del", codeText: "code", tableHead: "thead", tableBody: "tbody", tableRow: "tr",
};
/** Headings, by how to tell their level from their source. */
const HEADINGS = {
  atxHeading: (source) => /^#+/u.exec(source)[0].length,
  setextHeading: (source) => (source.trimEnd().endsWith("=") ? 1 : 2),
};
/** Code, by how to tell its language from its source. */
const CODE = { codeFenced: (source) => /^(?:`+|~+)([^\r\n]*)/u.exec(source)[1].trim(), codeIndented: () => "" };
const CELLS = { tableHeader: "th", tableData: "td" };
/** Tokens that begin an element. */
const BEGINS = new Set([ELEMENTS, HEADINGS, CODE, CELLS].flatMap(Object.keys).concat("table", "link", "image", "autolink", "literalAutolink"));
/** Tokens whose text is shown. */
const WORDS = new Set(["data", "codeTextData", "codeFlowValue", "characterEscapeValue", "literalAutolinkHttp", "literalAutolinkWww", "literalAutolinkEmail", "autolinkProtocol", "autolinkEmail"]);
/** Tokens of which nothing is shown as words. */
const SKIPPED = new Set(["codeFencedFence", "resource", "setextHeadingLine", "tableDelimiterRow"]);
/** Elements between whose children a line's end says nothing. */
const HOLDERS = new Set(["div", "blockquote", "ol", "ul", "li", "table", "thead", "tbody", "tr"]);

/** A tag of the grammar in brackets; the twin of `parley.memory.extraction.patterns.tags`. */
const TAG =
  /\[[ \t]*(propos(?:al|ed?)|amend(?:ment|ed)?|withdrawn?|retract(?:ed)?|support|oppose|object(?:ion)?|abstain|accept(?:ed)?|reject(?:ed)?|decided?|decision|resolved|resolution|consensus|agreed|ratif(?:y|ied)|disputed?)(?:[ \t:,]+[PD][1-9]\d{0,8}){0,8}[ \t]*\]/giu;
const STEMS = {
  propos: "propose", amend: "amend", withdr: "withdraw", retrac: "withdraw", suppor: "support", oppose: "oppose", object: "oppose",
  abstai: "abstain", accept: "accept", reject: "reject", decide: "decide", decisi: "decide", resolv: "decide", resolu: "decide",
  consen: "decide", agreed: "decide", ratify: "ratify", ratifi: "ratify", disput: "dispute",
};

/** The acts that tags in `text` say. */
export const taggedActs = (text) => new Set([...text.matchAll(TAG)].map(([, word]) => STEMS[word.slice(0, 6).toLowerCase()]));

/** `text` as nodes; `spans`, in UTF-16 units, sorted and apart, are marked. */
export function markdown(text, spans = []) {
  const events = postprocess(parse({ extensions: EXTENSIONS }).document().write(preprocess()(text, undefined, true)));
  const writer = new Writer(text, spans);
  for (const [at, [way, token]] of events.entries()) {
    if (way === "enter") writer.enter(token, events, at);
    else writer.exit(token);
  }
  return writer.finish();
}

class Writer {
  #open = [{ node: el("div"), type: "document" }];
  #skipped = 0; // tokens open of which nothing is shown
  #run = null; // the words that are to be written next: [start, end]
  #fenced = false; // a fence was just opened: the line's end belongs to it

  constructor(text, spans) {
    this.text = text;
    this.spans = spans;
  }

  finish() {
    this.#write();
    return [...this.#open[0].node.childNodes];
  }

  enter(token, events, at) {
    const { type, start, end } = token;
    if (SKIPPED.has(type)) this.#skipped++;
    if (this.#skipped) return;
    if (WORDS.has(type)) this.#say(start.offset, end.offset);
    else if (type === "lineEnding" || type === "lineEndingBlank") this.#endLine(start.offset, end.offset);
    else if (type === "characterReference") this.#add(...this.#marked(start.offset, end.offset, decoded(this.#source(token))));
    else if (type === "listItemPrefix") this.#beginItem();
    else if (type === "listItemValue") this.#top.value = Number(this.#source(token));
    else if (type === "taskListCheck") this.#add(task(this.#source(token)));
    else if (type === "thematicBreak") this.#add(el("hr"));
    else if (BEGINS.has(type)) this.#begin(token, events, at);
  }

  exit({ type }) {
    if (SKIPPED.has(type)) this.#skipped--;
    if (this.#skipped || !BEGINS.has(type)) return;
    if (type === "listOrdered" || type === "listUnordered") this.#end(); // its last item
    this.#end();
  }

  #begin(token, events, at) {
    const { type } = token;
    const source = this.#source(token);
    if (type in ELEMENTS) this.#push(el(ELEMENTS[type]), type);
    else if (type in HEADINGS) this.#push(heading(HEADINGS[type](source)), type);
    else if (type in CODE) this.#push(...code(CODE[type](source)), type);
    else if (type === "table") this.#push(...table(token._align), type);
    else if (type in CELLS) this.#push(cell(CELLS[type], this.#top), type);
    else this.#push(link(type, this.#destination(token, events, at), source), type);
    this.#fenced = type === "codeFenced";
  }

  #beginItem() {
    this.#write();
    if (this.#open.at(-1).type === "item") this.#end();
    this.#push(el("li"), "item");
  }

  /** Where a link leads, in the source's words. */
  #destination(token, events, at) {
    if (token.type !== "link" && token.type !== "image") return this.#source(token).replace(/^<|>$/gu, "");
    for (let next = at + 1; events[next][1] !== token; next++) {
      const [way, within] = events[next];
      if (way === "enter" && within.type === "resourceDestinationString") return unescaped(this.#source(within));
    }
    return "";
  }

  #endLine(start, end) {
    if (!this.#fenced && !HOLDERS.has(this.#top.localName)) this.#say(start, end);
    this.#fenced = false;
  }

  #say(start, end) {
    this.#fenced = false;
    if (this.#run?.[1] === start) this.#run[1] = end;
    else {
      this.#write();
      this.#run = [start, end];
    }
  }

  /** Writes the words that came in a row; in prose, tags of the grammar as chips. */
  #write() {
    if (!this.#run) return;
    const [start, end] = this.#run;
    this.#run = null;
    const tags = this.#top.localName === "code" ? [] : this.text.slice(start, end).matchAll(TAG);
    let last = start;
    for (const tag of tags) {
      const from = start + tag.index;
      const to = from + tag[0].length;
      this.#top.append(...this.#marked(last, from), el("span", { class: "tag" }, this.#marked(from + 1, to - 1)));
      last = to;
    }
    this.#top.append(...this.#marked(last, end));
  }

  /** `text[start:end]` as nodes, what of it is cited as marks; of a `reference`, what it stands for. */
  #marked(start, end, reference = null) {
    if (reference !== null) {
      const cited = this.spans.some(([from, to]) => from < end && to > start);
      return [cited ? el("mark", {}, visible(reference)) : visible(reference)];
    }
    const nodes = [];
    let last = start;
    for (const [from, to] of this.spans) {
      const [left, right] = [Math.max(last, from), Math.min(end, to)];
      if (right <= left) continue;
      if (left > last) nodes.push(this.#shown(last, left));
      nodes.push(el("mark", {}, this.#shown(left, right)));
      last = right;
    }
    if (last < end) nodes.push(this.#shown(last, end));
    return nodes;
  }

  #shown(start, end) {
    return visible(this.text.slice(start, end).replaceAll("\t", "    "), true);
  }

  get #top() {
    return this.#open.at(-1).node;
  }

  #source({ start, end }) {
    return this.text.slice(start.offset, end.offset);
  }

  #add(...nodes) {
    this.#write();
    this.#top.append(...nodes);
  }

  /** Opens an element; with two of them the words go into the inner. */
  #push(...parts) {
    const type = parts.pop();
    this.#write();
    const deep = this.#open.length >= DEEPEST;
    if (!deep) this.#top.append(parts[0]);
    this.#open.push({ node: deep ? this.#top : parts.at(-1), type });
  }

  #end() {
    this.#write();
    this.#open.pop();
  }
}

const ESCAPES = /\\([!-/:-@[-`{-~])|(&(?:#(?:\d{1,7}|x[\da-f]{1,6})|[\da-z]{1,31});)/giu;
const unescaped = (text) => text.replace(ESCAPES, (_, escaped, reference) => escaped ?? decoded(reference));

/** The character that `&amp;`, `&#38;` or `&#x26;` stands for; where it stands for none, those words. */
function decoded(reference) {
  const name = reference.slice(1, -1);
  if (!name.startsWith("#")) return decodeNamedCharacterReference(name) || reference;
  return /^#x/iu.test(name) ? decodeNumericCharacterReference(name.slice(2), 16) : decodeNumericCharacterReference(name.slice(1), 10);
}
