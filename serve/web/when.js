// When: one job's shape in the words of sbatch, when it would start and end, and the change that would help most.

import { get, places } from "./api.js";
import { debounce, h, memory, put, questions } from "./dom.js";
import { card, empty, failed, loading, sentence, timeline } from "./parts.js";
import { advice } from "./advice.js";
import { between, count, countOf, duration, limitSeconds, limitText, moment, percent } from "./words.js";

const FIELDS = ["n", "N", "t", "p", "a", "u"];

/** What fields are called in a link beside the options of sbatch: as parameters of the interface. */
/** The limits that the page asks about unless told otherwise: the next one where no partition allows the first. */
const USUAL = ["2:00:00", "0:30:00", "0:01:00"];
const NAMES = { procs: "n", nodes: "N", limit: "t", partition: "p", array: "a", user: "u" };

/** What is said of a field while it is filled in. */
const HINTS = {
  n: "all of the job’s tasks times their processors",
  N: "whole nodes; the processors follow from them",
  t: "90 for minutes, 2:00:00, 1-12:00:00 or 2h; empty for the partition’s own",
  p: "any: each partition that takes the job is asked",
  a: "1-500, 1-9:2 or 1,3,7; at most 20 at once: 1-500%20",
  u: "as at the site: one’s own past jobs and priority count",
};

