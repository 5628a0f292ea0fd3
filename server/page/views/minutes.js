/** The minutes that one would forward: read here, printed, or kept as Markdown, HTML or JSON. */

import { el, fill } from "/static/el.js";
import { lines } from "/static/loading.js";
import { nothing } from "./parts.js";
import { written } from "./report.js";
import { minutes } from "./source.js";

const FORMATS = [
  ["md", "Markdown", "text/markdown"],
  ["html", "HTML", "text/html"],
  ["json", "JSON", "application/json"],
];
const REST_MS = 250;

export function mount(root, ctx) {
  const paper = el("article", { class: "paper", "aria-label": "Minutes", "aria-busy": "true" }, lines("Writing the minutes…"));
  const trouble = el("p", { class: "refused", role: "alert", hidden: true });
  const again = el("button", { type: "button", class: "button small", hidden: true, onclick: () => load() }, "Show what came since");
  const hands = el(
    "div",
    { class: "paper-hands" },
    ...FORMATS.map((format) => keep(ctx, format, trouble)),
    keep(ctx, ["csv", "Actions (CSV)", "text/csv"], trouble),
    el("button", { type: "button", class: "button small", onclick: () => globalThis.print() }, "Print"),
    again,
  );
  root.append(hands, trouble, paper);
  let [timer, round, shown] = [0, 0, null];
  async function load() {
    const mine = ++round;
    const at = ctx.store.get("at");
    again.hidden = true;
    paper.setAttribute("aria-busy", "true");
    try {
      const found = await minutes(ctx, "json", at);
      if (mine !== round) return;
      shown = { at, n: found.n };
      fill(paper, ...written(ctx, found.page));
    } catch (error) {
      if (mine === round) fill(paper, nothing("The minutes cannot be shown", error.message));
    } finally {
      if (mine === round) paper.removeAttribute("aria-busy");
    }
  }
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(load, REST_MS);
  };
  const grown = () => {
    again.hidden = !shown || shown.at !== null || ctx.store.get("at") !== null || (ctx.store.get("board")?.n ?? 0) <= shown.n;
  };
  const offs = [ctx.store.on("at", soon), ctx.store.on("board", grown)];
  load();
  return {
    unmount() {
      round++;
      clearTimeout(timer);
      offs.forEach((off) => off());
      root.replaceChildren();
    },
  };
}

/** Who does what by when, a line each; a cell that a spreadsheet would take for a formula is only read. */
function table(actions) {
  const cell = (text) => `"${String(text ?? "").replace(/^(?=[=+\-@\t\r])/u, "'").replaceAll('"', '""')}"`;
  const rows = actions.map((row) => [row.who ?? "nobody named", row.text, row.due, `#${row.n}`]);
  return [["who", "what", "by when", "message"], ...rows].map((row) => row.map(cell).join(",")).join("\r\n");
}

/** A button that fetches the minutes in a format and keeps them as a file. */
function keep(ctx, [format, label, type], trouble) {
  const button = el("button", { type: "button", class: "button small", data: { format } }, label);
  button.addEventListener("click", async () => {
    button.disabled = true;
    trouble.hidden = true;
    try {
      const at = ctx.store.get("at");
      const found = await minutes(ctx, format === "csv" ? "json" : format, at);
      const text = format === "csv" ? table(found.actions) : typeof found === "string" ? found : JSON.stringify(found, null, 2);
      offer(new Blob([text], { type }), `${ctx.session}-minutes${at === null ? "" : `-${at}`}.${format}`);
    } catch (error) {
      trouble.textContent = `${label} cannot be had: ${error.message}`;
      trouble.hidden = false;
    } finally {
      button.disabled = false;
    }
  });
  return button;
}

function offer(blob, name) {
  const address = URL.createObjectURL(blob);
  const link = el("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
