"use strict";
// Sharing: the address of the page follows the record, can be copied, and brings the record back.

const LINK_DELAY = 250; // milliseconds: browsers limit how often an address may change

class Sharing {
  constructor(whatIf) {
    this.whatIf = whatIf;
    this.timer = 0;
    this.note = make("span", { className: "note", role: "status" });
    this.copy = make("button", { type: "button", id: "copy-link" }, "Copy link");
    this.copy.addEventListener("click", () => this.copyLink());
    const save = make("button", { type: "button", id: "save-svg" }, "Save as SVG");
    save.addEventListener("click", () => saveVerdict(whatIf));
    const box = make("div", { className: "actions" }, this.copy, save, this.note);
    document.querySelector(".why").prepend(box);
    addEventListener("hashchange", () => this.restore());
    document.addEventListener("record", () => this.follow());
    this.restore();
  }

  // Takes the record that the address names, if it does.
  restore() {
    const { whatIf } = this, { model } = whatIf;
    const found = readRecordHash(model, location.hash, model.features.map((_, f) => whatIf.typical(f)));
    if (!found) return;
    this.note.textContent = found.problem ? `The record in the link was ignored: ${found.problem}.` : "";
    if (!found.record) return;
    whatIf.setRecord(found.record, "Record of the link");
    $("what-if").scrollIntoView({ behavior: "instant" });
  }

  // Lets the address follow the record, without an entry in the history of the browser.
  follow() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = 0;
      try {
        history.replaceState(null, "", recordHash(this.whatIf.model, this.whatIf.record));
      } catch {
        // A frame may not be allowed to have an address; its link can be copied all the same.
      }
    }, LINK_DELAY);
    this.note.textContent = "";
  }

  link() {
    return location.href.split("#")[0] + recordHash(this.whatIf.model, this.whatIf.record);
  }

  async copyLink() {
    const link = this.link();
    try {
      await navigator.clipboard.writeText(link);
      this.note.textContent = "Link copied.";
    } catch {
      this.offer(link);
    }
  }

  // Where a page may not write to the clipboard, people copy the link themselves.
  offer(link) {
    const field = make("input", { type: "text", value: link, readOnly: true, "aria-label": "Link to this record" });
    this.note.replaceChildren("Copy this link: ", field);
    field.select();
  }
}
