// Sort a table by the column whose heading is clicked; rows below the line stay where they are.
"use strict";

function valueOf(row, column) {
  const text = row.cells[column].textContent.trim().replace("−", "-");
  const number = Number.parseFloat(text);
  return Number.isNaN(number) ? text : number;
}

function compare(first, second) {
  if (typeof first === "number" && typeof second === "number") return first - second;
  if (typeof first === "number") return -1; // numbers stand before texts
  if (typeof second === "number") return 1;
  return first.localeCompare(second);
}

function sortBy(heading) {
  const column = heading.cellIndex;
  const table = heading.closest("table");
  const isAscending = heading.getAttribute("aria-sort") === "ascending";
  for (const other of heading.parentElement.cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", isAscending ? "descending" : "ascending");
  const sign = isAscending ? -1 : 1;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  rows.sort((a, b) => sign * compare(valueOf(a, column), valueOf(b, column)));
  body.append(...rows);
}

for (const button of document.querySelectorAll("thead button")) {
  button.addEventListener("click", () => sortBy(button.closest("th")));
}
