// A formula, a table or a program that is wider than its line scrolls inside it, and has to be reachable by keyboard then, and only then.

export function reachWhatScrolls() {
  const sized = new ResizeObserver((entries) => {
    for (const { target } of entries) {
      if (target.scrollWidth > target.clientWidth) target.setAttribute("tabindex", "0");
      else target.removeAttribute("tabindex");
    }
  });
  document.querySelectorAll("mjx-container[display], table, pre > code").forEach((wide) => sized.observe(wide));
}
