"use strict";
// Units of features, behind values.

const withUnit = ({ unit }, text) => (unit ? `${text}\u00a0${unit}` : text);

// Adds units to the fields of the what-if form.
function showUnits({ features }) {
  features.forEach(({ name, unit }, f) => {
    const field = unit && document.querySelector(`.input[data-feature="${f}"] input[type="number"]`);
    if (!field) return;
    field.setAttribute("aria-label", `Value of ${name} in ${unit}`);
    const box = make("span", { className: "measured" });
    field.replaceWith(box);
    box.append(field, make("span", { className: "unit", "aria-hidden": "true" }, unit));
  });
}
