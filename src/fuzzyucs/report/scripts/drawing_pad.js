"use strict";
// The drawing pad: features that are pixels, shown as an image to draw on.

const BRUSHES = { thin: 0.25, medium: 0.65, thick: 1.15 }; // radius in pixels of the image
const BLANK = [255, 255, 255], FULL = [22, 26, 32]; // colours of the lowest and the greatest value
const MOVES = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] };

// The lowest and the greatest value of all pixels.
function rangeOfPixels(features) {
  const known = features.filter(({ minimum, maximum }) => minimum !== null && maximum !== null);
  const low = Math.min(...known.map(({ minimum }) => minimum)), high = Math.max(...known.map(({ maximum }) => maximum));
  return high > low ? [low, high] : [0, 1];
}

// Paints a record on a canvas that has a point for each pixel.
function paint(canvas, record, range) {
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  record.forEach((value, f) => {
    const dark = Number.isNaN(value) ? 0 : clamp(share(value, ...range), 0, 1);
    for (let k = 0; k < 3; ++k) image.data[4 * f + k] = BLANK[k] + (FULL[k] - BLANK[k]) * dark;
    image.data[4 * f + 3] = 255;
  });
  context.putImageData(image, 0, 0);
}

class DrawingPad {
  constructor(whatIf, shape, examples) {
    Object.assign(this, { whatIf, shape, examples, model: whatIf.model });
    this.range = rangeOfPixels(this.model.features);
    this.brush = "medium";
    this.cursor = [Math.floor(shape[0] / 2), Math.floor(shape[1] / 2)];
    this.last = null; // where the pointer was, while it draws
    this.pending = null; // the record to show in the next frame
    this.addElements();
    this.listen();
    document.addEventListener("record", ({ detail }) => this.show(detail.record, detail.result));
    // Typical values of pixels are no image that anybody would draw.
    if (examples.length) whatIf.setRecord(asRecord(examples[0].record), examples[0].name);
    else this.show(whatIf.record, this.model.evaluate(whatIf.record));
  }

  addElements() {
    const [rows, columns] = this.shape;
    this.canvas = make("canvas", { id: "pad", width: columns, height: rows, tabIndex: 0, role: "application",
      "aria-label": `Drawing pad, ${rows} rows and ${columns} columns of pixels`, "aria-describedby": "pad-help" });
    this.overlay = draw("svg", { viewBox: `0 0 ${columns} ${rows}`, "aria-hidden": "true" });
    this.stage = make("div", { className: "pad-stage" }, this.canvas, this.overlay);
    this.stage.style.aspectRatio = `${columns} / ${rows}`;
    this.place = make("span", { className: "sr-only", role: "status" });
    const clear = make("button", { type: "button", id: "pad-clear" }, "Clear");
    clear.addEventListener("click", () => this.clear());
    this.looks = make("input", { type: "checkbox", id: "pad-looks", checked: true });
    this.looks.addEventListener("input", () => this.stage.classList.toggle("plain", !this.looks.checked));
    this.legend = make("div", { className: "pad-rules" });
    const help = make("p", { className: "note", id: "pad-help" },
      "Draw with mouse, finger, or keys: arrows move, space draws, delete erases, shift with arrows draws a line.");
    const tools = make("div", { className: "pad-tools" }, this.brushes(),
      make("div", { className: "pad-buttons" }, clear, $("reset")),
      make("label", { className: "pad-check", htmlFor: "pad-looks" }, this.looks, "Show where rules look"), this.legend);
    const box = make("div", { className: "pad" }, this.stage, tools, ...this.thumbnails(), help, this.place);
    const numbers = make("details", { className: "pad-numbers" }, make("summary", {}, "Pixels as numbers"));
    const form = $("form"), rest = [...form.children];
    form.append(box, numbers);
    numbers.append(...rest);
    // What is not about single pixels stays in sight.
    if ($("examples")) tools.prepend($("examples").closest("label"));
  }

  brushes() {
    const group = make("fieldset", { className: "brushes" }, make("legend", {}, "Brush"));
    for (const name of [...Object.keys(BRUSHES), "eraser"]) {
      const id = `brush-${name}`, radio = make("input", { type: "radio", name: "brush", id, value: name, checked: name === this.brush });
      radio.addEventListener("input", () => { this.brush = name; });
      group.append(radio, make("label", { htmlFor: id }, name));
    }
    return group;
  }

  // Example records as small images to click.
  thumbnails() {
    if (!this.examples.length) return [];
    const [rows, columns] = this.shape;
    return [make("div", { className: "thumbnails", role: "group", "aria-label": "Example images" },
      ...this.examples.map(({ name, record }) => {
        const canvas = make("canvas", { width: columns, height: rows, "aria-hidden": "true" });
        paint(canvas, asRecord(record), this.range);
        const button = make("button", { type: "button", title: name, "aria-label": name }, canvas);
        button.addEventListener("click", () => this.whatIf.setRecord(asRecord(record), name));
        return button;
      }))];
  }

