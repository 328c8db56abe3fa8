// What the theme leaves undone for those who use a keyboard or a screen reader.
document.addEventListener("DOMContentLoaded", () => {
  // Formulas and tables that are wider than the screen can be scrolled with the arrow keys.
  for (const wide of document.querySelectorAll(".formula, .cell_output .output, .cell_output .output div")) {
    if (wide.scrollWidth > wide.clientWidth) {
      wide.tabIndex = 0;
      wide.setAttribute("role", "group");
      wide.setAttribute("aria-label", wide.matches(".formula") ? "formula" : "output");
    }
  }
  // The arrow of a menu shows the pages of the link beside it.
  for (const toggle of document.querySelectorAll("nav summary")) {
    const link = toggle.closest("li")?.querySelector("a");
    toggle.setAttribute("aria-label", `Pages of ${link?.textContent.trim() ?? "this section"}`);
  }
  // Parameters on lines of their own are no list of definitions.
  for (const part of document.querySelectorAll("dt.sig dl > dd, dt.sig dl")) {
    const line = document.createElement("span");
    line.className = part.matches("dd") ? "parameter-line" : "parameter-lines";
    line.append(...part.childNodes);
    part.replaceWith(line);
  }
});
