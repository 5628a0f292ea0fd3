/** What is worked toward: goals with their tasks, how far they are, and opening and closing them. */

import { newKey } from "/static/api.js";
import { button, el } from "/static/el.js";
import { bdi, clip, count, many, named } from "/static/text.js";
import { asked, field } from "./form.js";
import { maySpeak, said } from "./parts.js";

const SHOWN = 40; // rows
const ENDED = 6; // of those nothing more is done for, the newest
const SIGNS = { open: "○", ready: "○", blocked: "◌", completed: "✓", failed: "✕", superseded: "⤳", abandoned: "–" };
const WORDS = { open: "", ready: "", completed: "done", abandoned: "given up" };
const ROUTES = { goal: "goals", task: "tasks" };
const ENDS = [["completed", "It is done"], ["failed", "It failed"], ["abandoned", "It is given up"]];

const goesOn = (one) => one.status === "open" || one.status === "ready" || one.status === "blocked";

/** The children of the goals' part. */
export function goals(ctx, { goals: found = [], more = {} }) {
  const may = maySpeak(ctx);
  if (!found.length && !may) return [];
  const all = found.length + (more.goals ?? 0);
  let ended = 0;
  const shown = found.map((one, at) => [one, at]).filter(([one]) => goesOn(one) || ended++ < ENDED).slice(0, SHOWN);
  return [
    el("div", { class: "part-head" }, el("h2", {}, "Goals", all > 0 && el("span", { class: "soft" }, count(all))), may && button("Open a goal", { class: "button bare tight", data: { focus: "goal-open" }, onclick: () => begin(ctx) }, "plus", false)),
    found.length > 0 && el("ul", { class: "goals", role: "list" }, ...shown.map(([one, at]) => goal(ctx, one, going(found, at), may))),
    all > shown.length && el("p", { class: "soft small" }, `and ${count(all - shown.length)} more`),
  ];
}

/** How many tasks of the row at that place go on: they stand beneath it, one deeper. */
function going(found, at) {
  const rest = found.slice(at + 1);
  const end = rest.findIndex((one) => one.depth <= found[at].depth);
  return rest.slice(0, end < 0 ? rest.length : end).filter((one) => one.depth === found[at].depth + 1 && goesOn(one)).length;
}

function goal(ctx, one, tasks, may) {
  const done = Object.values(one.ended).reduce((sum, times) => sum + times, 0);
  const all = done + tasks;
  const told = [one.kind !== "goal" && one.kind, WORDS[one.status] ?? one.status, all > 0 && `${done} of ${many(all, "task")} closed`, one.steps > 0 && many(one.steps, "step")].filter(Boolean);
  const line = el("li", { class: goesOn(one) ? "" : "gone", data: { status: one.status } },
    el("span", { class: "sign", role: "img", "aria-label": one.status }, SIGNS[one.status] ?? "·"),
    el(
      "div",
      { class: "grow" },
      el("button", { type: "button", class: "goal-title", data: { focus: `goal-${one.ref}`, ref: one.ref }, title: `Why is ${one.ref} here?`, onclick: () => ctx.go({ view: "why", ref: one.ref }) }, el("span", { class: "handle" }, one.ref), " ", bdi(one.title)),
      el("span", { class: "soft block" }, named(one.participant), told.length > 0 && `, ${told.join(", ")}`),
      one.result && el("span", { class: "block" }, said(one.result, 160)),
      all > 0 && goesOn(one) && el("span", { class: "gauge" }, el("span", { class: "filled", style: { width: `${(100 * done) / all}%` } })),
    ),
    may && goesOn(one) && ROUTES[one.kind] && button(`Close ${one.ref}`, { class: "button bare tight", data: { focus: `goal-close-${one.ref}` }, onclick: () => end(ctx, one) }, "check", false));
  line.style.setProperty("--depth", Math.min(one.depth, 4));
  return line;
}

function begin(ctx) {
  const open = (ctx.store.get("board").goals ?? []).filter((one) => goesOn(one) && ROUTES[one.kind]);
  const title = el("input", { type: "text", id: "goal-title", maxlength: 400, required: true, placeholder: "What is to be reached?" });
  const of = el("select", { id: "goal-of" }, el("option", { value: "" }, "itself: a goal"), ...open.map((one) => el("option", { value: one.ref }, bdi(`a task of ${one.ref} ${clip(one.title, 50)}`).textContent)));
  const key = newKey();
  asked("Open a goal", [field("Title", title), open.length > 0 && field("It is", of)], {
    does: "Open it",
    send: () => ctx.api.post(ctx.api.of(ctx.session, of.value ? "tasks" : "goals"), { title: title.value.trim(), ...(of.value && { parent: of.value }) }, { key }),
  });
}

function end(ctx, one) {
  const status = el("select", { id: "goal-status" }, ...ENDS.map(([value, label]) => el("option", { value }, label)));
  const result = el("textarea", { id: "goal-result", rows: 2, maxlength: 2000, placeholder: "You may leave it out" });
  const key = newKey();
  asked(`Close ${one.ref}`, [el("p", {}, said(one.title, 200)), field("How it ended", status), field("What came of it", result)], {
    does: "Close it",
    send: () => ctx.api.post(ctx.api.of(ctx.session, ROUTES[one.kind], one.ref, "close"), { status: status.value, ...(result.value.trim() && { result: result.value.trim() }) }, { key }),
  });
}
