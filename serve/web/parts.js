// Parts that several views are made of: a time axis, ranges on it, states.

import { token } from "./api.js";
import { h } from "./dom.js";
import { clock, day, midnight, moment, span } from "./words.js";

const STEPS = [60, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400, 172800, 604800, 1209600, 2592000, 7776000];

/** Moments of an axis, aligned to the browser's days, at most `most` of them: `at`, and whether a day begins there. */
export function ticks(from, to, most) {
  const step = STEPS.find((one) => (to - from) / one <= most) ?? STEPS[STEPS.length - 1] * Math.ceil((to - from) / most / STEPS[STEPS.length - 1]);
  const found = [];
  const each = Math.max(1, Math.round(step / 86400));
  // Days of a coarse axis are counted from a fixed one, so that ticks stay where they are while time goes on.
  let next = midnight(from, step > 86400 ? -(Math.round(midnight(from) / 86400) % each) : 0);
  for (let guard = 0; guard < 4000 && next <= to; guard += 1) {
    const begins = next;
    const ends = midnight(begins, each);
    next = ends;
    for (let at = begins; at < ends - step / 2 && at <= to; at += step) {
      if (at >= from) found.push({ at, isDay: at === begins });
      if (step >= 86400) break;
    }
  }
  return found;
}

/** What a tick is called. */
export const tickLabel = (tick, now) => (tick.isDay ? day(tick.at, now, true) : clock(tick.at));

const place = (at, { from, to }) => `${Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100)).toFixed(3)}%`;

/** Grid lines and labels over a track. */
export function axis(scale, now, most = 6) {
  const made = ticks(scale.from, scale.to, most);
  // A label that would touch the first or leave the axis is left out; its line stays.
  const named = made.filter(({ at }) => at - scale.from > (scale.to - scale.from) * 0.16 && scale.to - at > (scale.to - scale.from) * 0.04);
  const line = (tick) => h("i", { class: tick.isDay ? "line day" : "line", style: { left: place(tick.at, scale) } });
  const label = (tick) => h("span", { class: tick.isDay ? "day" : null, style: { left: place(tick.at, scale) } }, tickLabel(tick, now));
  return {
    lines: () => h("div", { class: "lines", "aria-hidden": "true" }, made.map(line)),
    labels: h("div", { class: "labels", "aria-hidden": "true" }, h("span", { class: "first", style: { left: "0%" } }, "now"), named.map(label)),
  };
}

/** An 80 % range with a tick at even odds; quartiles are darker where they are known. */
export function band(range, scale, kind) {
  const { low, high, median, p25, p75 } = range;
  const across = (from, to) => ({ left: place(from, scale), width: `calc(${place(to, scale)} - ${place(from, scale)})` });
  return [
    h("i", { class: `band ${kind}`, style: across(low, high) }),
    p25 !== undefined ? h("i", { class: `band inner ${kind}`, style: across(Math.max(low, p25), Math.min(high, p75)) }) : null,
    h("i", { class: `tick ${kind}`, style: { left: place(median, scale) } }),
  ];
}

/** A range that breaks between its ends only. */
const unbroken = (text) => text.replaceAll(" ", "\u00a0").replace("–\u00a0", "– ");

/** Rows of ranges on one time axis: each has a name, and bands of absolute moments with a kind and a word. */
export function timeline(rows, now, label) {
  const highest = Math.max(...rows.flatMap((row) => row.bands.map((one) => one.range.high)), now + 600);
  const scale = { from: now, to: now + (highest - now) * 1.04 };
  const { lines, labels } = axis(scale, now);
  const text = (one) => `${one.word} ${span(one.range.low, one.range.high, now)}, even odds ${moment(one.range.median, now)}`;
  return h("div", { class: "timeline", role: "group", "aria-label": label },
    rows.map((row) => h("div", { class: "timeline-row" },
      row.name ? h("div", { class: "timeline-name" }, row.name, row.note ? h("small", null, row.note) : null) : null,
      row.bands.map((one) => h("div", { class: "timeline-band" },
        h("div", { class: "timeline-word" }, one.word),
        h("div", { class: "track", role: "img", "aria-label": `${row.name ? `${row.name}: ` : ""}${text(one)}` }, lines(), band(one.range, scale, one.kind)),
        h("div", { class: "timeline-text" }, unbroken(span(one.range.low, one.range.high, now)), h("small", null, unbroken(`even odds ${moment(one.range.median, now, true)}`))))))),
    h("div", { class: "timeline-band axis" }, h("div", { class: "timeline-word" }), labels, h("div", { class: "timeline-text" })));
}

/** What is said while there is nothing to show. */
export function empty(title, text, action) {
  return h("div", { class: "empty" }, h("p", { class: "empty-title" }, title), text ? h("p", null, text) : null, action ?? null);
}

/** What went wrong, as the service said it. */
export function failed(error) {
  // A service that is starting, or is not reached, is asked again; what is wrong with a question stays so.
  const isPassing = error.status === 0 || error.status === 429 || error.status >= 500;
  return h("div", { class: isPassing ? "empty waits-on" : "empty failed", role: "alert" }, h("p", { class: "empty-title" }, sentence(error.message)), error.hint ? h("p", null, sentence(error.hint)) : null);
}

/** Asks for the token of a service that refused a question for want of it, or because it was wrong; `go` is called once it is given. */
export function tokenForm(error, go) {
  const input = h("input", { id: "token", type: "password", autocomplete: "current-password", required: true });
  const form = h("form", { class: "token", onsubmit: (event) => {
    event.preventDefault();
    token.set(input.value.trim());
    input.id = "";
    go();
  } }, h("label", { for: "token" }, "Token"), input, h("button", { type: "submit", class: "quiet" }, "Go on"));
  return empty(sentence(error.message), "The administrator has the token; it is kept until this tab is closed.", form);
}

/** Bars in the place of what is still being asked for. */
export const loading = (lines = 3) =>
  h("div", { class: "loading", role: "status", "aria-label": "asking" }, Array.from({ length: lines }, () => h("i")));

/** With a capital letter and a full stop. */
export function sentence(text) {
  const given = String(text).trim();
  if (!given) return "";
  // A name before a colon, of a partition or a user, stays as it is written.
  const begins = /^\S+:/.test(given) ? given[0] : given[0].toUpperCase();
  return begins + given.slice(1) + (/[.!?]$/.test(given) ? "" : ".");
}

/** A card with a heading. */
export function card(title, ...children) {
  return h("section", { class: "card" }, title ? h("h2", null, title) : null, children);
}
