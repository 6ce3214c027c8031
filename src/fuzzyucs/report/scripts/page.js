"use strict";
// The page: reads the data of the report and shows each section.

function setUpTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let isDark = dark.matches;
  const show = () => { document.documentElement.dataset.theme = isDark ? "dark" : "light"; };
  dark.addEventListener("change", (event) => { isDark = event.matches; show(); });
  $("theme").addEventListener("click", () => { isDark = !isDark; show(); });
  show();
}

setUpTheme();
const DATA = JSON.parse($("data").textContent);
linkViews(DATA.model);
DATA.model.rules.forEach((rule, r) => {
  rule.evidence = DATA.rules.evidence[r];
  rule.shares = rule.if.map((condition) =>
    shareOfRows(DATA.model.features[condition[0]], condition, DATA.features[condition[0]]));
});
const MODEL = makeModel({ ...DATA.model, colours: DATA.colours });
showCard(DATA, MODEL);
showPerformance(DATA.performance, MODEL);
const RULES = new RuleTable(MODEL, DATA.rules);
showExperts(MODEL, DATA.experts);
showVariables(MODEL, DATA.features);
const WHAT_IF = new WhatIf(MODEL, DATA.features, DATA.importance, DATA.performance);
showUnits(MODEL);
const INTERVIEW = DATA.replies && new Interview(MODEL, DATA.replies, WHAT_IF);
addExamples(WHAT_IF, DATA.examples);
if (DATA.image_shape) new DrawingPad(WHAT_IF, DATA.image_shape, DATA.examples);
const SHARING = new Sharing(WHAT_IF);
document.addEventListener("record", ({ detail }) => followRecord(detail.record));
