"use strict";
// Rules that experts stated, and what the data of the page think of them.

// A reliability in few digits, and never as 1, or as 0 if there is some.
function shownReliability(reliability) {
  if (reliability < 0.005) return "below 0.01";
  return reliability > 0.995 ? "above 0.99" : String(Number(reliability.toFixed(2)));
}

// Who stated a rule, and how reliable it is; nothing of learned rules.
function expertWords({ class_rows: rows }, { expert, logOdds }) {
  if (expert === undefined) return [];
  const present = sum(rows) ? `, with the data ${shownReliability(1 - Math.exp(-logOdds))}` : "";
  return [make("div", { className: "note expert" },
    `expert's rule, reliability ${Number(expert.toPrecision(2))}${present}`)];
}

function showExperts(model, findings) {
  $("experts").hidden = !findings.length;
  $("expert-list").append(...findings.map(({ rule, sentences }) => make("li", {},
    make("div", {}, ...ruleWords(model.rules[rule]), ` → ${labelOf(model.rules[rule], model.classes)}`),
    ...sentences.map((sentence) => make("div", { className: "note" }, sentence)))));
}
