// Coverage and error day by day, beside Slurm's own, as two charts on one axis of days.

import { h, s } from "./dom.js";
import { card } from "./parts.js";
import { count, countOf, date, duration, percent } from "./words.js";

const HEIGHT = 150;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 10, 10, 24];

/** Where an axis of lengths of time may end: the half of each is as easily read. */
const ENDS = [120, 240, 600, 1200, 1800, 3600, 7200, 14400, 28800, 43200, 86400, 172800, 345600, 691200, 1209600, 2419200];

/** About the width of a date, in pixels. */
const DATE = 76;

/** The charts; `epoch` is the Unix time that moments of the body count from, `wilson` the interval of a share. Nothing without two days. */
export function dayCharts(days, epoch, width, wilson) {
  if (!days || days.length < 2) return null;
  const [first, last] = [days[0].from, days[days.length - 1].from];
  const length = days[0].until - days[0].from;
  const isWeekly = length > 86400;
  const slots = Math.round((last - first) / length) + 1;
  const slot = (width - LEFT - RIGHT) / slots;
  const x = (day) => LEFT + (Math.round((day.from - first) / length) + 0.5) * slot;
  const name = (day) => date(epoch + day.from + 43200);
  const every = Math.ceil(slots / Math.max(2, Math.floor((width - LEFT) / (DATE + 22))));
  const radius = Math.max(1.5, Math.min(3.5, slot * 0.3));
  const labels = () => days.filter((day) => Math.round((last - day.from) / length) % every === 0).map((day) => {
    const isLast = x(day) + DATE / 2 > width;
    return s("text", { x: isLast ? width : x(day), y: HEIGHT - 6, "text-anchor": isLast ? "end" : "middle" }, name(day));
  });
  const chart = (label, ...children) => s("svg", { viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": label }, children, labels());
  const grid = (at, text) => [s("line", { class: "grid", x1: LEFT, x2: width - RIGHT, y1: at, y2: at }), s("text", { x: LEFT - 8, y: at + 4, "text-anchor": "end" }, text)];
  const path = (points) => points.map(([px, py], index) => `${index ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const room = HEIGHT - TOP - BOTTOM;

  // Shares are near 80 %: the axis begins where the lowest interval does, in steps of ten.
  const least = Math.floor(Math.min(0.5, ...days.map((day) => wilson(day.inside, day.forecasts)[0])) * 10) / 10;
  const share = (value) => HEIGHT - BOTTOM - ((value - least) / (1 - least)) * room;
  const each = Math.min(14, slot * 0.5);
  const coverage = chart(`Coverage by ${isWeekly ? "week" : "day"}, 80 % should be: ${days.map((day) => `${name(day)} ${percent(day.inside, 0)} of ${day.forecasts}`).join(", ")}`,
    [least, (1 + least) / 2, 1].map((mark) => grid(share(mark), percent(mark, 0))),
    s("line", { class: "should", x1: LEFT, x2: width - RIGHT, y1: share(0.8), y2: share(0.8) }),
    days.map((day) => {
      const [low, high] = wilson(day.inside, day.forecasts);
      return [s("rect", { class: "range", x: x(day) - each / 2, width: each, y: share(high), height: Math.max(1, share(low) - share(high)), rx: 3 }, s("title", null, `${name(day)}: ${percent(day.inside, 0)} of ${countOf(day.forecasts, "forecast")}`)), s("circle", { class: "dot-ours", cx: x(day), cy: share(day.inside), r: radius })];
    }));

  const ours = (day) => day.error_there ?? day.median_error;
  const known = days.filter((day) => (ours(day) ?? null) !== null);
  const theirs = days.filter((day) => (day.slurm_error ?? null) !== null);
  const longest = Math.max(60, ...known.map(ours), ...theirs.map((day) => day.slurm_error));
  const most = ENDS.find((end) => end >= longest) ?? longest;
  const y = (seconds) => HEIGHT - BOTTOM - (seconds / most) * room;
  const dots = (list, value, kind) => list.map((day) => s("circle", { class: `dot-${kind}`, cx: x(day), cy: y(value(day)), r: radius }, s("title", null, `${name(day)}: ${duration(value(day))}`)));
  const errors = chart(`Median error by ${isWeekly ? "week" : "day"}: ${known.map((day) => `${name(day)} ${duration(ours(day))}${(day.slurm_error ?? null) === null ? "" : `, Slurm’s ${duration(day.slurm_error)}`}`).join("; ")}`,
    [0, most / 2, most].map((mark) => grid(y(mark), duration(mark))),
    s("path", { class: "line-theirs", d: path(theirs.map((day) => [x(day), y(day.slurm_error)])) }), dots(theirs, (day) => day.slurm_error, "theirs"),
    s("path", { class: "line-ours", d: path(known.map((day) => [x(day), y(ours(day))])) }), dots(known, ours, "ours"));
  return card(isWeekly ? "Week by week" : "Day by day", h("div", { class: "halves days" },
    h("figure", null, h("figcaption", null, "Inside the 80 % range, with 95 % confidence"), coverage),
    h("figure", null, h("figcaption", null, theirs.length ? ["Median error: ", h("i", { class: "swatch-ours" }), " this forecast, ", h("i", { class: "swatch-theirs" }), " Slurm’s expected start"] : "Median error"), errors)),
    h("p", { class: "muted small" }, `${isWeekly ? "Weeks are seven days" : "Days are 24 hours"} each, counted back from the end of this time, by when forecasts were made. A forecast counts once its range is over, so the last days lack those of long waits. ${count(days.reduce((sum, day) => sum + day.forecasts, 0))} forecasts in all.`));
}
