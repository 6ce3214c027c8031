"use strict";
// The menu of example records, if there are any.

const asRecord = (values) => values.map((value) => (value === null ? NaN : value));

function addExamples(whatIf, examples) {
  if (!examples.length) return;
  const menu = make("select", { id: "examples" }, make("option", { value: "" }, "choose one"),
    ...examples.map(({ name }, k) => make("option", { value: k }, name)));
  menu.addEventListener("input", () => {
    if (menu.value !== "") whatIf.setRecord(asRecord(examples[menu.value].record), examples[menu.value].name);
  });
  // A record that was changed is no longer the example.
  const isShown = ({ record }, other) => record.every((value, f) => (value ?? NaN) === other[f] ||
    (value === null && Number.isNaN(other[f])));
  const show = (record) => {
    if (menu.value !== "" && isShown(examples[menu.value], record)) return;
    const found = examples.findIndex((example) => isShown(example, record));
    menu.value = found < 0 ? "" : String(found);
  };
  document.addEventListener("record", ({ detail }) => show(detail.record));
  document.querySelector("#form .filters").append(make("label", {}, "Example records", menu));
  show(whatIf.record);
}
