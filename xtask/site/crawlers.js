// A search field and a filter by use above the tables of docs/crawlers.md. Without scripts, the page shows all rows.
(() => {
  const tables = [...document.querySelectorAll("main table")];
  if (!/\/crawlers(\.html)?$/.test(location.pathname) || tables.length === 0) return;

  /** The parts of the page: the heading of a use, what is between it and the table, and the rows. */
  const parts = [...document.querySelectorAll("main h2")].flatMap((heading) => {
    const shown = [heading];
    for (let next = heading.nextElementSibling; next && next.tagName !== "H2"; next = next.nextElementSibling) shown.push(next);
    const rows = shown.flatMap((element) => [...element.querySelectorAll("tbody tr")]);
    return rows.length > 0 ? [{ name: heading.textContent.replace(/ \(\d+\)\s*$/, "").trim(), shown, rows }] : [];
  });

  const form = document.createElement("form");
  form.className = "crawlers";
  form.setAttribute("role", "search");
  const label = (text, field) => {
    const element = document.createElement("label");
    element.append(text, field);
    form.append(element);
    return field;
  };
  const text = label("Name, operator or source", document.createElement("input"));
  text.type = "search";
  text.autocomplete = "off";
  const use = label("Use", document.createElement("select"));
  for (const name of ["All uses", ...parts.map(({ name }) => name)]) use.add(new Option(name));
  const count = form.appendChild(document.createElement("p"));
  count.setAttribute("role", "status");

  const update = () => {
    const wanted = text.value.trim().toLowerCase();
    const names = new Set();
    for (const { name, shown, rows } of parts) {
      const isWanted = use.selectedIndex === 0 || use.value === name;
      let found = 0;
      for (const row of rows) {
        row.hidden = !isWanted || !row.textContent.toLowerCase().includes(wanted);
        if (row.hidden) continue;
        found += 1;
        names.add(row.cells[0].textContent);
      }
      for (const element of shown) element.hidden = found === 0;
    }
    count.textContent = `${names.size} ${names.size === 1 ? "crawler" : "crawlers"}`;
    // A link to the address opens the same rows.
    const state = new URLSearchParams();
    if (wanted) state.set("name", text.value.trim());
    if (use.selectedIndex > 0) state.set("use", use.value);
    const query = state.toString();
    history.replaceState(null, "", (query ? `?${query}` : location.pathname) + location.hash);
  };
  const asked = new URLSearchParams(location.search);
  text.value = asked.get("name") ?? "";
  if (asked.get("use")) use.value = asked.get("use");
  if (use.selectedIndex < 0) use.selectedIndex = 0;
  form.addEventListener("input", update);
  form.addEventListener("submit", (event) => event.preventDefault());
  parts[0].shown[0].before(form);
  update();
})();
