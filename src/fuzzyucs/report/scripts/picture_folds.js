"use strict";
// Pictures of rules that unfold in the ledger and in the table of rules.

const OPEN_PICTURES = new Set(); // places and rules, which stay open from record to record

// Words about a rule that unfold to its picture. `place` tells apart where they stand, and `record`
// returns the record whose values are marked.
function pictureFold(place, rule, record, ...words) {
  const key = `${place} ${MODEL.rules.indexOf(rule)}`;
  const box = make("details", { className: "picture" }, make("summary", {}, ...words));
  box.showPicture = (shown) => {
    box.querySelector("svg")?.remove();
    if (box.open) box.append(rulePicture(rule, shown, panelColumns(box.clientWidth || undefined)));
  };
  box.addEventListener("toggle", () => {
    if (box.open) OPEN_PICTURES.add(key);
    else OPEN_PICTURES.delete(key);
    if (box.open !== Boolean(box.querySelector("svg"))) box.showPicture(record());
  });
  box.open = OPEN_PICTURES.has(key);
  if (box.open) box.showPicture(record());
  return box;
}

// Marks another record's values in the pictures of the table of rules.
function followRecord(record) {
  for (const box of $("rule-table").querySelectorAll("details.picture[open]")) box.showPicture(record);
}
