// The frame of the page: which view is shown, which cluster is asked, what time it is there, and whether that is fresh.

import { BASE, get } from "./api.js";
import { h, memory, put } from "./dom.js";
import { follow } from "./follow.js";
import { empty, failed, tokenForm } from "./parts.js";
import { clock, count, date, dated, duration, setUndated, zone } from "./words.js";
import { whenView } from "./when.js";
import { queueView } from "./queue.js";
import { machineView } from "./machine.js";
import { scoreView } from "./score.js";
import { whatIfView } from "./what-if.js";

const VIEWS = { when: ["When", whenView], queue: ["Queue", queueView], machine: ["Machine", machineView], "what-if": ["What if", whatIfView], right: ["How right", scoreView] };
const byId = (id) => document.getElementById(id);

/** What every view may ask of the frame. */
const app = {
  clusters: [],
  cluster: null,
  snapshot: null,
  connected: false,
  /** The cluster that a link names and that is not served. */
  unknown: "",
  /** Since when it is not, by the browser's clock in milliseconds. */
  lost: 0,
  /** When the clusters were asked, by the browser's clock in milliseconds. */
  asked: 0,

  /** The time at the cluster, as of its last snapshot. */
  now() {
    return this.snapshot?.now ?? this.cluster?.now ?? Date.now() / 1000;
  },

  /** The Unix time of a moment that an answer names; a log without dates counts from its own beginning. */
  unix(moment) {
    if (!moment) return this.now();
    return (this.cluster?.epoch ?? 0) + moment.time;
  },

  /** A body of the service, of the cluster that is shown. */
  get(path, parameters, signal) {
    return get(path, this.chosen(parameters), signal);
  },

  /** Parameters with the cluster that is shown, where there are several. */
  chosen(parameters) {
    return this.clusters.length > 1 ? { ...parameters, cluster: this.cluster?.name } : parameters;
  },

  /** Writes the shown question into the address without a new entry of the history. */
  address(view, parameters) {
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value)).toString();
    const hash = `#/${view}${query ? `?${query}` : ""}`;
    if (location.hash !== hash) history.replaceState(null, "", hash);
  },
};

let view = null;
let name = "";
let unfollow = null;

