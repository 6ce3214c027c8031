"use strict";
// Pictures of rules that unfold in the table of rules.

const OPEN_PICTURES = new Set(); // rules, which stay open when the table is sorted or filtered

// Words about a rule that unfold to its picture; `record` returns the record whose values are marked.
function pictureFold(rule, record, ...words) {
  const box = make("details", { className: "picture" }, make("summary", {}, ...words));
  box.showPicture = (shown) => {
    box.querySelector("svg")?.remove();
    if (box.open) box.append(rulePicture(rule, shown, panelColumns(box.clientWidth || undefined)));
  };
  box.addEventListener("toggle", () => {
    if (box.open) OPEN_PICTURES.add(rule);
    else OPEN_PICTURES.delete(rule);
    if (box.open !== Boolean(box.querySelector("svg"))) box.showPicture(record());
  });
  box.open = OPEN_PICTURES.has(rule);
  if (box.open) box.showPicture(record());
  return box;
}

// Marks another record's values in the pictures of the table of rules.
function followRecord(record) {
  for (const box of $("rule-table").querySelectorAll("details.picture[open]")) box.showPicture(record);
}