export function whenView(app) {
  const nodes = app.cluster.nodes;
  const partitions = app.cluster.partitions ?? [];
  const perNode = nodes ? Math.floor(app.cluster.processors / nodes) : null;
  const inputs = {};
  let shown = null;
  let fastest = null;
  /** Whether the user is the one of an earlier visit, whom this cluster may not know. */
  let isRemembered = false;
  /** Whether the page itself says what is asked about, since neither a link nor an earlier visit does. */
  let isUsual = false;
  /** What of a link or of an earlier visit is not known here. */
  const unknown = { partition: "", user: "" };

  const hinted = (key) => h("small", { class: "hint", id: `h-${key}` }, HINTS[key]);

  const field = (key, flag, label, extra) => {
    inputs[key] = h("input", { id: `f-${key}`, name: key, type: "text", autocomplete: "off", spellcheck: "false", autocapitalize: "off", "aria-describedby": `h-${key}`, ...extra });
    return h("div", { class: `field field-${key}` }, h("label", { for: `f-${key}` }, h("code", null, flag), " ", h("span", null, label)), inputs[key], hinted(key));
  };
  const choice = () => {
    inputs.p = h("select", { id: "f-p", name: "p", "aria-describedby": "h-p" }, h("option", { value: "" }, "any"), partitions.map((one) => h("option", { value: one }, one)));
    return h("div", { class: "field field-p" }, h("label", { for: "f-p" }, h("code", null, "-p"), " ", h("span", null, "partition")), inputs.p, hinted("p"));
  };
  const file = h("input", { type: "file", class: "hidden", id: "f-script", "aria-label": "Job script", onchange: () => file.files[0]?.text().then(readIn) });
  const note = h("p", { class: "note", id: "script-note", role: "status" });
  const stray = h("p", { class: "note", id: "stray-note", role: "status" });
  const said = h("p", { class: "hidden", role: "status" });
  const form = h("form", { class: "command", "aria-label": "The job", onsubmit: (event) => { event.preventDefault(); ask(true); } },
    h("span", { class: "prompt", "aria-hidden": "true" }, "sbatch"),
    field("n", "-n", "processors", { inputmode: "numeric", size: "6" }),
    perNode ? field("N", "-N", "nodes", { inputmode: "numeric", size: "4", placeholder: "–" }) : null,
    field("t", "-t", "time limit", { size: "10" }),
    partitions.length ? choice() : null,
    field("a", "-a", "array", { size: "8", placeholder: "–" }),
    field("u", "user", "your name", { size: "9", placeholder: "any" }),
    h("button", { type: "button", class: "quiet script", onclick: () => file.click() }, "Read a job script"), file);
  const answer = h("div", { class: "answer" }, loading(4));
  const element = h("div", { class: "view when" }, h("h1", { class: "hidden" }, "When would a job start?"), form, note, stray, said, answer);

  // A change is asked about a little later, so that typing a number is one question.
  const soon = debounce(() => ask(true), 350);
  form.addEventListener("input", () => { isUsual = false; soon(); });
  inputs.u.addEventListener("input", () => { isRemembered = false; tellUnknown({ user: "" }); });
  inputs.p?.addEventListener("input", () => tellUnknown({ partition: "" }));

  function tellUnknown(told) {
    Object.assign(unknown, told);
    const words = [
      unknown.partition ? `There is no partition ${unknown.partition} here: the answer is for any.` : "",
      unknown.user ? `User ${unknown.user} of an earlier visit is not answered for here: the answer is for any user.` : "",
    ];
    put(stray, words.filter(Boolean).join(" "));
  }

  /** The service reads scripts, so that page, interface and command read them alike. */
  async function readIn(text) {
    let read;
    try {
      read = await app.get("/script", { script: text });
    } catch (error) {
      put(note, `${sentence(error.message)} ${sentence(error.hint)}`);
      return;
    }
    const fields = { n: String(read.procs), N: "", t: read.time ? limitText(read.time) : "", p: read.partition ?? "", a: read.array ?? "" };
    const isUnknown = fields.p && inputs.p && !partitions.includes(fields.p);
    if (isUnknown) fields.p = "";
    for (const [key, value] of Object.entries(fields)) if (inputs[key]) inputs[key].value = value;
    const all = [`Read as ${countOf(read.procs, "processor")}${read.time ? ` for ${duration(read.time)}` : read.is_unlimited ? " without a time limit" : ""}`];
    if (isUnknown) all.push(`partition ${read.partition} is not known here`);
    all.push(read.ignored.length ? `not looked at: ${read.ignored.join(", ")}` : "all of it is used");
    put(note, `${all.join("; ")}.`);
    ask(true);
  }

  const drop = (event) => {
    event.preventDefault();
    element.classList.remove("dropping");
    const given = event.dataTransfer?.files?.[0];
    if (given) given.text().then(readIn);
    else if (event.dataTransfer?.getData("text/plain")) readIn(event.dataTransfer.getData("text/plain"));
  };
  const over = (event) => { event.preventDefault(); element.classList.add("dropping"); };
  const out = (event) => { if (!event.relatedTarget) element.classList.remove("dropping"); };
  const paste = (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!/^\s*#SBATCH/m.test(text)) return;
    event.preventDefault();
    readIn(text);
  };
  const listeners = [["drop", drop], ["dragover", over], ["dragleave", out], ["paste", paste]];
  for (const [name, run] of listeners) addEventListener(name, run);

  /** What is asked, or what is wrong with it. */
  function question() {
    const value = (key) => inputs[key]?.value.trim() ?? "";
    const processors = value("n");
    if (value("N") && !/^[1-9]\d{0,5}$/.test(value("N"))) return { wrong: "N", error: "-N is a whole number of nodes." };
    if (!(value("N") && !processors) && !/^[1-9]\d{0,8}$/.test(processors)) return { wrong: "n", error: "-n is a whole number of processors." };
    if (value("t") && limitSeconds(value("t")) === null) return { wrong: "t", error: "-t is a time as sbatch reads it: 90 for minutes, 2:00:00, 1-12:00:00, or 2h." };
    const job = { limit: value("t"), partition: value("p"), user: value("u"), array: value("a") };
    // What nodes and tasks come to together is the service's reading of sbatch's words.
    return value("N") ? { script: `#!/bin/sh\n#SBATCH -N ${value("N")}${processors ? ` -n ${processors}` : ""}`, ...job } : { procs: processors, ...job };
  }

  const { ask, refresh, end } = questions(async (signal, byUser) => {
    const asked = question();
    for (const key of FIELDS) inputs[key]?.toggleAttribute("aria-invalid", false);
    if (asked.error) {
      inputs[asked.wrong].setAttribute("aria-invalid", "true");
      put(answer, empty(asked.error));
      shown = null;
      return;
    }
    const fields = Object.fromEntries(FIELDS.map((key) => [key, inputs[key]?.value.trim() ?? ""]));
    // Before the first look no partition is known, and what a link names is kept.
    if (app.cluster.state !== "starting") {
      app.address("when", fields);
      memory.set("job", JSON.stringify(fields));
      // Another cluster may know the user that this one does not.
      if (!unknown.user) memory.set("user", fields.u);
    }
    const { array, ...job } = asked;
    if (byUser) answer.classList.add("asking");
    try {
      if (array) showCampaign(await app.get("/campaign", { ...job, array }, signal), asked);
      else {
        const advised = app.get("/advice", job, signal).catch((error) => error);
        const everywhere = app.clusters.length > 1 ? get("/fastest", { procs: job.procs, script: job.script, limit: job.limit, user: job.user }, signal).catch((error) => error) : null;
        const when = await app.get("/when", job, signal);
        fastest = await everywhere;
        if (when.script) put(note, `Nodes and tasks as sbatch reads them: ${countOf(when.script.procs, "processor")}.`);
        // The advice is waited for a moment, so that the answer is drawn once; what takes longer is added when it comes.
        const early = await Promise.race([advised, new Promise((done) => setTimeout(() => done(null), 250))]);
        if (signal.aborted) return;
        show(when, early, asked);
        if (early === null) {
          const late = await advised;
          if (!signal.aborted) show(when, late, asked);
        }
      }
      if (byUser) put(said, answer.querySelector(".headline")?.textContent ?? "");
    } catch (error) {
      if (error.name === "AbortError") return;
      const shorter = isUsual && error.status === 400 ? USUAL[USUAL.indexOf(asked.limit) + 1] : null;
      if (shorter) {
        inputs.t.value = shorter;
        ask(byUser);
        return;
      }
      if (isRemembered && asked.user && (error.status === 400 || error.status === 403) && await isAnswered({ ...asked, user: "" }, signal)) {
        inputs.u.value = "";
        isRemembered = false;
        tellUnknown({ user: asked.user });
        ask(byUser);
        return;
      }
      if (signal.aborted) return;
      shown = null;
      put(answer, failed(error));
    } finally {
      if (!signal.aborted) answer.classList.remove("asking");
    }
  });

  /** Whether a question has an answer. */
  const isAnswered = ({ array, ...job }, signal) => app.get(array ? "/campaign" : "/when", { ...job, array }, signal).then(() => true, () => false);

  /** Redraws the answer; what had the focus has it again. */
  function draw(...children) {
    const key = answer.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    put(answer, ...children);
    if (key) answer.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }

  function show(when, advised, asked) {
    const found = places(when);
    const plans = advised && !(advised instanceof Error) ? places(advised) : [];
    const soonest = found.reduce((best, one) => (one.wait.median < best.wait.median ? one : best));
    const now = app.unix(soonest.moment);
    const planOf = (one) => plans.find((plan) => plan.partition === one.partition) ?? (plans.length === 1 ? plans[0] : null);
    shown = { found, now };
    // At a log the queues are among the changes that were considered; a live site answers for each partition itself.
    const others = found.length > 1 ? [] : (planOf(soonest)?.options ?? []).filter((option) => option.change?.queue !== undefined);
    const rows = found.map((one) => {
      const begin = app.unix(one.moment);
      const start = { ...moved(one.wait, begin), p25: begin + one.wait.p25, p75: begin + one.wait.p75 };
      const done = planOf(one)?.options.find((option) => option.change === "as_asked")?.done;
      const bands = [{ word: "start", kind: "start", range: start }];
      if (done) bands.push({ word: "end", kind: "end", range: moved(done, begin) });
      return { name: found.length > 1 ? one.partition : others.length ? asked.partition || "as asked" : null, bands };
    });
    for (const { change, start, done } of others) rows.push({ name: change.queue, bands: [{ word: "start", kind: "start", range: moved(start, now) }, { word: "end", kind: "end", range: moved(done, now) }] });
    draw(
      headline(soonest, now, found.length > 1),
      h("div", { class: "columns" },
        h("div", null,
          card("Start and end", timeline(rows, now, "Ranges of start and end on one time axis"),
            h("p", { class: "key" }, h("span", null, h("i", { class: "band start" }), "80 % range"), h("span", null, h("i", { class: "band inner start" }), "middle half"), h("span", null, h("i", { class: "tick start" }), "even odds")),
            refusals(when.refused)),
          planOf(soonest) ? advice(planOf(soonest), now, take, found.length > 1 ? soonest.partition : null) : advised instanceof Error ? card("The change that would help most", failed(advised)) : card("The change that would help most", loading(3))),
        h("div", null, atClusters(fastest), card("Chance to have started within", chances(soonest.wait.within)), card("Why", reasons(soonest)))));
  }

  /** Where the job would start first, of all clusters. */
  function atClusters(found) {
    if (!found) return null;
    if (found instanceof Error) return card("At other clusters", failed(found));
    const isHere = found.first.includes(app.cluster.name);
    const told = found.first.length > 1 ? `Too close to call: ${found.first.join(", ")}.` : isHere ? "Here it would start first." : `${found.first[0]} would start it first.`;
    return card("At all clusters", h("p", { class: "advised" }, told), h("dl", { class: "facts one" },
      found.clusters.map((one) => h("div", null, h("dt", null, one.cluster, one.partition ? ` ${one.partition}` : ""), h("dd", null, `in ${duration(one.wait.low)} to ${duration(one.wait.high)}`, h("small", null, `even odds ${duration(one.wait.median)}`)))),
      found.refused.map((one) => h("div", null, h("dt", null, one.site), h("dd", null, h("small", null, one.why))))));
  }

  function take(option) {
    if (inputs.N) inputs.N.value = "";
    inputs.n.value = String(option.procs);
    inputs.t.value = limitText(option.limit);
    if (option.change?.queue && inputs.p && partitions.includes(option.change.queue)) inputs.p.value = option.change.queue;
    ask(true);
    inputs.t.focus({ preventScroll: true });
    window.scrollTo({ top: 0, behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  }

  function showCampaign(body, asked) {
    const [one] = body.places;
    const now = app.unix(body.moment);
    if (!one) {
      draw(empty("No partition takes these jobs."), refusals(body.refused));
      return;
    }
    const band = (range) => moved(range, now);
    const rows = body.places.map((each) => ({
      name: body.places.length > 1 ? each.partition : null,
      bands: [
        each.first_start ? { word: "first start", kind: "start", range: band(each.first_start) } : null,
        each.half_ended ? { word: "half done", kind: "end", range: band(each.half_ended) } : null,
        each.last_end ? { word: "all done", kind: "end", range: band(each.last_end) } : null,
      ].filter(Boolean),
    }));
    const record = one.record;
    const ends = one.last_end ? band(one.last_end) : null;
    draw(
      h("div", { class: "headline-block" },
        ends ? h("p", { class: "headline" }, "All done most likely ", phrase(between(ends.low, ends.high, now)), " ", h("span", { class: "sure" }, "80 %")) : h("p", { class: "headline" }, "It cannot be said when all are done"),
        h("p", { class: "under" }, `${countOf(body.asked.jobs.length, "task")} of array ${asked.array}`, one.first_start ? `, the first most likely starts ${plain(between(band(one.first_start).low, band(one.first_start).high, now))}` : "", "."),
        h("p", { class: "under" }, record ? `Of ${count(record.campaigns)} past campaigns of ${record.fewest} to ${record.most} jobs, ${percent(record.last_inside)} ended within such a range (80 % should)${record.is_far ? "; yours is of another size" : ""}.` : "Too few past campaigns are known to say how often such ranges held.")),
      card("From the first start to the last end", timeline(rows, now, "Ranges of first start, half done and all done"), refusals(body.refused)));
    shown = { now };
  }

  return {
    element,
    enter(parameters) {
      const linked = Object.fromEntries(Object.entries(parameters).map(([name, value]) => [NAMES[name] ?? name, value]));
      const kept = Object.keys(linked).length ? linked : { t: USUAL[0], ...read(memory.get("job")) };
      isUsual = !Object.keys(linked).length && !memory.get("job");
      const size = Math.max(1, Math.min(16, app.cluster.processors ?? 16));
      for (const key of FIELDS) if (inputs[key]) inputs[key].value = kept[key] ?? "";
      if (!inputs.n.value && !inputs.N?.value) inputs.n.value = String(size);
      isRemembered = !linked.u;
      if (isRemembered && !inputs.u.value) inputs.u.value = memory.get("user") ?? "";
      const isMissing = kept.p && !partitions.includes(kept.p) && app.cluster.state !== "starting";
      if (inputs.p && !partitions.includes(kept.p)) inputs.p.value = "";
      tellUnknown({ partition: isMissing ? kept.p : "", user: "" });
      ask(true);
    },
    update() {
      if (shown || answer.querySelector(".waits-on")) refresh(false);
    },
    leave() {
      end();
      for (const [name, run] of listeners) removeEventListener(name, run);
    },
  };
}

function read(text) {
  try {
    return JSON.parse(text ?? "{}") ?? {};
  } catch {
    return {};
  }
}

const moved = ({ low, median, high }, by) => ({ low: by + low, median: by + median, high: by + high });
const phrase = (parts) => parts.map((part) => (part.strong ? h("strong", null, part.strong) : part));
const plain = (parts) => parts.map((part) => part.strong ?? part).join("");

/** The answer as one sentence. */
export function headline(one, now, isOneOfSeveral) {
  const { wait, record, widened, doubt } = one;
  const [low, high] = [now + wait.low, now + wait.high];
  const first = isOneOfSeveral ? ["In ", h("strong", null, one.partition), " most likely "] : ["Most likely "];
  const later = wait.p90 - wait.high > 60 ? `, at the latest, nine times in ten, by ${moment(now + wait.p90, now)}` : "";
  return h("div", { class: "headline-block" },
    doubt ? h("p", { class: "wider-note" }, `No reliable answer here: ${doubt}.`) : null,
    h("p", { class: "headline" }, first, phrase(between(low, high, now)), " ", h("span", { class: "sure" }, "80 %")),
    h("p", { class: "under" }, wait.median < 60 ? `As likely as not within ${duration(Math.max(1, wait.median))}${later}.` : `As likely as not by ${moment(now + wait.median, now)}, in ${duration(wait.median)}${later}.`),
    widened ? h("p", { class: "wider-note" }, `Of the last ${count(widened.judged)} ranges for such jobs ${percent(widened.inside, 0)} held instead of 80 %: this one is ${widened.factor.toFixed(1)} times as wide as it was found until they hold again, and no change is advised.`) : null,
    h("p", { class: "under" }, record ? `Of the last ${count(record.jobs)} jobs so answered, ${percent(record.inside)} started within such a range (80 % should).` : "Too few jobs have been answered yet to say how often such a range holds."));
}

function chances(within) {
  const first = within.findIndex((one) => one.probability > 0.005);
  const sure = within.findIndex((one) => one.probability > 0.9949);
  const shown = within.slice(Math.max(0, first), sure < 0 ? within.length : sure + 1);
  if (!shown.length) return h("p", { class: "muted" }, "It is not expected within a week.");
  return h("dl", { class: "chances" }, shown.map(({ seconds, probability }) => h("div", null,
    h("dt", null, duration(seconds)),
    h("dd", null, h("i", { class: "bar", "aria-hidden": "true" }, h("i", { style: { width: `${probability * 100}%` } })), h("span", null, probability > 0.9949 ? "> 99 %" : percent(probability, 0))))));
}

function reasons({ state, regime, method, history, learned }) {
  const { procs, free, waiting, wanted, preferred, preferred_wanted: ahead } = state;
  const lines = [
    waiting ? `${countOf(waiting, "job")} wait${waiting === 1 ? "s" : ""} for ${countOf(wanted, "processor")}${preferred ? `; by past starts it would come behind ${count(preferred)} of them, for ${count(ahead)}` : "; by past starts it would come before them"}.` : "No job waits.",
    `${count(free)} of ${countOf(procs, "processor")} ${free === 1 ? "is" : "are"} free.`,
    regime ? `Of ${count(regime.jobs)} jobs${regime.procs ? ` on ${count(regime.procs[0])} to ${count(regime.procs[1])} processors` : ""} that ${regime.fits ? "found room" : "found a queue or no room"}, ${percent(regime.inside)} started within their range.` : "Too few jobs in the same situation have been seen to judge those alone.",
    `Answered by ${method}, learned from ${history ?? countOf(learned, "job")}.`,
  ];
  return lines.map((line) => h("p", null, line));
}

function refusals(refused) {
  if (!refused?.length) return null;
  return h("ul", { class: "refused" }, refused.map((one) => h("li", null, sentence(one))));
}
