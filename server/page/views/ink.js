/** Colours of the theme for what is drawn rather than styled, and when they change. */

/** The values of those custom properties, by name without the dashes. */
export function inks(node, ...names) {
  const style = getComputedStyle(node);
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim() || "#888"]));
}

/** Calls `hearer` when the theme changes; gives what ends that. */
export function themed(hearer) {
  const watch = new MutationObserver(hearer);
  watch.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
  return () => watch.disconnect();
}

/** Calls `hearer(width, height)` when `node` has another size; gives what ends that. */
export function sized(node, hearer) {
  let size = "";
  const watch = new ResizeObserver(([{ contentRect }]) => {
    const now = `${Math.round(contentRect.width)} ${Math.round(contentRect.height)}`;
    if (now === size || contentRect.width === 0) return;
    size = now;
    hearer(Math.round(contentRect.width), Math.round(contentRect.height));
  });
  watch.observe(node);
  return () => watch.disconnect();
}

/** A canvas sharp on this screen, cleared, `width` by `height` in CSS pixels. */
export function fresh(canvas, width, height) {
  const scale = devicePixelRatio || 1;
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  pen.scale(scale, scale);
  return pen;
}