  listen() {
    const { canvas } = this;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      event.preventDefault();
      canvas.focus({ preventScroll: true });
      this.stage.classList.remove("keys");
      this.last = this.pointOf(event);
      this.stroke(this.last, this.last);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.last) return;
      for (const part of event.getCoalescedEvents?.() ?? [event]) {
        const point = this.pointOf(part);
        this.stroke(this.last, point);
        this.last = point;
      }
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { this.last = null; });
    canvas.addEventListener("keydown", (event) => this.onKey(event));
    canvas.addEventListener("blur", () => this.stage.classList.remove("keys"));
  }

  // A place on the canvas in pixels of the image.
  pointOf({ clientX, clientY }) {
    const { left, top, width, height } = this.canvas.getBoundingClientRect(), [rows, columns] = this.shape;
    return [((clientX - left) / width) * columns, ((clientY - top) / height) * rows];
  }

  onKey(event) {
    const move = MOVES[event.key], isErasing = event.key === "Delete" || event.key === "Backspace";
    if (!move && !isErasing && event.key !== " ") return;
    event.preventDefault();
    this.stage.classList.add("keys");
    const centre = () => [this.cursor[1] + 0.5, this.cursor[0] + 0.5], before = centre();
    if (move) this.cursor = this.cursor.map((place, k) => clamp(place + move[k], 0, this.shape[k] - 1));
    if (!move || event.shiftKey) this.stroke(before, centre(), isErasing);
    this.showCursor();
    const [row, column] = this.cursor, value = (this.pending ?? this.whatIf.record)[row * this.shape[1] + column];
    this.place.textContent = `Row ${row + 1}, column ${column + 1}: ${Number.isNaN(value) ? "missing" : plain(value)}`;
  }

  stroke(from, to, isErasing = this.brush === "eraser") {
    const record = this.pending ?? this.whatIf.record.slice();
    const covered = coverage(this.shape, from, to, BRUSHES[this.brush] ?? BRUSHES.medium);
    for (const [f, part] of covered) {
      record[f] = inked(this.model.features[f], record[f], part, isErasing, this.range);
    }
    this.change(record);
  }

  clear() {
    this.change(this.model.features.map(({ minimum, maximum }) =>
      (minimum === null ? NaN : clamp(this.range[0], minimum, maximum))));
  }

  // Shows a record in the next frame: a pointer may move several times in between.
  change(record) {
    const isWaiting = this.pending !== null;
    this.pending = record;
    if (isWaiting) return;
    requestAnimationFrame(() => {
      const newest = this.pending;
      this.pending = null;
      this.whatIf.setRecord(newest);
    });
  }

  show(record, result) {
    paint(this.canvas, record, this.range);
    const entries = strongestRules(this.model, result), columns = this.shape[1];
    const marks = lookMarks(this.model, entries, columns);
    const missing = record.flatMap((value, f) => (Number.isNaN(value)
      ? [draw("text", { x: (f % columns) + 0.5, y: Math.floor(f / columns) + 0.7, class: "gap" }, "?")] : []));
    this.frame = draw("rect", { width: 1, height: 1, class: "cursor" });
    this.overlay.replaceChildren(...missing, ...marks, this.frame);
    this.showCursor();
    this.showLegend(result, entries, marks);
  }

  showCursor() {
    this.frame.setAttribute("x", this.cursor[1]);
    this.frame.setAttribute("y", this.cursor[0]);
  }

  showLegend(result, entries, marks) {
    const { classes, isEvidence } = this.model;
    const lines = entries.map(({ rule, contribution: amount }, k) => {
      const key = make("span", { className: "key" });
      key.style.background = classColour(classOfRule(rule));
      const line = make("button", { type: "button", title: rule.text }, key, `${labelOf(rule, classes)} `,
        make("span", { className: "note" }, `${signed(amount)}, ${counted(rule.if.length, "pixel", "pixels")}`));
      // Pointing at a rule, or going to it by key, shows its pixels alone.
      const dim = (isDim) => marks.forEach((mark, m) => mark.classList.toggle("dim", isDim && m !== k));
      for (const name of ["pointerenter", "focus"]) line.addEventListener(name, () => dim(true));
      for (const name of ["pointerleave", "blur"]) line.addEventListener(name, () => dim(false));
      return make("li", {}, line);
    });
    const against = `${classes[result.best]} against ${classes[rivalOf(this.model, result)]}`;
    this.legend.replaceChildren(make("p", { className: "note" }, entries.length
      ? `Rules that apply and say most about ${against}, in ${isEvidence ? "log-odds" : "votes"}. ` +
        "● asks for ink, ○ for a blank." : `No rule that applies says anything about ${against}.`),
    make("ul", {}, ...lines));
  }
}
