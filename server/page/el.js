/** Elements without markup: everything that is shown goes through `textContent`. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. In `props`, `on…` are listeners, `data` its dataset, `style` an object of
 * properties; true is an empty attribute; null, undefined and false leave it out, but of
 * `aria-…` false is a value. Children are nodes, text, lists of these; null and false are none.
 */
export function el(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  set(node, props);
  node.append(...flat(children));
  return node;
}

/** Give `node` these properties, as `el` does. */
export function set(node, props) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (key.startsWith("on") && typeof value === "function") {
      node.addEventListener(key.slice(2).toLowerCase(), value);
    } else if (key === "data") {
      for (const [name, one] of Object.entries(value)) if (one != null) node.dataset[name] = one;
    } else if (key === "style") {
      for (const [name, one] of Object.entries(value)) node.style.setProperty(name, one);
    } else if (key === "value" || key === "checked" || key === "disabled") {
      node[key] = value ?? "";
    } else if (value == null || (value === false && !key.startsWith("aria-"))) {
      node.removeAttribute(key);
    } else {
      node.setAttribute(key, value === true && !key.startsWith("aria-") ? "" : String(value));
    }
  }
}

/** Put `children` in the place of all that `node` holds. */
export function fill(node, ...children) {
  node.replaceChildren(...flat(children));
  return node;
}

function flat(children) {
  return children
    .flat(Infinity)
    .filter((one) => one !== null && one !== undefined && one !== false && one !== "")
    .map((one) => (one instanceof Node ? one : document.createTextNode(String(one))));
}

const PATHS = {
  sun: "M12 4V2m0 20v-2m8-8h2M2 12h2m13.7-5.7 1.4-1.4M4.9 19.1l1.4-1.4m0-11.4L4.9 4.9m14.2 14.2-1.4-1.4M16 12a4 4 0 1 1-8 0 4 4 0 0 1 8 0Z",
  moon: "M20 14.5A8 8 0 0 1 9.5 4a8 8 0 1 0 10.5 10.5Z",
  half: "M12 3a9 9 0 1 0 0 18V3Zm0 0a9 9 0 0 1 0 18",
  back: "m14 6-6 6 6 6",
  down: "M12 5v14m-6-6 6 6 6-6",
  reply: "m9 7-5 5 5 5m-5-5h10a6 6 0 0 1 6 6v1",
  link: "M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  copy: "M9 9h11v11H9zM5 15H4V4h11v1",
  close: "m6 6 12 12M18 6 6 18",
  send: "M4 12 20 4l-5 16-3.5-6.5L4 12Zm7.5 1.5L20 4",
  plus: "M12 5v14M5 12h14",
  hand: "M8 12V5.5a1.5 1.5 0 0 1 3 0V11m0-6.5a1.5 1.5 0 0 1 3 0V11m0-5a1.5 1.5 0 0 1 3 0v8a7 7 0 0 1-7 7c-3 0-4.5-1.5-6-4l-2-3.5c-.6-1.2 1-2.4 2-1.4L8 14",
  mic: "M12 3a3 3 0 0 0-3 3v5a3 3 0 0 0 6 0V6a3 3 0 0 0-3-3Zm-7 8a7 7 0 0 0 14 0m-7 7v3",
  mute: "M15 10.5V6a3 3 0 0 0-5.7-1.3M9 9v2a3 3 0 0 0 4.5 2.6M5 11a7 7 0 0 0 10.5 6M19 11a7 7 0 0 1-.8 3.2M12 18v3M4 3l16 18",
  pause: "M8 5v14M16 5v14",
  play: "M7 4.5v15l12-7.5z",
  stop: "M12 3 4 7v5c0 5 3.5 8 8 9 4.5-1 8-4 8-9V7z",
  vote: "M4 13v7h16v-7M8 9l3.5 3.5L18 5",
  keys: "M3 7h18v10H3zM7 11h.01M11 11h.01M15 11h.01M8 14h8",
  out: "M14 4h5v16h-5M10 8l-4 4 4 4m-4-4h10",
  person: "M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0ZM4 21a8 8 0 0 1 16 0",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  check: "m5 13 4.5 4.5L19 7",
  edit: "m4 20 1-4L16.5 4.5l3 3L8 19l-4 1Zm10.5-13.5 3 3",
  gear: "M15 12a3 3 0 1 1-6 0 3 3 0 0 1 6 0Zm4.4 0c0-.5 0-1-.1-1.4l2-1.5-2-3.4-2.3 1a7.4 7.4 0 0 0-2.5-1.4L14.2 2.800h-4.4l-.3 2.5a7.4 7.4 0 0 0-2.5 1.4l-2.3-1-2 3.400 2 1.500a7.4 7.4 0 0 0 0 2.800l-2 1.500 2 3.400 2.3-1a7.4 7.4 0 0 0 2.5 1.4l.3 2.5h4.4l.3-2.5a7.4 7.4 0 0 0 2.5-1.4l2.3 1 2-3.400-2-1.500c.1-.4.1-.9.1-1.4Z",
  info: "M12 11v6m0-9.5v.01M21 12a9 9 0 1 1-18 0 9 9 0 0 1 18 0Z",
  bell: "M6 16V11a6 6 0 1 1 12 0v5l2 2H4l2-2Zm4 5h4",
  search: "M16.5 16.5 21 21M18 11a7 7 0 1 1-14 0 7 7 0 0 1 14 0Z",
};

/** A drawing of the name, 20 pixels wide; decoration, so never the only thing a button says. */
export function icon(name) {
  const svg = document.createElementNS(SVG, "svg");
  const path = document.createElementNS(SVG, "path");
  for (const [key, value] of Object.entries({ viewBox: "0 0 24 24", class: "icon", "aria-hidden": "true", focusable: "false" })) {
    svg.setAttribute(key, value);
  }
  path.setAttribute("d", PATHS[name] ?? PATHS.more);
  svg.append(path);
  return svg;
}

/** A button; `label` is its name where it shows only an icon. */
export function button(label, props = {}, glyph = null, shown = true) {
  const { class: given, ...rest } = props;
  const name = shown ? {} : { "aria-label": label, title: label };
  return el(
    "button",
    { type: "button", class: given ?? (shown ? "button" : "button bare"), ...name, ...rest },
    glyph && icon(glyph),
    shown && el("span", {}, label),
  );
}

/** A dialog that is open, holding `children`; it goes when it is closed. */
export function dialog(title, ...children) {
  const heading = el("h2", { id: `d${++dialogs}` }, title);
  const box = el(
    "dialog",
    { class: "dialog", "aria-labelledby": heading.id },
    el("header", { class: "dialog-head" }, heading, button("Close", { class: "button bare", onclick: () => box.close() }, "close", false)),
    el("div", { class: "dialog-body" }, ...children),
  );
  const before = document.activeElement;
  box.addEventListener("click", (event) => event.target === box && box.close());
  box.addEventListener("close", () => {
    box.remove();
    // the browser gave the focus back at once; who moved it on since is not called back
    if (document.activeElement === document.body && before?.isConnected) before.focus({ preventScroll: true });
  });
  document.body.append(box);
  box.querySelector(".dialog-body :is(input, select, textarea)")?.setAttribute("autofocus", "");
  box.showModal();
  return box;
}

let dialogs = 0;
