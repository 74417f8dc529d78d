// How right: what became of past forecasts, beside Slurm's own expected starts and the last waits; and the site's scheduler, simulated beside
// the real one.

import { places } from "./api.js";
import { dayCharts } from "./days.js";
import { h, put, questions } from "./dom.js";
import { card, empty, failed, loading } from "./parts.js";
import { scoreSpan } from "./score-span.js";
import { count, countOf, day, duration, moment, percent } from "./words.js";

/** Below this many forecasts nothing is claimed. */
const FEW = 30;

const SECTIONS = { said: "By how far off the start was said to be", ahead: "By place in the queue", partition: "By partition", queue: "By queue", size: "By size" };

/** Wilson's interval of a share, at 95 %. */
export function wilson(share, forecasts) {
  if (!forecasts) return [0, 1];
  const z = 1.96;
  const middle = (share + (z * z) / (2 * forecasts)) / (1 + (z * z) / forecasts);
  const off = (z / (1 + (z * z) / forecasts)) * Math.sqrt((share * (1 - share)) / forecasts + (z * z) / (4 * forecasts * forecasts));
  return [Math.max(0, middle - off), Math.min(1, middle + off)];
}

export function scoreView(app) {
  let isShown = false;
  let trials = null;
  const content = h("div", { class: "answer" }, loading(5));
  const chosen = scoreSpan(app, () => {
    isShown = false;
    content.classList.add("asking");
    app.address("right", chosen.linked());
    ask();
  });
  const element = h("div", { class: "view right" }, h("h1", { class: "hidden" }, "How right"), chosen.element, content);

  const { ask, refresh, end } = questions(async (signal) => {
    try {
      // How the methods did on past jobs is the same whichever job is asked about.
      trials ??= await app.get("/when", { procs: 1 }, signal).then((body) => places(body)[0], () => null);
      const [score, shadow] = await Promise.all([app.get("/scorecard", chosen.asked(), signal), app.get("/shadow", {}, signal)]);
      show(score, shadow);
      isShown = true;
      content.classList.remove("asking");
    } catch (error) {
      if (error.name === "AbortError" || isShown) return;
      put(content, failed(error));
      content.classList.remove("asking");
    }
  });

  function show(body, shadow) {
    const all = body.rows.find((row) => row.by === "all");
    const left = [[body.open, "whose range is not over yet"], [body.withdrawn, "of jobs that left the queue before they started"], [body.unknown, "of jobs that are gone without a record"]];
    const judged = left.some(([number]) => number) ? `Not judged: ${left.filter(([number]) => number).map(([number, what]) => `${count(number)} ${what}`).join(", ")}.` : "";
    if (!all) {
      put(content, nothing(body, judged), shadowCard(shadow, app.now()), tried(trials));
      return;
    }
    put(content,
      h("div", { class: "headline-block" },
        h("p", { class: "headline" }, h("strong", null, all.forecasts < FEW ? count(all.inside * all.forecasts) : percent(all.inside, 0)), ` of ${countOf(all.forecasts, "start")} ${all.forecasts === 1 ? "was" : "were"} within ${all.forecasts === 1 ? "its" : "their"} 80 % range`),
        h("p", { class: "under" }, verdict(all)),
        h("p", { class: "under" }, `${made(body)} ${judged}`)),
      h("div", { class: "thirds" },
        card("Coverage", h("p", { class: "figure" }, all.forecasts < FEW ? `${count(all.inside * all.forecasts)} of ${count(all.forecasts)}` : percent(all.inside, 0), h("small", null, "should be 80 %")), gauge(all), h("p", { class: "muted small" }, coverageNote(all))),
        card("Median error", versus(all.error_there ?? all.median_error, all.slurm_error, "this forecast", "Slurm’s expected start", all.forecasts),
          h("p", { class: "muted small" }, all.slurm_error === null ? "Slurm had no expected start to compare with." : `Of the ${percent(all.slurm_answered, 0)} of starts that Slurm had an expected start for; for all, ${duration(all.median_error ?? 0)}.`)),
        card("Interval score", versus(all.interval_score, all.past_score, "this forecast", "the last 200 waits", all.compared),
          h("p", { class: "muted small" }, all.compared ? `Mean over ${countOf(all.compared, "forecast")}; less is better: narrow ranges that hold.` : "None can be compared with the last waits yet."))),
      dayCharts(body.days, app.cluster.epoch ?? 0, chartWidth(), wilson),
      Object.entries(SECTIONS).map(([by, title]) => section(title, body.rows.filter((row) => row.by === by))), shadowCard(shadow, app.now()), tried(trials));
  }

  /** When the forecasts were made that are shown. */
  function made({ since, until, at, days }) {
    const name = (time) => day((app.cluster.epoch ?? 0) + time, app.now());
    const from = name(chosen.isAll() && days.length ? days[0].from : since);
    const to = name(until);
    if (at - until < 3600) return `Forecasts made since ${from}.`;
    return from === to ? `Forecasts made ${from}.` : `Forecasts made from ${from} to ${to}.`;
  }

  /** What is said where nothing was scored. */
  function nothing(body, judged) {
    const all = chosen.isAll() ? null : h("button", { type: "button", class: "quiet", onclick: () => chosen.all() }, "Show all forecasts");
    if (body.forecasts) return empty("Nothing can be judged yet.", `${countOf(body.forecasts, "forecast")} made in this time, and each is judged once its range is over, so that early starts alone do not count. ${judged}`, all);
    if (chosen.isAll()) return empty("No forecast has been made yet.", "Each waiting job is forecast when it is first seen; once its range is over, it is judged here.");
    return empty("No forecast was made in this time.", "Each waiting job is forecast when it is first seen, and again when it has waited twice as long.", all);
  }

  /** As wide as half a card, or a whole one on a narrow screen. */
  const chartWidth = () => {
    const width = Math.max(280, content.clientWidth - 48);
    return innerWidth > 980 ? (width - 28) / 2 : width;
  };

  const enter = (parameters) => {
    chosen.set(parameters);
    isShown = false;
    ask();
  };
  return { element, enter, update: () => refresh(), leave: end };
}

