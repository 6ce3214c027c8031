"use strict";
// Accuracy and uncertainty on the data of the report.

function addTile(value, text) {
  $("tiles").append(make("div", { className: "tile" }, make("b", {}, value), make("span", {}, text)));
}

// Which rows these figures are of, and whether the model has seen them.
function measuredOn({ rows, rows_are: are }) {
  const all = rows.toLocaleString("en");
  if (are === "learned") {
    return `Measured on the ${all} rows that the model learned from. Of rows that it has not seen, usually ` +
      "fewer answers are right.";
  }
  if (are === "held out") return `Measured on ${all} rows that the model did not learn from.`;
  return `Measured on the ${all} rows given to the report. This page cannot tell whether the model learned from ` +
    "some of them; if so, the figures are too favourable.";
}

function showPerformance(p, model) {
  $("measured").textContent = measuredOn(p);
  $("measured").classList.toggle("warning", p.rows_are === "learned");
  addTile(percent(p.accuracy, 1),
    `accuracy (95 % interval: ${percent(p.interval[0], 1)} to ${percent(p.interval[1], 1)})`);
  addTile(p.log_loss.toFixed(3), "log-loss");
  const hasBelief = p.belief_reliability !== null;
  addTile(percent(p.calibration_error, 1),
    hasBelief ? "calibration error of probabilities" : "calibration error");
  if (hasBelief) addTile(percent(p.belief_calibration_error, 1), "calibration error of belief");
  addTile(percent(p.ignorance, 1), "mean ignorance (“don’t know”)");
  if (p.ignorance_wrong !== null && p.ignorance_right !== null) {
    addTile(percent(p.ignorance_wrong, 1),
      `mean ignorance of wrong answers, ${percent(p.ignorance_right, 1)} of right ones`);
  }
  if (p.novelty !== null) addTile(percent(p.novelty, 1), "mean novelty (of a record, 10 % is unusual)");
  drawCurve($("risk"), p.coverage, p.risk, "share of answered rows", "share of wrong answers");
  drawReliability($("reliability"), p.reliability, p.belief_reliability);
  if (hasBelief) {
    $("reliability-note").textContent = " Filled dots: probability. Hollow dots: belief " +
      "alone, without what base rates add.";
  }
  showVerdicts(p.verdicts, p.rows);
  showConfusion($("confusion"), p.confusion, model);
  showClassTables(p, model);
}

const VERDICTS = { answer: "An answer", torn: "Torn", unknown: "I don’t know" };
const REASONS = {
  contradiction: "rules contradict each other", undecided: "rules do not decide",
  evidence: "rules say too little", missing: "values are missing", novelty: "unlike the training data",
};

// How many rows get each verdict, and how often the most probable class is right with it.
function showVerdicts(verdicts, nRows) {
  $("verdicts").hidden = verdicts === null;
  if (verdicts === null) return;
  const head = ["Verdict", "Rows", "Share", "Right"];
  const rows = verdicts.map(({ verdict, reason, rows: n, right }) => make("tr", {},
    make("th", { scope: "row" }, VERDICTS[verdict] + (reason ? `: ${REASONS[reason]}` : "")),
    ...[n.toLocaleString("en"), percent(n / nRows), percent(right / n)]
      .map((text) => make("td", {}, text))));
  $("verdict-table").append(
    make("thead", {}, make("tr", {}, ...head.map((text) => make("th", { scope: "col" }, text)))),
    make("tbody", {}, ...rows));
}

const MOST_UPRIGHT = 6; // names of classes beside each other above the matrix

// Rows by true and predicted class; a further column, if there is one, has the rows without an answer.
function showConfusion(table, confusion, model) {
  const { classes } = model, isAnswers = confusion[0].length > classes.length;
  const head = make("tr", {}, make("td", {}, isAnswers ? "true \\ answer" : "true \\ predicted"),
    ...classes.map((label, c) => make("th", { scope: "col" }, swatchOf(model, c), label)),
    ...(isAnswers ? [make("th", { scope: "col" }, "no answer")] : []));
  const rows = confusion.map((counts, i) => {
    const total = Math.max(1, sum(counts));
    return make("tr", {}, make("th", { scope: "row" }, withSwatch(model, i, classes[i])), ...counts.map((count, j) => {
      const cell = make("td", {}, String(count));
      const colour = j === classes.length ? "var(--soft)" : i === j ? "var(--accent)" : "var(--warn)";
      cell.style.background = `color-mix(in srgb, ${colour} ${(45 * count) / total}%, transparent)`;
      return cell;
    }));
  });
  table.classList.toggle("many", classes.length > MOST_UPRIGHT);
  table.append(make("thead", {}, head), make("tbody", {}, ...rows));
}
