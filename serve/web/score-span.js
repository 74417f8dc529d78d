// Of which time forecasts are scored: the last day, week or month, all that is kept, or days that are named.

import { h, put } from "./dom.js";
import { midnight } from "./words.js";

/** What is asked for, as the service reads it, and what it is called. */
const SPANS = [["1d", "Day", "the last day"], ["7d", "Week", "the last week"], ["30d", "Month", "the last month"], ["0", "All", "all that is kept"]];
const USUAL = "7d";

/** A day as a field of dates has it. */
const dayOf = (at) => {
  const date = new Date(at * 1000);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
};

/** The choice; `go` is called when it is another one. */
export function scoreSpan(app, go) {
  let from = USUAL;
  let to = "";
  const isNamed = () => !SPANS.some(([one]) => one === from) || Boolean(to);
  const buttons = h("div", { class: "switch", role: "group", "aria-label": "Forecasts of which time" });
  const first = h("input", { type: "date", id: "s-from", required: true });
  const last = h("input", { type: "date", id: "s-to", required: true });
  const days = h("div", { class: "span-days", hidden: true }, h("label", { for: "s-from" }, "from"), first, h("label", { for: "s-to" }, "to"), last);
  const element = h("div", { class: "span" }, buttons, days);

  function choose(since, until = "") {
    [from, to] = [since, until];
    show();
    go();
  }

  /** The days of the fields, as far as they are whole and in order. */
  function named() {
    [first.max, last.min, last.max] = [last.value, first.value, dayOf(app.now())];
    if (first.value && last.value && first.value <= last.value) choose(first.value, last.value);
  }
  first.addEventListener("change", named);
  last.addEventListener("change", named);

  function show() {
    const button = (name, about, isPressed, run) => h("button", { type: "button", "aria-pressed": String(isPressed), title: about, onclick: run }, name);
    const isFocused = buttons.contains(document.activeElement);
    put(buttons,
      SPANS.map(([since, name, about]) => button(name, about, from === since && !to, () => choose(since))),
      // A log without dates has no days to name.
      app.cluster?.epoch === null ? null : button("Dates", "days that are named", isNamed(), () => choose(dayOf(midnight(app.now(), -6)), dayOf(app.now()))));
    if (isFocused) buttons.querySelector("[aria-pressed=true]")?.focus();
    days.hidden = !isNamed();
    if (isNamed()) {
      [first.value, last.value] = [from, to || dayOf(app.now())];
      [first.max, last.min, last.max] = [last.value, first.value, dayOf(app.now())];
    }
  }

  return {
    element,
    /** Takes what a link names. */
    set(parameters) {
      [from, to] = [parameters.from || USUAL, parameters.to ?? ""];
      show();
    },
    all: () => choose("0"),
    isAll: () => from === "0" && !to,
    asked: () => ({ from, to }),
    linked: () => (from === USUAL && !to ? {} : { from, to }),
  };
}
