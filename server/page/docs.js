/** The page of the API: what /openapi.json says, to read and to search. */

import { api } from "/static/api.js";
import { button, el, fill } from "/static/el.js";

const METHODS = ["get", "post", "put", "patch", "delete"];
const DEEPEST = 6; // shapes within shapes that are unfolded

const root = document.getElementById("docs");
/** The first paragraph of a description, on one line. */
const one = (words) => String(words ?? "").split("\n\n")[0].replace(/\s+/gu, " ");

/** Words with what stands between backquotes as code. */
const prose = (words) => words.split("`").map((part, at) => (at % 2 ? el("code", {}, part) : part));

/** A description as paragraphs. */
const described = (words) => words.split(/\n\s*\n/u).map((each) => el("p", { class: "described" }, prose(each.replace(/\s+/gu, " "))));

function families(doc) {
  const found = new Map((doc.tags ?? []).map((tag) => [tag.name, { about: tag.description, routes: [] }]));
  for (const [path, item] of Object.entries(doc.paths)) {
    for (const method of METHODS.filter((name) => item[name])) {
      const tag = item[method].tags?.[0] ?? "other";
      if (!found.has(tag)) found.set(tag, { about: "", routes: [] });
      found.get(tag).routes.push({ path, method, shared: item.parameters ?? [], ...item[method] });
    }
  }
  return [...found].filter(([, family]) => family.routes.length);
}

function page(doc) {
  const all = families(doc);
  const routes = [];
  const main = el("main", { class: "api-main", id: "routes", tabindex: "-1" }, el("div", { class: "soft" }, described(doc.info.description ?? "")), ...all.map(([name, family]) => section(doc, name, family, routes)));
  const field = el("input", { type: "search", placeholder: "Find a route", "aria-label": "Find a route", oninput: () => narrow(field.value.toLowerCase(), routes, main) });
  const list = el("ul", { role: "list" }, ...all.map(([name, family]) => el("li", {}, el("a", { href: `#${slug(name)}` }, name, el("span", { class: "soft" }, String(family.routes.length))))));
  fill(
    root,
    el(
      "header",
      { class: "api-head" },
      el("a", { href: "/" }, el("img", { src: "/static/favicon.svg", alt: "Parley: all sessions", width: 22, height: 22 })),
      el("h1", {}, `${doc.info.title} ${doc.info.version}`),
      el("a", { href: "/openapi.json" }, "openapi.json"),
      el("a", { href: "/asyncapi.json" }, "asyncapi.json"),
      button("Light or dark", { class: "button bare", onclick: () => globalThis.toggleTheme() }, "half", false),
    ),
    el("nav", { class: "api-nav", "aria-label": "Families of routes" }, field, list),
    main,
  );
}

const slug = (name) => `family-${name.replace(/\W+/gu, "-")}`;

function narrow(words, routes, main) {
  for (const { node, said } of routes) node.hidden = !words.split(/\s+/u).every((word) => said.includes(word));
  for (const family of main.querySelectorAll(".family")) family.hidden = !family.querySelector(".route:not([hidden])");
}

function section(doc, name, family, routes) {
  return el("section", { class: "family", id: slug(name) }, el("h2", {}, name), family.about && el("p", { class: "soft" }, family.about), ...family.routes.map((route) => folded(doc, route, routes)));
}

function folded(doc, route, routes) {
  const body = el("div", { class: "route-body" });
  const node = el(
    "details",
    { class: "route", id: route.operationId },
    el(
      "summary",
      {},
      el("span", { class: `method ${route.method}` }, route.method.toUpperCase()),
      el("span", { class: "path" }, ...route.path.split(/(\{[^}]+\})/u).map((part) => (part.startsWith("{") ? el("b", {}, part) : part))),
      el("span", { class: "about" }, prose(one(route.description) || route.summary || "")),
    ),
    body,
  );
  node.addEventListener("toggle", () => node.open && !body.firstChild && fill(body, ...unfolded(doc, route)), { passive: true });
  routes.push({ node, said: `${route.method} ${route.path} ${route.summary ?? ""} ${route.description ?? ""}`.toLowerCase() });
  return node;
}