function verdict({ inside, forecasts }) {
  const [low, high] = wilson(inside, forecasts);
  if (forecasts < FEW) return `Too few to judge: with ${countOf(forecasts, "forecast")} the share may be anything from ${percent(low, 0)} to ${percent(high, 0)}.`;
  if (low > 0.8) return "More than should be: ranges are wider than they need to be.";
  if (high < 0.8) return "Fewer than should be: ranges are too narrow, so allow for more.";
  return "That is as it should be, as far as this many forecasts can tell.";
}

function coverageNote({ inside, forecasts }) {
  const [low, high] = wilson(inside, forecasts);
  return `${countOf(forecasts, "forecast")}: between ${percent(low, 0)} and ${percent(high, 0)} at 95 % confidence.`;
}

/** A share with its confidence interval, and a mark at 80 %. */
function gauge({ inside, forecasts }) {
  const [low, high] = wilson(inside, forecasts);
  const at = (share) => `${(share * 100).toFixed(1)}%`;
  return h("div", { class: forecasts < FEW ? "gauge few" : "gauge", role: "img", "aria-label": `${percent(inside, 0)} inside, ${percent(low, 0)} to ${percent(high, 0)} at 95 % confidence; 80 % should be` },
    h("i", { class: "target", style: { left: "80%" } }),
    h("i", { class: "interval", style: { left: at(low), width: at(high - low) } }),
    h("i", { class: "point", style: { left: at(inside) } }));
}

/** Ours and a baseline as two bars of one scale; of a few forecasts no difference is claimed. */
function versus(ours, other, ourName, otherName, forecasts) {
  if (ours === null || ours === undefined) return h("p", { class: "figure" }, "–");
  if (other === null || other === undefined) return h("p", { class: "figure" }, duration(ours));
  const most = Math.max(ours, other, 1);
  const row = (name, value, kind) => h("div", { class: "versus-row" }, h("dt", null, name), h("dd", null, duration(value)),
    h("i", { class: `bar ${kind}`, "aria-hidden": "true" }, h("i", { style: { width: `${(value / most) * 100}%` } })));
  const [sign, share] = other && forecasts >= FEW ? [ours <= other ? "less" : "more", Math.abs(1 - ours / other)] : [null, 0];
  return [h("p", { class: "figure" }, duration(ours), sign ? h("small", null, `${percent(share, 0)} ${sign}`) : null), h("dl", { class: "versus" }, row(ourName, ours, "ours"), row(otherName, other, "theirs"))];
}

const METHODS = { trees: "boosted trees", past: "the last waits", simulated: "the queue, simulated", slurm: "the site’s scheduler, simulated", knn: "similar jobs", zero: "every job at once" };

/** The methods as they were tried on past jobs before any was asked: evidence from the first minute on. */
function tried(one) {
  if (!one?.tried?.length) return null;
  const line = (row) => h("tr", null,
    h("th", { scope: "row" }, METHODS[row.method] ?? row.method, row.method === one.method ? h("small", { class: "used" }, "answers") : null),
    h("td", { class: "number", "data-label": "jobs" }, count(row.jobs)),
    h("td", { class: "number", "data-label": "inside" }, percent(row.inside, 0)),
    h("td", { class: "cell-track" }, gauge({ inside: row.inside, forecasts: row.jobs })),
    h("td", { class: "number", "data-label": "mean error" }, duration(row.mean_error)),
    h("td", { class: "number", "data-label": "interval score" }, duration(row.interval_score)));
  const head = (text, kind) => h("th", { scope: "col", class: kind }, text);
  return card("Tried on past jobs, each with what was known when it was submitted", h("table", { class: "groups tried" },
    h("thead", null, h("tr", null, head("method"), head("jobs", "number"), head("inside", "number"), head("95 % confidence; mark at 80 %"), head("mean error", "number"), head("interval score", "number"))),
    h("tbody", null, one.tried.map(line))), h("p", { class: "muted small" }, "The first method answers, unless another had better ranges beyond chance: a low interval score is narrow ranges that hold."));
}

