/** The views of the memory, as tabs; and the dialogs and the slider that stand beside them. */

import { button, dialog, el, fill } from "/static/el.js";

const TABS = [
  ["brief", "Brief"],
  ["board", "Proposals"],
  ["decisions", "Decisions"],
  ["lanes", "Positions"],
  ["outline", "Outline"],
  ["plots", "Course"],
  ["minutes", "Minutes"],
];

/**
 * Put the tabs into `root` and the slider into `time`. Gives `show(view, {n, ref})`,
 * `choose(index, {enter})`, `travel(n)` to a moment, `unmount()`. A view is loaded when it is first shown.
 */
export async function tabs(root, time, ctx) {
  const list = el("div", { class: "tabs", role: "tablist", "aria-label": "Memory" });
  const panel = el("div", { class: "panel", role: "tabpanel", id: "panel", tabindex: "0" });
  const state = { name: null, view: null, round: 0, slider: null };
  list.append(...TABS.map(([name, label], index) => tab(name, label, index)));
  fill(root, list, panel);

  function tab(name, label, index) {
    return el(
      "button",
      {
        type: "button", role: "tab", id: `tab-${name}`, "aria-controls": "panel", "aria-selected": "false", tabindex: "-1",
        data: { name, count: "" }, onclick: () => show(name), onkeydown: (event) => arrows(event, index),
      },
      label, el("span", { class: "tab-count", "aria-hidden": "true" }),
    );
  }

  /** How many there are behind each tab; who cannot see it hears the name alone. */
  function counted() {
    const board = ctx.store.get("board");
    if (!board) return;
    const more = (name) => board[name].length + (board.more[name] ?? 0);
    const standing = board.brief.counts.decided + board.brief.counts.disputed; // as the Brief counts, without claims and what was replaced
    const counts = { board: more("proposals"), decisions: standing, lanes: more("lanes"), outline: more("summaries") };
    for (const one of list.children) one.lastChild.textContent = counts[one.dataset.name] ? String(counts[one.dataset.name]) : "";
  }

  function arrows(event, index) {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: TABS.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    choose((to + TABS.length) % TABS.length);
    list.children[(to + TABS.length) % TABS.length].focus();
  }

  async function show(name, given = {}) {
    if (name === "why") return explain(given.ref);
    if (!TABS.some(([known]) => known === name)) return undefined;
    if (state.name !== name) {
      const loaded = put(name);
      ctx.shown?.({});
      await loaded;
    }
    if (given.n || given.ref) state.view?.open?.(given);
    return undefined;
  }

  async function put(name) {
    const round = ++state.round;
    state.view?.unmount();
    Object.assign(state, { name, view: null });
    for (const one of list.children) {
      one.setAttribute("aria-selected", String(one.dataset.name === name));
      one.tabIndex = one.dataset.name === name ? 0 : -1;
    }
    list.querySelector("[aria-selected=true]").scrollIntoView({ block: "nearest", inline: "nearest" });
    panel.setAttribute("aria-labelledby", `tab-${name}`);
    panel.scrollTop = 0;
    const module = await load(name);
    if (round !== state.round) return;
    const inner = el("div", { class: `view view-${name}` });
    fill(panel, inner);
    state.view = module.mount(inner, ctx);
  }

  async function explain(ref) {
    ctx.shown?.({ ref });
    const module = await load("why");
    if (module.open) return module.open(ref, ctx);
    const inner = el("div", { class: "view view-why" });
    const box = dialog(`Why is ${ref} here?`, inner);
    const view = module.mount(inner, ctx, { ref });
    box.addEventListener("close", () => view.unmount());
    return box;
  }

  async function choose(index, { enter = false } = {}) {
    await show(TABS[index][0]);
    if (enter) panel.focus({ preventScroll: true });
  }

  load("brief"); // on its way while the slider is put up
  const [slider, { travel }] = await Promise.all([load("time"), load("travel")]);
  state.slider = slider.mount(time, ctx);
  const off = ctx.store.on("board", counted);
  counted();
  await put("brief");
  return {
    show,
    tab: () => state.name,
    choose,
    travel: (n) => travel?.(ctx, n),
    unmount() {
      state.round++;
      off();
      state.view?.unmount();
      state.slider.unmount();
    },
  };
}

async function load(name) {
  try {
    return await import(`/static/views/${name}.js`);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return { mount: (root) => missing(root) };
  }
}

/** What stands for a view that could not be fetched; the server may have gone for a moment. */
function missing(root) {
  fill(root, el("p", { class: "soft" }, "This could not be loaded."), button("Load the page again", { onclick: () => location.reload() }));
  return { unmount: () => fill(root) };
}
