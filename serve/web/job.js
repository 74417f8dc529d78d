// One job, in a drawer: when it starts, why it waits, and how its forecast moved.

import { h, put, s } from "./dom.js";
import { empty, failed, loading, sentence, ticks, tickLabel } from "./parts.js";
import { between, count, countOf, date, dated, duration, moment, percent, span } from "./words.js";

let dialog = null;
/** What had the focus before the drawer: the element, and the job that it was of. */
let opener = { element: null, job: "" };

/** Keeps the focus in the drawer: after the last element comes the first. */
function keepFocus(event) {
  if (event.key !== "Tab") return;
  const all = [...dialog.querySelectorAll("button, a[href], input, select, summary, [tabindex='0']")];
  const [first, last] = [all[0], all[all.length - 1]];
  const at = document.activeElement;
  if (!event.shiftKey && (at === last || !dialog.contains(at))) first.focus();
  else if (event.shiftKey && (at === first || !all.includes(at))) last.focus();
  else return;
  event.preventDefault();
}

/** Gives the focus back. A row of the queue may have been made anew meanwhile. */
function giveFocusBack() {
  const { element, job } = opener;
  const found = element?.isConnected ? element : job ? document.querySelector(`main [data-job="${CSS.escape(job)}"]`) : null;
  (found ?? document.getElementById("main"))?.focus({ preventScroll: true });
}

function drawer(title, ...children) {
  if (!dialog) {
    dialog = h("dialog", { class: "drawer", "aria-labelledby": "drawer-title", onkeydown: keepFocus, onclose: giveFocusBack, onclick: (event) => { if (event.target === dialog) dialog.close(); } });
    document.body.append(dialog);
  }
  const isNew = !dialog.open;
  if (isNew) opener = { element: document.activeElement, job: document.activeElement?.dataset?.job ?? "" };
  // What is read anew, as what is asked for comes, has the focus where it was, or on the heading.
  const had = isNew ? null : document.activeElement?.closest(".drawer .icon") ? ".icon" : "h2";
  const close = h("button", { type: "button", class: "icon", "aria-label": "Close", onclick: () => dialog.close() }, s("svg", { viewBox: "0 0 20 20", "aria-hidden": "true" }, s("path", { d: "M5 5l10 10M15 5L5 15" })));
  put(dialog, h("div", { class: "drawer-inner" }, h("header", null, h("h2", { id: "drawer-title", tabindex: "-1" }, title), close), children));
  if (isNew) dialog.showModal();
  dialog.querySelector(had ?? "h2").focus();
  return dialog;
}

/** Whether the drawer is open. */
export const isOpen = () => dialog?.open === true;

/** Closes it. */
export const closeDrawer = () => dialog?.close();

const fact = (name, value) => (value === null || value === undefined || value === "" ? null : h("div", null, h("dt", null, name), h("dd", null, value)));

/** Opens the drawer of a job that waits. */
export async function openJob(app, id) {
  drawer(`Job ${id}`, loading(5));
  try {
    const body = await app.get(`/pending/${encodeURIComponent(id)}`, {});
    if (!isOpen()) return;
    showJob(app, id, body);
  } catch (error) {
    if (isOpen()) drawer(`Job ${id}`, failed(error));
  }
}

/** Opens the drawer of a job that runs. */
export function openRunning(job, now) {
  drawer(`Job ${job.job}`,
    h("p", { class: "drawer-answer" }, "Runs since ", h("strong", null, moment(job.start, now)), ", and most likely ends ", phrase(between(job.end_low, job.end_high, now)), "."),
    h("dl", { class: "facts" },
      fact("User", job.user), fact("Partition", job.partition), fact("Processors", count(job.procs)), fact("Has run for", duration(now - job.start)),
      fact("Ends by even odds", moment(job.end_median, now)), fact("80 % range", span(job.end_low, job.end_high, now)),
      fact("Stopped at the latest", job.limit_end ? moment(job.limit_end, now) : null)));
}

/** Opens the drawer of a job that waited at a past moment. */
export function openPlanned(job, now) {
  drawer(`Job ${job.job}`,
    h("p", { class: "drawer-answer" }, "Was expected to start ", phrase(between(job.start_low, job.start_high, now)), "; as likely as not by ", h("strong", null, moment(job.start_median, now)), "."),
    h("p", { class: "muted" }, `As of ${dated(now, now).replace(/^today/, date(now))}; days are counted from then.`),
    h("dl", { class: "facts" }, fact("User", job.user), fact("Partition", job.partition), fact("Processors", count(job.procs)), fact("Ends by even odds", moment(job.end_median, now))));
}

