// How the page is served: to many tabs, below a path of a proxy, in a portal, with a token.

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { eventually, openPage, startBrowser, startProxy, startService, watched } from "./service.mjs";

const TOKEN = "0123456789abcdef";
const TABS = 8;
let service;
let browser;
let address;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  address = service.address;
});
after(async () => {
  await browser?.close();
  service?.end();
});

const text = (page, selector) => page.locator(selector).first().innerText();

/** Tabs of one browser on the first view, and the streams that are open, by the number of the tab. */
async function openTabs(number, prepare = () => {}) {
  const context = await browser.newContext();
  await context.addInitScript(prepare);
  const streams = new Map();
  const tabs = [];
  for (let tab = 0; tab < number; tab += 1) {
    const page = await context.newPage();
    page.on("request", (request) => { if (request.url().includes("/api/v1/events")) streams.set(request, tab); });
    for (const event of ["requestfailed", "requestfinished"]) page.on(event, (request) => streams.delete(request));
    tabs.push(await watched(page, address));
    await page.goto(`${address}/#/when?n=4&t=1:00:00`);
  }
  return { context, tabs, leaders: () => [...streams.values()] };
}

/** Makes a tab hidden or shown, as far as its scripts can tell. */
const hide = (page, isHidden) => page.evaluate((hidden) => {
  Object.defineProperty(document, "hidden", { configurable: true, get: () => hidden });
  document.dispatchEvent(new Event("visibilitychange"));
}, isHidden);

/** Each tab is connected, and its clock goes on. */
async function areAlive(tabs) {
  for (const { page } of tabs) {
    await eventually(async () => assert.equal(await text(page, ".status-word"), "Demo"));
    const before = await text(page, ".status-time");
    await eventually(async () => assert.notEqual(await text(page, ".status-time"), before));
  }
}

test("many tabs share one stream, and another holds it once that one is closed or hidden", async () => {
  const { context, tabs, leaders } = await openTabs(TABS);
  for (const { page } of tabs) await eventually(() => page.waitForSelector(".headline"));
  await areAlive(tabs);
  assert.deepEqual(leaders(), [0], "the first tab holds the stream");
  // The requests of a tab that is closed are not told to have ended.
  await tabs[0].page.close();
  const others = () => leaders().filter((tab) => tab !== 0);
  await eventually(async () => assert.equal(others().length, 1));
  const [second] = others();
  await areAlive(tabs.slice(1));
  await hide(tabs[second].page, true);
  await eventually(async () => assert.ok(others().length === 1 && others()[0] !== second, others().join(" ")));
  // Shown again it goes on, and waits for its turn.
  const stood = await text(tabs[second].page, ".status-time");
  await hide(tabs[second].page, false);
  await eventually(async () => assert.notEqual(await text(tabs[second].page, ".status-time"), stood));
  assert.equal(others().length, 1);
  assert.deepEqual(tabs.flatMap(({ wrong }) => wrong), []);
  await context.close();
});

test("tabs of a browser without locks hold streams of their own, but none that is hidden does", async () => {
  const { context, tabs, leaders } = await openTabs(3, () => Object.defineProperty(navigator, "locks", { value: undefined }));
  await areAlive(tabs);
  assert.deepEqual(leaders().sort(), [0, 1, 2]);
  await hide(tabs[1].page, true);
  await eventually(async () => assert.deepEqual(leaders().sort(), [0, 2]));
  await hide(tabs[1].page, false);
  await areAlive(tabs);
  assert.deepEqual(leaders().sort(), [0, 1, 2]);
  assert.deepEqual(tabs.flatMap(({ wrong }) => wrong), []);
  await context.close();
});

