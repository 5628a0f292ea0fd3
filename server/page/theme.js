/* Runs before the first paint: light or dark as it was chosen here, else as the system has it. */
(() => {
  const wanted = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => {
    try {
      return localStorage.getItem("parley-theme");
    } catch {
      return null;
    }
  };
  const paint = () => {
    document.documentElement.dataset.theme = chosen() ?? (wanted.matches ? "dark" : "light");
    document.dispatchEvent(new Event("themechange"));
  };
  wanted.addEventListener("change", paint);
  globalThis.toggleTheme = () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    try {
      if (next === (wanted.matches ? "dark" : "light")) localStorage.removeItem("parley-theme");
      else localStorage.setItem("parley-theme", next);
    } catch {
      document.documentElement.dataset.theme = next;
      document.dispatchEvent(new Event("themechange"));
      return;
    }
    paint();
  };
  paint();
})();
