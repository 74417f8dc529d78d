// The change to a job that would help most, and all that were considered.

import { h } from "./dom.js";
import { band, card } from "./parts.js";
import { duration, moment, percent, span } from "./words.js";

/** What a change is, in a few words. */
export function changeName({ change, procs, limit }) {
  if (change === "as_asked") return "as asked";
  if (change === "limit" || change === "longer_limit") return `limit ${duration(limit)}`;
  if (change === "size") return `${procs} processors`;
  if (change?.queue !== undefined) return `queue ${change.queue}`;
  if (change?.later !== undefined) return `submitted ${duration(change.later)} later`;
  return "changed";
}

/** The advice as a sentence. No option is best where more time is to be asked for than any of them has. */
function advised(best, asked) {
  if (!best) return `Ask for more time than ${duration(asked.limit)}.`;
  const { change } = best;
  if (change === "as_asked") return "Ask for it as it is.";
  if (change === "limit" || change === "longer_limit") return `Ask for ${duration(best.limit)} instead of ${duration(asked.limit)}.`;
  if (change === "size") return `Ask for ${best.procs} processors instead of ${asked.procs}.`;
  if (change?.queue !== undefined) return `Submit it to ${change.queue}.`;
  if (change?.later !== undefined) return `Submit it ${duration(change.later)} later.`;
  return "Change it.";
}

function effect(best, asked, now) {
  if (!best) return `${percent(asked.risk)} of such jobs run into the limit of ${duration(asked.limit)} and are stopped; no longer one is known to lessen that.`;
  if (best === asked) return "No change that was considered is surely done sooner.";
  const parts = [];
  if (best.change === "longer_limit") parts.push(`${percent(asked.risk)} of such jobs run into the limit of ${duration(asked.limit)} and are stopped, ${percent(best.risk)} into one of ${duration(best.limit)}.`);
  if (best.too_close) parts.push("When it would be done is too close to call.");
  else if (best.gain > 60) parts.push(`It would be done ${duration(best.gain)} sooner by even odds: ${moment(now + best.done.median, now)} instead of ${moment(now + asked.done.median, now)}.`);
  else if (best.gain < -60) parts.push(`It would be done ${duration(best.gain)} later by even odds.`);
  if (best.change === "limit") parts.push(`${percent(best.risk)} of such jobs would run into the limit of ${duration(best.limit)} and be stopped.`);
  return parts.join(" ");
}

function difference(option) {
  if (option.change === "as_asked") return "";
  if (option.too_close) return "too close to call";
  if (Math.abs(option.gain) < 60) return "the same";
  return `${duration(option.gain)} ${option.gain > 0 ? "sooner" : "later"}`;
}

/** The card of advice. `take` is called with an option to be asked about. */
export function advice(plan, now, take, partition) {
  const asked = plan.options.find((option) => option.change === "as_asked") ?? plan.options[0];
  const best = plan.options[plan.best];
  const highest = Math.max(...plan.options.map((option) => option.done.high), 600);
  const scale = { from: now, to: now + highest * 1.03 };
  const absolute = ({ low, median, high }) => ({ low: now + low, median: now + median, high: now + high });
  const row = (option) => {
    const done = absolute(option.done);
    const name = changeName(option);
    return h("tr", { class: option === best ? "best" : null },
      h("th", { scope: "row" }, option === asked ? name : h("button", { type: "button", class: "link", "data-key": `take-${name}`, onclick: () => take(option) }, name)),
      h("td", { class: "cell-track" }, h("div", { class: "track slim", role: "img", "aria-label": `done ${span(done.low, done.high, now)}, even odds ${moment(done.median, now)}` }, band(done, scale, option === best ? "start" : "end"))),
      h("td", { class: "number" }, h("span", { class: "small-label" }, "done by "), moment(done.median, now, true)),
      h("td", { class: "number" }, difference(option)),
      h("td", { class: "number" }, h("span", { class: "small-label" }, "stopped "), percent(option.risk)));
  };
  return card(`The change that would help most${partition ? ` in ${partition}` : ""}`,
    h("p", { class: "advised" }, advised(best, asked)),
    h("p", { class: "muted" }, effect(best, asked, now)),
    plan.options.length > 1
      ? h("table", { class: "options" },
          h("thead", null, h("tr", null, h("th", { scope: "col" }, "change"), h("th", { scope: "col" }, "done, 80 % range"), h("th", { scope: "col", class: "number" }, "even odds"), h("th", { scope: "col", class: "number" }, "difference"), h("th", { scope: "col", class: "number" }, "stopped"))),
          h("tbody", null, plan.options.map(row)))
      : null,
    h("p", { class: "muted small" }, plan.run ? `It would run for ${duration(plan.run.median)} by even odds, ${duration(plan.run.low)} to ${duration(plan.run.high)} in 80 %. ` : "", `Stopped: the share of such jobs that run into their limit; ${percent(plan.risk)} is accepted.`));
}