const phrase = (parts) => parts.map((part) => (part.strong ? h("strong", null, part.strong) : part));

function showJob(app, id, { job, said = [], ahead = [], ahead_count: before }) {
  const now = app.now();
  const start = job.start;
  const answer = start
    ? ["Starts most likely ", phrase(between(now + start.low, now + start.high, now)), "; as likely as not by ", h("strong", null, moment(now + start.median, now)), "."]
    : ["It is not in line, so no start is said."];
  const names = ahead.map((one) => (typeof one === "object" ? String(one.job) : String(one)));
  drawer(`Job ${id}`,
    h("p", { class: "drawer-answer" }, answer),
    job.unwidened ? h("p", { class: "wider-note" }, `This range is wider than the ${span(now + job.unwidened.low, now + job.unwidened.high, now)} that was found: too few ranges of such jobs have held lately. It is so until they hold again.`) : null,
    h("p", null, "Waits for ", sentence(job.why).replace(/^./, (letter) => letter.toLowerCase())),
    h("dl", { class: "facts" },
      fact("User", job.user), fact("Partition", job.partition), fact("Processors", count(job.asked.procs)), fact("Time limit", duration(job.asked.time)),
      fact("Waited", job.waited === null ? null : duration(job.waited)), fact("Place", job.place === null ? "not in line" : count(job.place)),
      fact("Not before", job.not_before ? moment(now + job.not_before, now) : null), fact("Never started in", job.never > 0 ? `${percent(job.never)} of simulations` : null)),
    h("h3", null, "How its forecast moved"),
    said.length > 1 ? moves(said, now) : empty(said.length ? "It was forecast once." : "No earlier forecast of it is kept.", "Each new forecast is added here."),
    names.length ? [h("h3", null, `Before it: ${countOf(before ?? names.length, "job")}`),
      h("p", { class: "chips" }, names.slice(0, 24).map((name) => h("button", { type: "button", class: "chip", onclick: () => openJob(app, name) }, name)), names.length > 24 ? h("span", { class: "muted" }, "…") : null)] : null);
}

/** The range that was said over time: when it was said to the right, the start that was said upwards. */
function moves(said, now) {
  const [width, height, left, right, top, bottom] = [440, 240, 64, 10, 10, 26];
  const list = said.filter((one) => one.high !== null && one.high !== undefined).slice(-400);
  const [from, to] = [list[0].at, Math.max(list[list.length - 1].at, list[0].at + 60)];
  const lows = list.map((one) => one.low);
  const highs = list.map((one) => one.high);
  const least = Math.min(...lows, from);
  // A range that goes on far beyond the medians is cut off, so that these can be told apart.
  const all = Math.max(...highs, to) + 60;
  const most = Math.min(all, least + Math.max(3600, 3 * (Math.max(...list.map((one) => one.median), to) - least)));
  const x = (at) => left + ((at - from) / (to - from)) * (width - left - right);
  const y = (at) => height - bottom - ((Math.min(at, most) - least) / (most - least)) * (height - top - bottom);
  const path = (points) => points.map(([px, py], index) => `${index ? "L" : "M"}${px.toFixed(1)} ${py.toFixed(1)}`).join("");
  const area = `${path([...list.map((one) => [x(one.at), y(one.high)]), ...list.toReversed().map((one) => [x(one.at), y(one.low)])])}Z`;
  const last = list[list.length - 1];
  const label = `Said first: ${span(list[0].low, list[0].high, now)}, even odds ${moment(list[0].median, now)}. Said last: ${span(last.low, last.high, now)}, even odds ${moment(last.median, now)}.`;
  return h("figure", { class: "moves" },
    s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label },
      ticks(least, most, 5).map((tick) => [
        s("line", { class: "grid", x1: left, x2: width - right, y1: y(tick.at), y2: y(tick.at) }),
        s("text", { x: left - 8, y: y(tick.at) + 4, "text-anchor": "end" }, tickLabel(tick, now))]),
      ticks(from, to, 4).map((tick) => s("text", { x: x(tick.at), y: height - 6, "text-anchor": "middle" }, tickLabel(tick, now))),
      s("path", { class: "area", d: area }),
      s("path", { class: "diagonal", d: path([[x(from), y(from)], [x(to), y(to)]]) }),
      s("path", { class: "median", d: path(list.map((one) => [x(one.at), y(one.median)])) }),
      s("circle", { class: "last", cx: x(last.at), cy: y(last.median), r: 4 })),
    h("figcaption", null, "Upwards: the start that was said, 80 % range and even odds. To the right: when it was said. Dashed: at once.", most < all ? ` The range goes on beyond the top, to ${moment(last.high, now)} as of the last one.` : ""));
}