const COLUMNS = [
  ["median error", "error", "median_error"],
  ["where Slurm answered", "error there", "error_there"],
  ["Slurm’s", "Slurm’s", "slurm_error"],
  ["interval score", "interval score", "interval_score"],
  ["last waits’", "last waits’", "past_score"],
];

/** Forecasts by group; columns that say nothing of any of them are left out. */
function section(title, rows) {
  if (!rows.length) return null;
  const columns = COLUMNS.filter(([, , key]) => rows.some((row) => (row[key] ?? null) !== null));
  const time = (value) => ((value ?? null) === null ? "–" : duration(value));
  const line = (row) => h("tr", { class: row.forecasts < FEW ? "few" : null },
    h("th", { scope: "row" }, row.group),
    h("td", { class: "number", "data-label": "forecasts" }, count(row.forecasts)),
    h("td", { class: "number", "data-label": "inside" }, row.forecasts < FEW ? h("small", null, "few") : null, percent(row.inside, 0)),
    h("td", { class: "cell-track" }, gauge(row)),
    columns.map(([, label, key]) => h("td", { class: "number", "data-label": label }, time(row[key]))));
  const head = (text, kind) => h("th", { scope: "col", class: kind }, text);
  return card(title, h("table", { class: "groups" },
    h("thead", null, h("tr", null, head("forecasts of"), head("forecasts", "number"), head("inside", "number"), head("95 % confidence; mark at 80 %"), columns.map(([name]) => head(name, "number")))),
    h("tbody", null, rows.map(line))));
}

/** Groups of decisions, and how each is called. */
const KINDS = { all: "", kind: "kind", option: "option", setting: "site’s setting", size: "size", partition: "partition", qos: "QOS" };

/** Groups that are listed at most. */
const GROUPS = 30;

/** The site's scheduler simulated beside the real one: which jobs account for the differences. */
function shadowCard({ summary, rows, misses }, now) {
  if (!rows.length) return null;
  const line = (row) => h("tr", { class: row.decisions < FEW ? "few" : null },
    h("th", { scope: "row" }, KINDS[row.by] ? h("small", { class: "muted" }, `${KINDS[row.by]} `) : null, row.group),
    h("td", { class: "number", "data-label": "decisions" }, count(row.decisions)),
    h("td", { class: "number", "data-label": "alike" }, percent(row.alike, 1)),
    h("td", { class: "cell-track" }, h("i", { class: "bar ours", role: "img", "aria-label": `${percent(row.of_differences, 0)} of all differences` }, h("i", { style: { width: `${row.of_differences * 100}%` } }))),
    h("td", { class: "number", "data-label": "starts" }, count(row.starts)),
    h("td", { class: "number", "data-label": "starts alike" }, row.starts ? percent(row.starts_alike, 1) : "–"),
    h("td", { class: "number", "data-label": "passed over" }, count(row.passed_over)));
  const head = (text, kind) => h("th", { scope: "col", class: kind }, text);
  return card("The site’s scheduler, simulated beside the real one",
    h("p", null, summary),
    h("table", { class: "groups shadow" },
      h("thead", null, h("tr", null, head("decisions about"), head("decisions", "number"), head("alike", "number"), head("part of all differences"), head("starts", "number"), head("starts alike", "number"), head("passed over", "number"))),
      h("tbody", null, rows.slice(0, GROUPS).map(line))),
    h("p", { class: "muted small" }, "Between two looks a job is started, or waits though it could be started; the simulation begins with what the first look saw. Passed over: it waited, and the simulation started it."),
    misses.length ? h("details", null, h("summary", null, misses.length === 1 ? "The last difference" : `The last ${count(misses.length)} differences`), h("ul", null, misses.slice(0, GROUPS).map((miss) => h("li", null, missed(miss, now))))) : null);
}

function missed({ job, partition, at, started, simulated }, now) {
  const time = (start, none) => (start === null ? none : `started ${moment(start, now)}`);
  return `Job ${job} in ${partition}, by ${moment(at, now)}: ${time(started, "waited")}; in the simulation ${time(simulated, "it waited")}`;
}
