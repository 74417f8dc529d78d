// Queue: every job that waits. Only the rows on the screen are elements, so ten thousand scroll like ten.

import { debounce, h, memory, put, questions } from "./dom.js";
import { empty, failed, loading, sentence } from "./parts.js";
import { closeDrawer, openJob } from "./job.js";
import { count, countOf, duration, limitText, moment, span } from "./words.js";

const COLUMNS = [
  ["job", "job", (row) => row.job, true],
  ["user", "user", (row) => row.user ?? "", true],
  ["procs", "procs", (row) => row.asked.procs],
  ["limit", "limit", (row) => row.asked.time],
  ["waited", "waited", (row) => row.waited ?? -1],
  ["place", "place", (row) => row.place ?? Infinity],
  ["starts", "starts, 80 % range", (row) => row.start?.median ?? Infinity],
];
const MARKS = [600, 3600, 21600, 86400, 259200, 604800, 2592000];
const collate = new Intl.Collator("en", { numeric: true }).compare;

export function queueView(app) {
  let body = null;
  let rows = [];
  let scale = 3600;
  let sort = { key: "place", down: false };
  let frame = 0;
  const made = new Map();

  const search = h("input", { type: "search", id: "q-search", placeholder: "job, user, partition or reason", autocomplete: "off", spellcheck: "false" });
  const user = h("input", { type: "text", id: "q-user", placeholder: "user name", autocomplete: "off", spellcheck: "false", autocapitalize: "off", size: "10" });
  const order = h("select", { id: "q-order", onchange: () => sortBy(order.value) }, COLUMNS.map(([key, label]) => h("option", { value: key }, label)));
  const found = h("p", { class: "found", role: "status" });
  const summary = h("p", { class: "under" });
  const head = h("div", { class: "q-row q-head", role: "row" });
  const list = h("div", { class: "q-list", role: "rowgroup" });
  const table = h("div", { class: "q-table", role: "table", "aria-label": "Jobs that wait" }, h("div", { role: "rowgroup", class: "q-headgroup" }, head), list);
  const state = h("div");
  const element = h("div", { class: "view queue" },
    h("div", { class: "title-row" }, h("h1", null, "Queue"), summary),
    h("form", { class: "tools", role: "search", "aria-label": "Jobs that wait", onsubmit: (event) => event.preventDefault() },
      h("div", { class: "tool grow" }, h("label", { for: "q-search" }, "Search"), search),
      h("div", { class: "tool" }, h("label", { for: "q-user" }, "Mine first"), user),
      h("div", { class: "tool order" }, h("label", { for: "q-order" }, "Sort by"), order), found),
    state, table);

  search.addEventListener("input", debounce(() => arrange(), 80));
  user.addEventListener("input", () => memory.set("user", user.value.trim()));
  user.addEventListener("input", debounce(() => ask(), 350));
  table.addEventListener("keydown", moveFocus);

  /** Why the queue is not that of the user. */
  let refused = null;

  const { ask, refresh, end } = questions(async (signal) => {
    refused = null;
    const name = user.value.trim();
    try {
      // A user of an earlier visit, whom this service does not answer for, is no reason to show no queue.
      body = await app.get("/pending", { user: name }, signal).catch((error) => {
        if (!name || (error.status !== 400 && error.status !== 403)) throw error;
        refused = error;
        return app.get("/pending", {}, signal);
      });
      arrange();
    } catch (error) {
      if (error.name === "AbortError") return;
      if (!body) {
        put(state, failed(error));
        table.hidden = true;
      }
    }
  });

  function sortBy(key) {
    const words = COLUMNS.find((column) => column[0] === key)?.[3];
    sort = sort.key === key ? { key, down: !sort.down } : { key, down: !words && key !== "place" && key !== "starts" };
    order.value = key;
    arrange();
  }

  /** What is shown of the body, in which order. */
  function arrange() {
    if (!body) return;
    const wanted = search.value.trim().toLowerCase().split(/\s+/).filter(Boolean);
    const matches = (row) => wanted.every((word) => `${row.job} ${row.user ?? ""} ${row.partition ?? ""} ${row.why}`.toLowerCase().includes(word));
    const name = user.value.trim();
    const own = (row) => row.own || (name !== "" && row.user === name);
    const [, , value, isWord] = COLUMNS.find((column) => column[0] === sort.key);
    const keyed = body.jobs.filter(matches).map((row) => ({ row, own: own(row), key: value(row) }));
    const compare = isWord ? collate : (a, b) => (a === b ? 0 : a < b ? -1 : 1);
    keyed.sort((a, b) => Number(b.own) - Number(a.own) || (sort.down ? -1 : 1) * compare(a.key, b.key) || collate(a.row.job, b.row.job));
    rows = keyed;
    const now = app.unix(body.moment);
    scale = Math.max(3600, ...sampled(body.jobs).map((row) => row.start?.high ?? 0));
    const wantedProcs = body.jobs.reduce((sum, row) => sum + row.asked.procs, 0);
    const mine = rows.filter((one) => one.own).length;
    put(summary, body.jobs.length ? `${countOf(body.jobs.length, "job")} wait${body.jobs.length === 1 ? "s" : ""} for ${countOf(wantedProcs, "processor")} at ${moment(now, now)}` : "");
    put(found, refused ? sentence(refused.message) : wanted.length ? `${countOf(rows.length, "job")} found` : mine ? `${countOf(mine, "job")} of ${name || body.user}` : "");
    const nothing = rows.length ? null
      : body.jobs.length ? empty("No waiting job matches.", "Search for a number, a user, a partition or a word of the reason.")
      : empty("No job waits.", "A job that fits would start at once.");
    put(state, nothing);
    table.hidden = !rows.length;
    table.setAttribute("aria-rowcount", String(rows.length + 1));
    showHead();
    draw(true);
  }

  function sampled(jobs) {
    // A few ranges without end would press all others to the left: the axis ends where 99 % do.
    const highs = jobs.filter((row) => row.start).sort((a, b) => a.start.high - b.start.high);
    return highs.slice(0, Math.max(1, Math.ceil(highs.length * 0.99)));
  }

  const position = (seconds) => `${Math.min(100, (Math.log1p(Math.max(0, seconds) / 300) / Math.log1p(scale / 300)) * 100).toFixed(2)}%`;

  function showHead() {
    const column = ([key, label]) => h("div", { class: `q-${key}`, role: "columnheader", "aria-sort": sort.key === key ? (sort.down ? "descending" : "ascending") : "none" },
      h("button", { type: "button", "data-key": key, onclick: () => sortBy(key) }, h("i", { class: "arrow", "aria-hidden": "true" }, sort.key === key ? (sort.down ? "↓" : "↑") : ""), label));
    let last = 8;
    const marks = MARKS.filter((mark) => {
      const at = Number.parseFloat(position(mark));
      if (mark >= scale || at - last < 19 || at > 90) return false;
      last = at;
      return true;
    });
    const focused = head.contains(document.activeElement) ? document.activeElement.dataset.key : null;
    put(head, COLUMNS.map(column),
      h("div", { class: "q-track", role: "columnheader", "aria-label": "start on an axis" }, h("div", { class: "labels", "aria-hidden": "true" }, h("span", { class: "first", style: { left: "0%" } }, "now"), marks.map((mark) => h("span", { style: { left: position(mark) } }, duration(mark))))),
      h("div", { class: "q-why", role: "columnheader" }, "waits for"));
    if (focused) head.querySelector(`[data-key="${focused}"]`)?.focus({ preventScroll: true });
  }

  function rowElement(index) {
    const { row, own } = rows[index];
    const now = app.unix(body.moment);
    const { start } = row;
    const cell = (key, content, extra) => h("div", { class: `q-${key}`, role: "cell", ...extra }, content);
    const bars = start ? [
      h("i", { class: "band start", style: { left: position(start.low), width: `calc(${position(start.high)} - ${position(start.low)})` } }),
      h("i", { class: "tick start", style: { left: position(start.median) } }),
    ] : null;
    return h("div", { class: own ? "q-row own" : "q-row", role: "row", "aria-rowindex": index + 2, style: { transform: `translateY(${index * rowHeight()}px)` }, onclick: () => openJob(app, row.job) },
      cell("job", h("button", { type: "button", class: "link", "data-job": row.job, "aria-label": `Job ${row.job}` }, row.job)),
      cell("user", [row.user ?? "–", row.partition ? h("small", null, row.partition) : null]),
      cell("procs", count(row.asked.procs)),
      cell("limit", limitText(row.asked.time)),
      cell("waited", row.waited === null ? "–" : duration(row.waited)),
      cell("place", row.place === null ? "–" : count(row.place)),
      cell("starts", start ? [span(now + start.low, now + start.high, now), h("small", null, `even odds ${moment(now + start.median, now, true)}`, row.unwidened ? h("abbr", { class: "wider", title: "wider than it was found: ranges of such jobs have failed lately" }, "wider") : null)] : "not in line"),
      cell("track", h("div", { class: "track slim" }, bars), { "aria-hidden": "true" }),
      cell("why", row.why, { title: row.why }));
  }

  let height = 0;
  function rowHeight() {
    if (!height) height = Number.parseFloat(getComputedStyle(table).getPropertyValue("--row")) || 52;
    return height;
  }

  /** Makes the rows that are on the screen, and some around them. */
  function draw(anew) {
    if (!body || table.hidden || !element.isConnected) return;
    const each = rowHeight();
    list.style.height = `${rows.length * each}px`;
    const top = -list.getBoundingClientRect().top;
    const from = Math.max(0, Math.floor(top / each) - 8);
    const to = Math.min(rows.length, Math.ceil((top + innerHeight) / each) + 8);
    const focused = list.contains(document.activeElement) ? document.activeElement.dataset.job : null;
    if (anew) {
      made.clear();
      list.replaceChildren();
    }
    for (const [index, one] of made) {
      if (index < from || index >= to) {
        one.remove();
        made.delete(index);
      }
    }
    const first = made.size ? Math.min(...made.keys()) : to;
    const before = [];
    const after = [];
    for (let index = from; index < to; index += 1) {
      if (made.has(index)) continue;
      const one = rowElement(index);
      made.set(index, one);
      (index < first ? before : after).push(one);
    }
    list.prepend(...before);
    list.append(...after);
    if (anew && focused) list.querySelector(`[data-job="${CSS.escape(focused)}"]`)?.focus({ preventScroll: true });
  }

  /** The arrow keys go from row to row. */
  function moveFocus(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const focused = document.activeElement?.dataset?.job;
    if (!step || !focused || !list.contains(document.activeElement)) return;
    const index = rows.findIndex((one) => one.row.job === focused) + step;
    if (index < 0 || index >= rows.length) return;
    event.preventDefault();
    if (!made.has(index)) {
      window.scrollBy(0, step * rowHeight() * 4);
      draw(false);
    }
    const button = made.get(index)?.querySelector("button");
    button?.focus({ preventScroll: true });
    button?.scrollIntoView({ block: "nearest" });
  }

  const onScroll = () => {
    if (frame) return;
    frame = requestAnimationFrame(() => {
      frame = 0;
      draw(false);
    });
  };
  const onResize = () => {
    height = 0;
    draw(true);
  };
  addEventListener("scroll", onScroll, { passive: true });
  addEventListener("resize", onResize);
  order.value = sort.key;
  put(state, loading(6));
  table.hidden = true;

  return {
    element,
    enter(parameters) {
      user.value = memory.get("user") ?? "";
      if (parameters.search !== undefined) search.value = parameters.search;
      ask();
    },
    update: refresh,
    leave() {
      end();
      closeDrawer();
      cancelAnimationFrame(frame);
      removeEventListener("scroll", onScroll);
      removeEventListener("resize", onResize);
    },
  };
}
