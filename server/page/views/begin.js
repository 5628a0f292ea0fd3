/** The form that opens a session. */

import { Problem } from "/static/api.js";
import { button, dialog, el } from "/static/el.js";
import { bdi, clip } from "/static/text.js";
import { field } from "./form.js";

const RUNS = [["no", "only open it"], ["script", "play it from its script"], ["model", "have models play it"]];

/** The dialog; on success the session's page opens. */
export async function begin(ctx) {
  const [presets, scenarios] = await Promise.all([choices(ctx, "/v1/presets"), choices(ctx, "/v1/scenarios")]);
  const title = el("input", { type: "text", id: "new-title", maxlength: 200, required: true, placeholder: "What is it about?" });
  const id = el("input", { type: "text", id: "new-id", maxlength: 64, pattern: "[A-Za-z0-9][A-Za-z0-9._\\-]{0,63}", required: true, autocomplete: "off", spellcheck: "false" });
  const goal = el("textarea", { id: "new-goal", rows: 2, maxlength: 2000, placeholder: "What is to be decided, and by when?" });
  const preset = el("select", { id: "new-preset" }, el("option", { value: "" }, "none: the defaults"), ...presets);
  const scenario = el("select", { id: "new-scenario" }, el("option", { value: "" }, "none: an empty session"), ...scenarios);
  const run = el("select", { id: "new-run" }, ...RUNS.map(([value, label]) => el("option", { value }, label)));
  const told = el("p", { class: "told bad", role: "alert" });
  const running = field("And then", run);
  const own = el("div", { class: "form" }, field("Title", title), field("Goal", goal), field("Preset", preset));
  const plays = () => Boolean(scenario.value) && run.value !== "no";
  const aim = () => {
    running.hidden = !scenario.value;
    own.hidden = plays(); // a scenario that is played brings its own
    title.required = !plays();
    if (scenario.value && !id.dataset.own) id.value = slug(title.value || scenario.value);
  };
  aim();
  scenario.addEventListener("change", aim);
  run.addEventListener("change", aim);
  title.addEventListener("input", () => id.dataset.own || (id.value = slug(title.value)));
  id.addEventListener("input", () => (id.dataset.own = "1"));
  const submit = async (event) => {
    event.preventDefault();
    const about = {
      title: title.value.trim(),
      ...(preset.value && { preset: preset.value }),
      ...(goal.value.trim() && { settings: { goal: goal.value.trim() } }),
    };
    const body = {
      session: id.value, ...(!plays() && about),
      ...(scenario.value && { scenario: scenario.value, run: run.value }),
    };
    try {
      await ctx.api.post("/v1/sessions", body);
      box.close();
      ctx.open(`/s/${body.session}`);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      told.textContent = error.message;
    }
  };
  const box = dialog("New session", el(
    "form",
    { class: "form", onsubmit: submit },
    own, field("Scenario", scenario), running, field("Id", id, "It stands in the address: letters, digits, dots, dashes."), told,
    el("p", { class: "row end" }, button("Cancel", { onclick: () => box.close() }), el("button", { class: "button primary" }, "Open it")),
  ));
}

async function choices(ctx, path) {
  const { items } = await ctx.api.get(path).catch(() => ({ items: [] }));
  return items.map((one) => {
    const name = one.preset ?? one.scenario;
    return el("option", { value: name }, bdi(one.title ? `${name}: ${clip(one.title, 70)}` : name).textContent);
  });
}

const slug = (text) =>
  text.normalize("NFKD").replace(/[^A-Za-z0-9]+/gu, "-").replace(/^-+|-+$/gu, "").toLowerCase().slice(0, 48);
