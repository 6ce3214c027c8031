"use strict";
// Where rules look at an image: the pixels that the rules that say most ask for.

const MOST_LOOKS = 5;

// The rules that apply and contribute most, for or against the answer.
function strongestRules(model, result, most = MOST_LOOKS) {
  return contributions(model, result).filter(({ rule, degree, kind, contribution: amount }) =>
    rule && degree > 0 && kind !== "matches less" && amount !== 0).slice(0, most);
}

// Whether a condition asks for ink, for a blank, or for something in between.
function askedOf(feature, condition) {
  const [low, high] = [feature.minimum, feature.maximum]
    .map((value) => membership(feature, condition, locate(feature, value)));
  return high > low ? "ink" : low > high ? "blank" : "between";
}

// The pixels that rules look at, as drawings in pixels of the image.
function lookMarks(model, entries, columns) {
  const depth = new Map(); // how many rules look at a pixel already
  return entries.map(({ rule }) => {
    const colour = classColour(classOfRule(rule)), group = draw("g", { class: "look", stroke: colour });
    for (const condition of rule.if) {
      const f = condition[0], inset = 0.06 + 0.11 * Math.min(depth.get(f) ?? 0, 3);
      depth.set(f, (depth.get(f) ?? 0) + 1);
      const x = f % columns, y = Math.floor(f / columns), asked = askedOf(model.features[f], condition);
      group.append(draw("rect", { x: x + inset, y: y + inset, width: 1 - 2 * inset, height: 1 - 2 * inset,
        class: "halo" }), draw("rect", { x: x + inset, y: y + inset, width: 1 - 2 * inset, height: 1 - 2 * inset,
        "data-pixel": f }), draw("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.1, class: asked,
        fill: asked === "ink" ? colour : "#ffffff" }));
    }
    return group;
  });
}