test("below a path of a proxy every view works, and nothing outside the path is asked for", async (context) => {
  const proxy = await startProxy(address, "queuecast");
  context.after(proxy.end);
  const { page, wrong, bodies, close } = await openPage(browser, proxy.address);
  for (const [view, path, selector] of [["when", "/when", ".headline"], ["queue", "/pending", ".q-row, .empty"], ["machine", "/machine", "canvas"], ["right", "/scorecard", ".card"], ["what-if", "/clusters", ".chip"]]) {
    await page.goto(`${proxy.address}/#/${view}`);
    await page.waitForSelector(selector);
    await eventually(async () => assert.ok(bodies.has(path), `${view}: ${[...bodies.keys()]}`));
  }
  assert.equal(await text(page, ".status-word"), "Demo");
  const described = new URL(await page.getByRole("link", { name: "API" }).getAttribute("href"), page.url()).href;
  const { servers, paths } = await (await fetch(described)).json();
  const base = new URL(servers[0].url, described).href.replace(/\/$/, "");
  assert.ok("/api/v1/clusters" in paths && (await fetch(`${base}/api/v1/clusters`)).ok, base);
  await page.goto(`${proxy.address}/widget?procs=2`);
  await page.waitForSelector(".answer-line");
  assert.ok((await page.getByRole("link", { name: /More/ }).evaluate((link) => link.href)).startsWith(`${proxy.address}/#/when?n=2`));
  assert.deepEqual(wrong, []);
  await close();
});

test("the widget holds no stream, and leads to the page with its question", async () => {
  const { page, wrong, close } = await openPage(browser, address);
  const asked = [];
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.clock.install();
  await page.goto(`${address}/widget?procs=3&limit=45&cluster=demo.swf`);
  const [cluster] = await (await fetch(`${address}/api/v1/clusters`)).json();
  await page.goto(`${address}/widget?procs=3&limit=45&cluster=${encodeURIComponent(cluster.name)}`);
  await page.waitForSelector(".answer-line");
  const count = () => asked.filter((path) => path === "/api/v1/when").length;
  const before = count();
  await page.clock.runFor(16_000);
  await eventually(async () => assert.ok(count() > before));
  assert.deepEqual(asked.filter((path) => path.endsWith("/events")), []);
  await page.goto(await page.getByRole("link", { name: /More/ }).evaluate((link) => link.href));
  await page.waitForSelector(".headline");
  assert.deepEqual([await page.getByLabel("-n processors").inputValue(), await page.getByLabel("-t time limit").inputValue()], ["3", "45"]);
  assert.deepEqual(wrong.filter((one) => !one.includes("status of 400")), []);
  await close();
});

test("page and widget ask for a token, say when it is wrong, and a portal may bring it", { skip: Boolean(process.env.QUEUECAST_PAGE) }, async (context) => {
  const folder = mkdtempSync(join(tmpdir(), "queuecast-token-"));
  writeFileSync(join(folder, "token"), `${TOKEN}\n`);
  const guarded = await startService(["--token-file", join(folder, "token")]);
  context.after(() => {
    guarded.end();
    rmSync(folder, { recursive: true, force: true });
  });
  for (const [path, answered] of [["/#/when?n=2", ".headline"], ["/widget?procs=2", ".answer-line"]]) {
    const { page, close } = await openPage(browser, guarded.address);
    await page.goto(`${guarded.address}${path}`);
    await eventually(async () => assert.match(await text(page, ".empty-title"), /asks for a token/));
    await page.getByLabel("Token").fill("fedcba9876543210");
    await page.getByLabel("Token").press("Enter");
    await eventually(async () => assert.match(await text(page, ".empty-title"), /not the one of this service/));
    await page.getByLabel("Token").fill(TOKEN);
    await page.getByLabel("Token").press("Enter");
    await page.waitForSelector(answered);
    await close();
  }
  const { page, wrong, close } = await openPage(browser, guarded.address);
  await page.goto(`${guarded.address}/widget?procs=2#token=${TOKEN}`);
  await page.waitForSelector(".answer-line");
  assert.deepEqual(wrong, []);
  await close();
});
