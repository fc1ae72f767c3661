// Light or dark: as the system has it until the reader presses the button, and from then on as the reader wants it.

const KEPT = "studybank.scheme";

export function schemeButton() {
  const button = /** @type {HTMLButtonElement | null} */ (document.querySelector("button.scheme"));
  if (!button) return;
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");

  const reflect = () => {
    const dark = root.dataset.scheme === "dark" || (root.dataset.scheme !== "light" && system.matches);
    button.dataset.to = dark ? "light" : "dark";
    button.title = `Use the ${button.dataset.to} scheme`;
    button.setAttribute("aria-label", button.title);
    const paper = getComputedStyle(document.body).backgroundColor;
    document.querySelectorAll("meta[name='theme-color']").forEach((meta) => meta.setAttribute("content", paper));
  };

  button.addEventListener("click", () => {
    root.dataset.scheme = button.dataset.to;
    reflect();
    try {
      localStorage.setItem(KEPT, root.dataset.scheme ?? "");
    } catch {
      // Storage is full or forbidden: the choice lasts as long as the page.
    }
  });
  system.addEventListener("change", reflect);
  addEventListener("storage", ({ key, newValue }) => {
    if (key !== KEPT) return;
    root.dataset.scheme = newValue ?? "";
    reflect();
  });
  reflect();
}
