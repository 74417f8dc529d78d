// The widget: when a job of this shape would start, for a portal's page.

import { BASE, get, places, token } from "./api.js";
import { debounce, h, put, questions } from "./dom.js";
import { axis, band, empty, failed, tokenForm } from "./parts.js";
import { between, limitSeconds, moment, setUndated, span, zone } from "./words.js";

/** How often it asks again, in milliseconds. A page of a portal may have several widgets, so none holds a connection. */
const EVERY = 15_000;

const given = new URLSearchParams(location.search);
const form = document.getElementById("job");
const answer = document.getElementById("answer");
const cluster = given.get("cluster");
form.procs.value = given.get("procs") ?? given.get("n") ?? "1";
form.limit.value = given.get("limit") ?? given.get("t") ?? "1h";
if (given.get("theme")) document.documentElement.dataset.theme = given.get("theme");
// What follows # is not sent to any server, and is in no log.
const brought = new URLSearchParams(location.hash.slice(1)).get("token");
if (brought) token.set(brought);

const { ask, refresh } = questions(async (signal) => {
  const [procs, limit] = [form.procs.value.trim(), form.limit.value.trim()];
  showAbout("");
  if (!/^[1-9]\d{0,8}$/.test(procs)) return void put(answer, empty("The number of processors is a whole number."));
  if (limit && limitSeconds(limit) === null) return void put(answer, empty("The time limit is 90 for minutes, 2:00:00, or 2h."));
  try {
    const [body, clusters] = await Promise.all([get("/when", { procs, limit, partition: given.get("partition"), user: given.get("user"), cluster }, signal), get("/clusters", {}, signal)]);
    const here = clusters.find((one) => one.name === cluster) ?? clusters[0];
    const one = places(body).reduce((best, other) => (other.wait.median < best.wait.median ? other : best));
    setUndated(here?.kind !== "slurm" && (here?.epoch ?? null) === null);
    const now = (here?.epoch ?? 0) + one.moment.time;
    show(one, now, here);
  } catch (error) {
    if (error.name === "AbortError") return;
    if (!error.asksToken) put(answer, failed(error));
    // What is being typed stays.
    else if (!answer.querySelector("#token")) put(answer, tokenForm(error, () => ask()));
  }
});

function show({ wait, partition }, now, here) {
  const range = { low: now + wait.low, median: now + wait.median, high: now + wait.high, p25: now + wait.p25, p75: now + wait.p75 };
  const scale = { from: now, to: now + Math.max(600, wait.high) * 1.04 };
  const { lines, labels } = axis(scale, now, 4);
  const words = between(range.low, range.high, now).map((part) => (part.strong ? h("strong", null, part.strong) : part));
  put(answer,
    h("p", { class: "answer-line" }, "Starts most likely ", words, partition ? ` in ${partition}` : ""),
    h("div", { class: "track", role: "img", "aria-label": `80 % range ${span(range.low, range.high, now)}, even odds ${moment(range.median, now)}` }, lines(), band(range, scale, "start")), labels);
  const speed = here?.speed && here.speed !== 1 ? `, time runs ${here.speed} times as fast` : "";
  showAbout(`80 % range, ${zone(now)}${speed}`);
}

/** What the answer is of, and the page with the same question. */
function showAbout(text) {
  const asked = { n: form.procs.value.trim(), t: form.limit.value.trim(), p: given.get("partition"), u: given.get("user"), cluster };
  const query = new URLSearchParams(Object.entries(asked).filter(([, value]) => value));
  put(document.getElementById("about"), h("span", null, text), h("a", { href: `${BASE}#/when?${query}`, target: "_blank", rel: "noopener", "aria-label": "More about this job, on the page" }, "more"));
}

form.addEventListener("submit", (event) => { event.preventDefault(); ask(); });
form.addEventListener("input", debounce(() => ask(), 350));
setInterval(() => {
  if (!document.hidden) refresh();
}, EVERY);
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) refresh();
});
ask();