function unfolded(doc, route) {
  const parameters = [...route.shared, ...(route.parameters ?? [])].map((found) => target(doc, found));
  const body = route.requestBody && target(doc, route.requestBody);
  return [
    ...described(route.description ?? ""),
    parameters.length > 0 && part("Parameters", el("table", { class: "rows-table" }, el("tbody", {}, ...parameters.map((found) => parameter(doc, found))))),
    body && part("Body", ...Object.entries(body.content ?? {}).flatMap(([kind, { schema }]) => [el("p", { class: "soft small" }, kind), el("div", { class: "shape" }, shape(doc, schema, 0))])),
    part("Answers", el("div", { class: "answers" }, ...Object.entries(route.responses ?? {}).map(([status, found]) => answer(doc, status, target(doc, found))))),
  ];
}

const part = (title, ...children) => el("section", {}, el("h3", {}, title), ...children);

function parameter(doc, { name, in: where, required, schema, description }) {
  const found = target(doc, schema ?? {});
  return el(
    "tr",
    {},
    el("td", {}, name, required && el("span", { class: "need", title: "required" }, " *")),
    el("td", {}, el("span", { class: "soft" }, `${where}, `), kind(doc, schema ?? {}), found.default !== undefined && found.default !== null && el("span", { class: "soft" }, `, by default ${JSON.stringify(found.default)}`), description && el("span", { class: "block told" }, description)),
  );
}

function answer(doc, status, found) {
  const [type, content] = Object.entries(found.content ?? {})[0] ?? [];
  const head = [el("span", { class: `status s${status[0]}` }, status), found.description];
  if (!content?.schema || !Object.keys(content.schema).length) return el("p", {}, head, type && el("span", { class: "soft" }, ` ${type}`));
  const box = el("div", { class: "shape" });
  const node = el("details", {}, el("summary", {}, head), box);
  node.addEventListener("toggle", () => box.firstChild || fill(box, shape(doc, content.schema, 0)));
  return node;
}

/** Where a reference leads; what is no reference is itself. */
function target(doc, found) {
  if (!found?.$ref) return found ?? {};
  return found.$ref.slice(2).split("/").reduce((node, step) => node?.[step.replaceAll("~1", "/").replaceAll("~0", "~")], doc) ?? {};
}

/** A type in a word or a few. */
function kind(doc, schema) {
  const found = target(doc, schema);
  const choices = found.anyOf ?? found.oneOf;
  if (choices) return choices.map((each) => kind(doc, each)).join(" or ");
  if (found.enum) return found.enum.map((each) => JSON.stringify(each)).join(" | ");
  if (found.const !== undefined) return JSON.stringify(found.const);
  if (found.type === "array") return `list of ${kind(doc, found.items ?? {})}`;
  const bounds = [found.minimum !== undefined && `≥ ${found.minimum}`, found.maximum !== undefined && found.maximum < 2 ** 53 - 1 && `≤ ${found.maximum}`, found.maxLength && `≤ ${found.maxLength} characters`];
  return [schema.$ref?.split("/").at(-1) ?? found.type ?? "anything", ...bounds.filter(Boolean)].join(", ");
}

/** A shape as a tree of its fields. */
function shape(doc, schema, depth) {
  const found = target(doc, schema);
  const inner = found.type === "array" ? target(doc, found.items ?? {}) : (found.anyOf ?? []).map((each) => target(doc, each)).find((each) => each.properties) ?? found;
  if (!inner.properties || depth > DEEPEST) return el("p", {}, kind(doc, schema));
  return el(
    "div",
    {},
    found.type === "array" && el("p", { class: "soft" }, "list of"),
    el("ul", { role: "list" }, ...Object.entries(inner.properties).map(([name, each]) => member(doc, name, each, inner.required?.includes(name), depth))),
  );
}

function member(doc, name, schema, required, depth) {
  const found = target(doc, schema);
  const options = [found, target(doc, found.items), ...(found.anyOf ?? []).map((each) => target(doc, each))];
  const nested = options.some((each) => each.properties);
  const words = schema.description ?? found.description;
  return el("li", {}, name, required && el("span", { class: "need", title: "required" }, " *"), el("span", { class: "soft" }, `: ${kind(doc, schema)}`), words && el("span", { class: "told" }, ` ${one(words)}`), nested && depth < DEEPEST && shape(doc, schema, depth + 1));
}

api.get("/openapi.json").then(page, (error) => fill(root, el("main", { class: "api-main" }, el("h1", {}, "The description could not be read"), el("p", {}, error.message))));