function route() {
  const [path, query] = location.hash.replace(/^#\/?/, "").split("?");
  const isOffered = Object.hasOwn(VIEWS, path) && (path !== "what-if" || app.cluster.what_if !== false);
  const wanted = isOffered ? path : "when";
  const { cluster, ...parameters } = Object.fromEntries(new URLSearchParams(query ?? ""));
  // A link may name the cluster. It is taken out of the address, where another one may be chosen.
  if (cluster) {
    app.address(wanted, parameters);
    if (cluster !== app.cluster.name) {
      choose(cluster);
      if (cluster !== app.cluster.name) app.unknown = cluster;
      showNotice();
      return;
    }
  }
  if (wanted !== name) {
    view?.leave?.();
    name = wanted;
    const [title, make] = VIEWS[wanted];
    document.title = `${title} · Queuecast`;
    for (const tab of document.querySelectorAll(".tabs a")) {
      if (tab.dataset.view === wanted) tab.setAttribute("aria-current", "page");
      else tab.removeAttribute("aria-current");
    }
    view = make(app);
    put(byId("main"), view.element);
    window.scrollTo(0, 0);
  }
  view.enter(parameters);
}

/** Views are updated at most this often, in milliseconds. */
const PACE = 2000;
let updated = 0;
let due = 0;

function update() {
  if (document.hidden) return;
  clearTimeout(due);
  const wait = updated + PACE - performance.now();
  if (wait > 0) {
    due = setTimeout(update, wait);
    return;
  }
  updated = performance.now();
  view?.update?.();
}

/** Whether a cluster is a log without dates. */
const isUndated = (cluster) => cluster.kind !== "slurm" && cluster.now !== null && (cluster.epoch ?? null) === null;

function showStatus() {
  const { cluster, snapshot, connected } = app;
  if (!cluster) return;
  const now = app.now();
  setUndated(isUndated(cluster));
  const speed = cluster.speed && cluster.speed !== 1 ? cluster.speed : null;
  const fresh = connected && cluster.state === "ok";
  const word = !connected ? "Not connected" : cluster.state === "stale" ? "Stale" : cluster.state === "starting" ? "Starting" : cluster.state === "ended" ? "Ended" : cluster.state === "failed" ? "Failed" : speed ? (cluster.kind === "demo" ? "Demo" : "Replay") : "Live";
  put(byId("status"),
    h("span", { class: fresh ? "dot" : "dot off", "aria-hidden": "true" }),
    h("span", { class: "status-word" }, word),
    h("time", { class: "status-time", datetime: new Date(now * 1000).toISOString() }, h("span", { class: "status-day" }, `${date(now)} `), clock(now)));
  const facts = [`Times in ${zone(now)}`];
  if (speed) facts.push(`${cluster.kind === "demo" ? "A made-up site" : "A log, replayed"}: time runs ${count(speed)} times as fast`);
  if (snapshot) facts.push(`${count(snapshot.running)} running, ${count(snapshot.waiting)} waiting`);
  put(byId("foot"), facts.map((fact) => h("span", null, fact)), h("span", null, h("a", { href: `${BASE}api/v1/openapi.json` }, "API")));
}

function showNotice() {
  const { cluster, connected } = app;
  const notice = byId("notice");
  let text = "";
  if (cluster?.state === "stale") {
    const age = (cluster.age_seconds ?? 0) + (performance.now() - app.asked) / 1000;
    const looked = cluster.kind === "slurm" ? "The last look at Slurm was" : "The last snapshot was made";
    text = `${looked} ${duration(age)} ago. What is shown is of then.${cluster.failure ? ` The next one failed: ${cluster.failure}` : ""}`;
  } else if (cluster?.state === "ended") text = `The log has been played to its end. What is shown is of then, ${dated(app.now(), Date.now() / 1000)}.`;
  else if (cluster?.state === "failed") text = `The cluster cannot be followed any more${cluster.failure ? `: ${cluster.failure}` : ""}.${cluster.now === null ? "" : ` What is shown is of ${dated(app.now(), Date.now() / 1000)}.`}`;
  else if (cluster?.state === "starting") text = "The service is learning from the past of the site. The first answers come in a moment.";
  else if (cluster?.failure) text = `The last look failed: ${cluster.failure}`;
  else if (cluster && !connected && performance.now() - app.lost > 4000) text = `No connection to the service. What is shown is of ${clock(app.now())}; it is tried again.`;
  else if (app.unknown) text = `Cluster ${app.unknown} is not served here; this is ${cluster?.name}.`;
  if (notice.textContent !== text) put(notice, text);
  notice.hidden = !text;
}

function showClusters() {
  const { clusters, cluster } = app;
  document.querySelector('[data-view="what-if"]').hidden = cluster?.what_if === false;
  if (clusters.length < 2) {
    put(byId("cluster"), h("span", { class: "cluster-name" }, cluster?.name ?? ""));
    return;
  }
  const select = h("select", { "aria-label": "Cluster", onchange: () => choose(select.value) },
    clusters.map((one) => h("option", { value: one.name }, one.name)));
  select.value = cluster.name;
  put(byId("cluster"), select);
}

function choose(chosen) {
  app.cluster = app.clusters.find((one) => one.name === chosen) ?? app.clusters[0];
  app.unknown = "";
  app.snapshot = null;
  memory.set("cluster", app.cluster.name);
  unfollow?.();
  unfollow = follow(app.cluster.name, told, (connected) => {
    setConnected(connected);
    showStatus();
    showNotice();
  });
  showClusters();
  showStatus();
  showNotice();
  name = "";
  route();
}

function setConnected(connected) {
  if (app.connected && !connected) app.lost = performance.now();
  app.connected = connected;
}

function told(snapshot) {
  app.snapshot = snapshot;
  setConnected(true);
  showStatus();
  update();
}

async function askClusters() {
  try {
    const clusters = await get("/clusters");
    app.clusters = clusters;
    app.asked = performance.now();
    if (!clusters.length) {
      put(byId("main"), empty("The service follows no cluster yet.", "Start it with --demo, with --replay LOG, or after queuecast collect."));
      return;
    }
    const before = app.cluster;
    if (!before) choose(memory.get("cluster"));
    else {
      app.cluster = clusters.find((one) => one.name === before.name) ?? clusters[0];
      // Partitions and sizes are known from the first look on.
      if (before.state === "starting" && app.cluster.state !== "starting") choose(app.cluster.name);
      showStatus();
      showNotice();
    }
  } catch (error) {
    setConnected(false);
    if (error.asksToken) askToken(error);
    else if (!app.cluster) put(byId("main"), error.status ? failed(error) : empty("The service does not answer.", "It is asked again every few seconds."));
    showStatus();
    showNotice();
  }
}

/** A service that is not on this machine may ask for a token. */
function askToken(error) {
  if (byId("token")) return;
  view?.leave?.();
  put(byId("main"), tokenForm(error, () => location.reload()));
}

const THEMES = { "": "as the system", light: "light", dark: "dark" };

function setTheme(theme) {
  if (theme) document.documentElement.dataset.theme = theme;
  else delete document.documentElement.dataset.theme;
  byId("theme").setAttribute("aria-label", `Colours: ${THEMES[theme]}`);
  byId("theme").title = `Colours: ${THEMES[theme]}`;
  memory.set("theme", theme);
  view?.repaint?.();
}

byId("theme").addEventListener("click", () => {
  const order = Object.keys(THEMES);
  setTheme(order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % order.length]);
});
setTheme(Object.hasOwn(THEMES, memory.get("theme") ?? "") ? memory.get("theme") ?? "" : "");
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => view?.repaint?.());
addEventListener("hashchange", () => {
  if (location.hash === "#main") {
    byId("main").focus();
    return;
  }
  if (app.cluster) route();
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  update();
  askClusters();
});
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  byId("main").focus();
});

await askClusters();
setInterval(() => {
  if (!document.hidden) askClusters();
}, 5000);
