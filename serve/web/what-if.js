// What if: a setting changed, who gains and who loses. The service computes one such question at a time and tells how far it is.

import { stream } from "./api.js";
import { h, put } from "./dom.js";
import { card, empty, failed } from "./parts.js";
import { count, countOf, dated, duration, percent } from "./words.js";

const KINDS = { partition: "Partitions", account: "Accounts", qos: "QOS", size_class: "Sizes" };
const NUMBERS = { "mean-wait": "Mean wait", "median-wait": "Median wait", "p90-wait": "Nine in ten wait less than" };

/** Settings to begin with: of a site, and of a log. */
function examples({ kind, partitions = [] }) {
  if (kind !== "slurm") return [["procs=+10%", "a larger machine"], ["procs=-10%", "a smaller one"], ["policy=conservative", "another policy"], ["policy=easy predictor=recent:2", "predicted run times"]];
  const name = partitions[0] ?? "batch";
  return [[`partition.${name}.nodes=+4`, "more nodes"], [`partition.${name}.MaxTime=12:00:00`, "a shorter limit"], ["bf_interval=60", "backfilling each minute"], ["PriorityWeightAge=2000", "age counts for more"], ["policy=easy", "another scheduler"]];
}

export function whatIfView(app) {
  let answer = null;
  let by = "";
  let of = "mean-wait";
  let asking = null;
  const isLog = app.cluster.kind !== "slurm";
  const set = h("input", { id: "w-set", name: "set", type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", required: true, placeholder: examples(app.cluster)[0][0] });
  const both = h("input", { id: "w-both", name: "both", type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", placeholder: isLog ? "policy=easy" : "–" });
  const jobs = h("select", { id: "w-jobs", name: "jobs" }, [1000, 5000, 20000].map((number) => h("option", { value: number }, `the last ${count(number)}`)));
  jobs.value = "5000";
  const field = (input, label, kind) => h("div", { class: `field field-${kind}` }, h("label", { for: input.id }, h("span", null, label)), input);
  const button = h("button", { type: "submit", class: "main" }, "Compare");
  const form = h("form", { class: "command settings", "aria-label": "The setting", onsubmit: (event) => { event.preventDefault(); ask(); } },
    field(set, "change", "set"), field(both, "in both", "both"), field(jobs, "jobs", "jobs"), button,
    h("p", { class: "chips" }, examples(app.cluster).map(([text, about]) => h("button", { type: "button", class: "chip", onclick: () => { set.value = text; ask(); } }, h("code", null, text), " ", about))));
  const bar = h("progress", { max: "1", "aria-label": "Simulations done" });
  const told = h("p", { role: "status" });
  const progress = h("section", { class: "card progress", hidden: true }, told, bar, h("button", { type: "button", class: "quiet", onclick: () => stop("Cancelled.") }, "Cancel"));
  const result = h("div", { class: "answer" }, intro());
  const element = h("div", { class: "view what-if" }, h("div", { class: "title-row" }, h("h1", null, "What if")), form, progress, result);

  function intro() {
    return empty("Who would gain, and who would lose?", isLog
      ? "The last jobs are simulated as they are and with the change, on the machine of the log. No log tells its policy: EASY backfilling stands for it unless another is named."
      : "The last jobs of accounting are simulated by Slurm’s own rules, with the settings as they are and with the change. Keys are those of slurm.conf, partitions, QOS, accounts and nodes.");
  }

  function stop(why) {
    asking?.abort();
    asking = null;
    progress.hidden = true;
    button.disabled = false;
    if (why) put(result, answer ? shown() : empty(why, "Nothing is computed any more."));
  }

  async function ask() {
    if (!set.value.trim()) {
      set.focus();
      return;
    }
    stop();
    const mine = new AbortController();
    asking = mine;
    const begun = performance.now();
    const asked = { set: set.value.trim(), both: both.value.trim(), jobs: jobs.value };
    app.address("what-if", { set: asked.set, both: asked.both, jobs: asked.jobs === "5000" ? "" : asked.jobs });
    answer = null;
    button.disabled = true;
    progress.hidden = false;
    bar.removeAttribute("value");
    put(told, "Reading jobs and settings");
    put(result);
    try {
      await stream("/what-if", app.chosen(asked), (name, body) => {
        if (name === "waits") put(told, "Another such question is computed first");
        else if (name === "progress") {
          bar.max = body.of;
          bar.value = body.done;
          const left = body.done ? ((performance.now() - begun) / 1000 / body.done) * (body.of - body.done) : null;
          put(told, `${count(body.done)} of ${countOf(body.of, "simulation")}${left > 3 ? `, about ${duration(left)} to go` : ""}`);
        } else if (name === "answer") answer = body;
        else if (name === "refused") throw Object.assign(new Error(body.error), { hint: body.hint, status: 400 });
      }, mine.signal);
      if (asking !== mine) return;
      if (!answer) throw Object.assign(new Error("the service ended before it had an answer"), { hint: "ask again", status: 0 });
      const kinds = new Set(answer.waits.map((one) => one.by));
      by = kinds.has(by) ? by : Object.keys(KINDS).find((kind) => kinds.has(kind)) ?? "";
      put(result, shown());
    } catch (error) {
      if (asking !== mine || error.name === "AbortError") return;
      put(result, failed(error));
    }
    stop();
  }

  function shown() {
    const all = Object.fromEntries(answer.waits.filter((one) => one.by === "all").map((one) => [one.of, one]));
    const kinds = Object.keys(KINDS).filter((kind) => answer.waits.some((one) => one.by === kind));
    return [
      headline(answer, all["mean-wait"]),
      h("div", { class: "thirds" }, Object.entries(NUMBERS).filter(([name]) => all[name]).map(([name, title]) => card(title, change(all[name])))),
      kinds.length ? card("Who gains and who loses",
        h("div", { class: "switches" }, choice("By", kinds.map((kind) => [kind, KINDS[kind]]), by, (to) => { by = to; }), choice("Of waits", [["mean-wait", "mean"], ["median-wait", "median"], ["p90-wait", "nine in ten"]], of, (to) => { of = to; })),
        groups(answer.waits.filter((one) => one.by === by && one.of === of))) : null,
      answer.not_modelled.length ? h("details", { class: "card" }, h("summary", null, `Not modelled: ${countOf(answer.not_modelled.length, "thing")} that the site or its jobs use`), h("ul", null, answer.not_modelled.map((one) => h("li", null, one)))) : null,
    ];
  }

  function choice(label, options, chosen, take) {
    return h("div", { class: "switch", role: "group", "aria-label": label }, options.map(([value, name]) => h("button", {
      type: "button", "aria-pressed": String(value === chosen), "data-key": value, onclick: () => {
        take(value);
        put(result, shown());
        result.querySelector(`[data-key="${value}"]`)?.focus({ preventScroll: true });
      } }, name)));
  }

  function headline(body, mean) {
    const changes = body.changes.map((one) => `${one.name} from ${one.from} to ${one.to}`);
    if (body.policies[0] !== body.policies[1] && !body.changes.some((one) => one.name === "policy")) changes.push(`${body.policies[1]} instead of ${body.policies[0]}`);
    const scatter = body.shaking ? `; ${body.shaking.seeds} times more with every submission moved by up to ${duration(body.shaking.by)}, to tell the difference from chance` : "";
    const lost = [body.lost ? `${countOf(body.lost, "job")} would never start.` : "", body.gained ? `${countOf(body.gained, "job")} would start that cannot now.` : ""].filter(Boolean).join(" ");
    return h("div", { class: "headline-block" },
      mean ? h("p", { class: increase(mean) > 0 ? "headline longer" : "headline" }, "Jobs would wait ", h("strong", null, difference(increase(mean))), " on average ", h("span", { class: isSure(mean) ? "sure" : "sure unsure", title: isSure(mean) ? "It is larger than its 95 % confidence interval over the repetitions" : "It is within its 95 % confidence interval over the repetitions" }, isSure(mean) ? "beyond chance" : "may be chance")) : h("p", { class: "headline" }, "No job starts on both sides"),
      h("p", { class: "under" }, `${changes.length ? `With ${changes.join(", ")}` : "Nothing of the site changes by it"}.${lost ? ` ${lost}` : ""}`),
      h("p", { class: "under" }, `${countOf(body.jobs, "job")} submitted from ${dated(body.since, app.now())} to ${dated(body.until, app.now())} were simulated on both sides, on a machine that is empty at first${scatter}${body.shaking ? "; all numbers are means over these" : ""}.`));
  }

  return {
    element,
    enter(parameters) {
      if (parameters.set === undefined) return;
      set.value = parameters.set;
      both.value = parameters.both ?? "";
      if ([...jobs.options].some((one) => one.value === parameters.jobs)) jobs.value = parameters.jobs;
    },
    leave: () => stop(),
  };
}

/** How much longer: over shaken submissions where there are any. */
const increase = (one) => one.shaken?.mean ?? one.after - one.before;

/** The wait before and after the change, on the basis of the difference: over shaken submissions where there are any. */
const sides = (one) => one.over_shaken ?? one;

/** Whether the difference is beyond its scatter. */
const isSure = ({ shaken }) => Boolean(shaken && shaken.confidence !== undefined && Math.abs(shaken.mean) > shaken.confidence);

/** "12 min less", "as long". */
const difference = (seconds) => (Math.abs(seconds) < 1 ? "as long" : `${duration(seconds)} ${seconds < 0 ? "less" : "more"}`);

function change(one) {
  const { before, after } = sides(one);
  const most = Math.max(before, after, 1);
  const row = (name, value, kind) => h("div", { class: "versus-row" }, h("dt", null, name), h("dd", null, duration(value)), h("i", { class: `bar ${kind}`, "aria-hidden": "true" }, h("i", { style: { width: `${(value / most) * 100}%` } })));
  const share = before > 0 ? `${percent(Math.abs(increase(one)) / before, 0)} ${increase(one) < 0 ? "less" : "more"}` : difference(increase(one));
  return [h("p", { class: "figure" }, duration(after), h("small", null, isSure(one) ? share : "may be chance")), h("dl", { class: "versus" }, row("with the change", after, "ours"), row("as it is", before, "theirs"))];
}

/** Groups are listed down to this number; the rest is said to be left out. */
const MOST = 25;

/** Differences about a middle line, with their scatter; the groups whose jobs gain or lose most in all come first. */
function groups(rows) {
  const low = (one) => increase(one) - (one.shaken?.confidence ?? 0);
  const high = (one) => increase(one) + (one.shaken?.confidence ?? 0);
  const list = rows.slice(0, MOST);
  const most = Math.max(60, ...list.map((one) => Math.max(Math.abs(increase(one)) * 1.15, Math.min(Math.max(Math.abs(low(one)), Math.abs(high(one))), Math.abs(increase(one)) * 2.5))));
  const at = (seconds) => 50 + Math.max(-50, Math.min(50, (seconds / most) * 50));
  const across = (from, to) => ({ left: `${at(Math.min(from, to)).toFixed(2)}%`, width: `${Math.abs(at(to) - at(from)).toFixed(2)}%` });
  const line = (one) => {
    const by = increase(one);
    const kind = !isSure(one) ? "unsure" : by < 0 ? "gains" : "loses";
    return h("tr", { class: kind },
      h("th", { scope: "row" }, one.group),
      h("td", { class: "number", "data-label": "jobs" }, count(one.jobs)),
      h("td", { class: "number", "data-label": "as it is" }, duration(sides(one).before)),
      h("td", { class: "number", "data-label": "with the change" }, duration(sides(one).after)),
      h("td", { class: "cell-track" }, h("div", { class: "balance", "aria-hidden": "true" }, h("i", { class: `by ${kind}`, style: across(0, by) }), one.shaken?.confidence !== undefined ? h("i", { class: "scatter", style: across(low(one), high(one)) }) : null)),
      h("td", { class: "number by", "data-label": "difference" }, Math.abs(by) < 1 ? "the same" : h("span", null, difference(by)), isSure(one) || Math.abs(by) < 1 ? null : h("small", null, "may be chance")));
  };
  const head = (text, kind) => h("th", { scope: "col", class: kind }, text);
  return [h("table", { class: "groups changes" },
    h("thead", null, h("tr", null, head("group"), head("jobs", "number"), head("as it is", "number"), head("with the change", "number"), h("th", { scope: "col" }, h("span", { class: "sides" }, h("span", null, "← less"), h("span", null, "more →"))), head("difference", "number"))),
    h("tbody", null, list.map(line))),
    h("p", { class: "muted small" }, `The groups whose jobs gain or lose most in all come first. Waits and differences are means over the repetitions, differences with their 95 % confidence as a thin line.${rows.length > MOST ? ` ${countOf(rows.length - MOST, "group")} with smaller changes ${rows.length - MOST === 1 ? "is" : "are"} left out.` : ""}`)];
}
