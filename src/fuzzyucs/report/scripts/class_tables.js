"use strict";
// How well each class is found, by the most probable class and by answers alone.

// A share of rows and the rows themselves.
const shareOf = (part, all) => all ? `${percent(part / all)} (${part.toLocaleString("en")} of ${all.toLocaleString("en")})`
  : "–";

// Of each class: its rows, how many of them are found, and how often its name is right where it is said.
function recallAndPrecision(confusion, c) {
  return [shareOf(confusion[c][c], sum(confusion[c])), shareOf(confusion[c][c], sum(confusion.map((row) => row[c])))];
}

function showClassTables({ confusion, answers_by_class: answers }, model) {
  const head = ["Class", "Rows", "Recall", "Precision"];
  if (answers) head.push("Recall of answers", "Precision of answers");
  const rows = model.classes.map((label, c) => make("tr", {},
    make("th", { scope: "row" }, withSwatch(model, c, label)),
    ...[sum(confusion[c]).toLocaleString("en"), ...recallAndPrecision(confusion, c),
      ...(answers ? recallAndPrecision(answers, c) : [])].map((text) => make("td", {}, text))));
  $("class-table").append(
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows));
  $("class-note").hidden = $("answers").hidden = !answers;
  if (answers) showConfusion($("answer-confusion"), answers, model);
}
