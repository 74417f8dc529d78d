// Machine: what is used now, and running and planned jobs over time; past moments where the service keeps them.

import { debounce, h, memory, put, questions, s } from "./dom.js";
import { card, failed, loading } from "./parts.js";
import { gantt } from "./gantt.js";
import { closeDrawer, openJob, openPlanned, openRunning } from "./job.js";
import { count, dated, duration, percent } from "./words.js";

export function machineView(app) {
  let body = null;
  let at = null;
  let shownAt = 0;
  let chart = null;
  const tiles = h("div", { class: "tiles" });
  const state = h("div", null, loading(5));
  const holder = h("div", { class: "gantt" });
  const button = (label, text, run) => h("button", { type: "button", class: "quiet", "aria-label": label, title: label, onclick: run }, text);
  const slider = h("input", { type: "range", id: "m-at", step: "60" });
  const moment = h("output", { for: "m-at" });
  const back = h("button", { type: "button", class: "quiet", hidden: true, onclick: () => { at = null; ask(); } }, "Back to now");
  const past = h("div", { class: "past", hidden: true }, h("label", { for: "m-at" }, "Moment"), moment, slider, back);
  const chartCard = h("section", { class: "card gantt-card", hidden: true },
    h("div", { class: "card-head" }, h("h2", null, "Jobs over time"),
      h("div", { class: "buttons" }, button("− zoom out", "−", () => chart.zoomOut()), button("+ zoom in", "+", () => chart.zoomIn()), button("Rows: all at once, or to be read", "Rows", () => chart.allRows()), button("Fit the window to what is known", "Fit", () => chart.fit()))),
    holder,
    h("p", { class: "key" }, h("span", null, h("i", { class: "swatch run" }), "runs, fading where it may have ended"), h("span", null, h("i", { class: "swatch plan" }), "planned, fading where it may not have started"), h("span", null, h("i", { class: "tick ink" }), "even odds")),
    h("p", { class: "muted small", id: "gantt-keys" }, h("span", { class: "by-mouse" }, "Drag to move, Ctrl and wheel to zoom, Alt and wheel for thinner rows. Keys: arrows, + and −, [ and ], 0, Enter. "), h("span", { class: "by-touch" }, "Drag to move, pinch to zoom, two fingers to move rows. "), "The use above the rows is of jobs known now: later submissions are not in it."));
  const waits = h("div");
  const element = h("div", { class: "view machine" }, h("div", { class: "title-row" }, h("h1", null, "Machine"), past), tiles, state, chartCard, waits);

  /** Says the moment of the slider, which is a number of seconds, in words. */
  const tellMoment = (words) => {
    put(moment, words);
    slider.setAttribute("aria-valuetext", words);
  };
  slider.addEventListener("input", () => tellMoment(dated(Number(slider.value), app.now())));
  slider.addEventListener("input", debounce(() => {
    at = Number(slider.value) >= Number(slider.max) - 30 ? null : Number(slider.value);
    ask();
  }, 150));

  const { ask, refresh, end } = questions(async (signal) => {
    try {
      body = await app.get("/machine", { at }, signal);
      show();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!body || at) put(state, failed(error));
    }
  });

  function show() {
    shownAt = performance.now();
    put(state);
    chartCard.hidden = false;
    chart ??= gantt(holder, (job, runs) => (runs ? openRunning(job, body.now) : at === null ? openJob(app, job.job) : openPlanned(job, body.now)));
    chart.show(body, memory.get("user") ?? "");
    const free = Math.max(0, body.processors - body.used);
    const next = body.running.reduce((soonest, job) => Math.min(soonest, job.end_median), Infinity);
    const wanted = body.planned.reduce((sum, job) => sum + job.procs, 0);
    const tile = (label, value, text, extra) => h("div", { class: "tile" }, h("dt", null, label), h("dd", null, h("strong", null, value), h("span", null, text), extra));
    const share = body.processors ? body.used / body.processors : 0;
    put(tiles, h("dl", null,
      tile("In use", percent(share, 0), `${count(body.used)} of ${count(body.processors)} processors`, h("i", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${Math.min(100, share * 100)}%` } }))),
      tile("Free", count(free), free === 1 ? "processor" : "processors"),
      tile("Running", count(body.running.length), Number.isFinite(next) ? `next end by even odds in ${duration(Math.max(0, next - body.now))}` : "jobs"),
      tile("Waiting", count(body.planned.length), `for ${count(wanted)} processors`)));
    const from = app.cluster.past_from;
    past.hidden = !from || app.now() - from < 120;
    if (!past.hidden) {
      slider.min = String(Math.ceil(from));
      slider.max = String(Math.floor(app.now()));
      if (at === null) slider.value = slider.max;
      tellMoment(at === null ? "now" : dated(at, app.now()));
      back.hidden = at === null;
    }
  }

  async function askWaits() {
    try {
      const { days, held } = await app.get("/waits", { days: 14 });
      put(waits, days?.length ? card("Waits of the last days", waitChart(days, Math.max(300, waits.clientWidth - 46)), holds(held?.queues)) : null);
    } catch {
      put(waits);
    }
  }

  return {
    element,
    enter() {
      ask();
      askWaits();
    },
    update() {
      // Tens of thousands of jobs take a while to read and sort.
      const isLarge = body && body.running.length + body.planned.length > 5000;
      if (chart?.isMoving() || (isLarge && performance.now() - shownAt < 10000)) return;
      if (at === null) refresh();
    },
    repaint: () => chart?.repaint(),
    leave() {
      end();
      closeDrawer();
      chart?.end();
    },
  };
}

/** How long jobs were held before they could be started, by queue. */
function holds(queues) {
  if (!queues?.length) return null;
  const told = ({ queue, jobs, pending, median }) => `${queue ? `${queue}: ` : ""}${count(jobs)} for ${median === null ? "longer than can be told yet" : `${duration(median)} by even odds`}${pending ? `, ${count(pending)} still are` : ""}`;
  return h("p", { class: "muted small" }, `These waits begin when a job is eligible. Before that, jobs were held by a dependency, a begin time or a hold: ${queues.map(told).join("; ")}.`);
}

/** Waits by day: the middle 80 % and the median, all queues side by side. */
function waitChart(days, width) {
  const [height, left, bottom, top] = [200, 52, 24, 8];
  const queues = [...new Set(days.map((one) => one.queue ?? ""))].sort();
  // As many days as there is room for.
  const names = [...new Set(days.map((one) => one.day))].slice(-Math.max(3, Math.floor(width / (queues.length * 15 + 8))));
  const known = days.filter((one) => one.median !== null && one.median !== undefined && names.includes(one.day));
  const most = Math.max(60, ...known.map((one) => one.p90 ?? one.median));
  const slot = (width - left) / names.length;
  // The queues of a day stand together.
  const within = slot * (queues.length > 1 ? 0.8 : 1);
  const number = (one) => queues.indexOf(one.queue ?? "");
  const x = (one) => left + names.indexOf(one.day) * slot + (slot - within) / 2 + (within * (number(one) + 0.5)) / queues.length;
  const y = (wait) => height - bottom - (wait / most) * (height - bottom - top);
  const marks = [];
  for (const mark of [1209600, 604800, 345600, 172800, 86400, 43200, 21600, 10800, 7200, 3600, 1800, 600, 300, 120, 60]) {
    if (mark <= most && y(0) - y(mark) > 24 && (!marks.length || y(mark) - y(marks[marks.length - 1]) > 24)) marks.push(mark);
  }
  const each = Math.min(22, (within / queues.length) * 0.55);
  const colour = (one) => `queue-${number(one) % 4}`;
  const label = (name) => { const day = new Date(`${name}T12:00:00`); return Number.isNaN(day.getTime()) ? name : new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" }).format(day); };
  const every = Math.ceil(names.length / Math.min(7, width / 70));
  const pending = days.filter((one) => names.includes(one.day)).reduce((sum, one) => sum + (one.pending ?? 0), 0);
  return h("figure", { class: "waits" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Median waits by day: ${known.map((one) => `${one.day} ${duration(one.median)}`).join(", ")}` },
      marks.map((mark) => [s("line", { class: "grid", x1: left, x2: width, y1: y(mark), y2: y(mark) }), s("text", { x: left - 8, y: y(mark) + 4, "text-anchor": "end" }, duration(mark))]),
      s("line", { class: "grid", x1: left, x2: width, y1: y(0), y2: y(0) }),
      known.map((one) => [
        s("rect", { class: `range ${colour(one)}`, x: x(one) - each / 2, width: each, y: y(one.p90 ?? one.median), height: Math.max(1, y(one.p10 ?? 0) - y(one.p90 ?? one.median)), rx: 3 }, s("title", null, `${one.day}${one.queue ? ` ${one.queue}` : ""}: ${count(one.jobs)} jobs, median ${duration(one.median)}, 80 % ${duration(one.p10 ?? 0)} to ${duration(one.p90 ?? one.median)}`)),
        s("rect", { class: `middle ${colour(one)}`, x: x(one) - each / 2 - 2, width: each + 4, y: y(one.median) - 1, height: 2 })]),
      names.map((name, index) => (index % every ? null : s("text", { x: left + (index + 0.5) * slot, y: height - 6, "text-anchor": "middle" }, label(name))))),
    queues.length > 1 ? h("p", { class: "key" }, queues.map((queue) => h("span", null, h("i", { class: `swatch ${colour({ queue })}` }), queue || "no partition"))) : null,
    h("figcaption", null, `By day of submission: the middle 80 % of waits, and the median.${pending ? ` ${count(pending)} jobs that still wait are counted with what they have waited so far.` : ""}`));
}
