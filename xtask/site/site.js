// What the theme of mdBook lacks for keyboards and screen readers.
(() => {
  // Code and tables that are wider than the page scroll, so they must be reached without a mouse.
  for (const wide of document.querySelectorAll("pre > code, .table-wrapper")) wide.tabIndex = 0;

  // The button of the sidebar is a label.
  const toggle = document.getElementById("mdbook-sidebar-toggle");
  if (toggle?.tagName !== "LABEL") return;
  toggle.setAttribute("role", "button");
  toggle.tabIndex = 0;
  toggle.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    toggle.click();
  });
})();
