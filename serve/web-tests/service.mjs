// The service under test and the browser.

import { spawn } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { createServer as createProxy, request as ask } from "node:http";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { chromium } from "playwright-core";

/** The first of these programs that the PATH has. */
function found(...names) {
  for (const folder of (process.env.PATH ?? "").split(delimiter)) {
    for (const name of names) {
      try {
        accessSync(join(folder, name), constants.X_OK);
        return join(folder, name);
      } catch {
        // The next one.
      }
    }
  }
  throw new Error(`no browser: none of ${names.join(", ")} is in the PATH; set CHROMIUM`);
}

const freePort = () => new Promise((done, failed) => {
  const server = createServer();
  server.on("error", failed);
  server.listen(0, "127.0.0.1", () => {
    const { port } = server.address();
    server.close(() => done(port));
  });
});

/** Starts the service, unless an address is given, and waits until it is ready. With `options`, a program is started for these. */
export async function startService(options = []) {
  if (process.env.QUEUECAST_PAGE && !options.length) return { address: process.env.QUEUECAST_PAGE.replace(/\/$/, ""), end: () => {} };
  if (!process.env.QUEUECAST_BIN) throw new Error("set QUEUECAST_BIN to the program, or QUEUECAST_PAGE to an address");
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const folder = mkdtempSync(join(tmpdir(), "queuecast-page-"));
  const child = spawn(process.env.QUEUECAST_BIN, ["serve", "--demo", "--listen", `127.0.0.1:${port}`, ...options], {
    env: { ...process.env, XDG_DATA_HOME: folder, XDG_CACHE_HOME: folder },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (text) => { said += text; });
  const end = () => {
    child.kill("SIGTERM");
    rmSync(folder, { recursive: true, force: true });
  };
  for (const until = Date.now() + 180_000; Date.now() < until;) {
    if (child.exitCode !== null) throw new Error(`the service ended: ${said}`);
    const isReady = await fetch(`${address}/api/v1/ready`).then((response) => response.ok, () => false);
    if (isReady) return { address, end };
    await new Promise((done) => setTimeout(done, 250));
  }
  end();
  throw new Error(`the service was not ready in time: ${said}`);
}

/** A proxy that has the service at `address` below `/NAME/` of its own host, and nothing else. */
export async function startProxy(address, name) {
  const { hostname, port } = new URL(address);
  const proxy = createProxy((question, answer) => {
    if (!question.url.startsWith(`/${name}/`)) {
      answer.writeHead(404).end("not of the service");
      return;
    }
    const passed = ask({ hostname, port, method: question.method, path: question.url.slice(name.length + 1), headers: { ...question.headers, host: "localhost" } }, (body) => {
      answer.writeHead(body.statusCode, body.headers);
      body.pipe(answer);
    });
    passed.on("error", () => answer.destroy());
    answer.on("close", () => passed.destroy());
    question.pipe(passed);
  });
  const at = await freePort();
  await new Promise((done) => proxy.listen(at, "127.0.0.1", done));
  return { address: `http://127.0.0.1:${at}/${name}`, end: () => { proxy.closeAllConnections(); proxy.close(); } };
}

/** A headless browser. */
export const startBrowser = () => chromium.launch({
  executablePath: process.env.CHROMIUM ?? found("chromium", "chromium-browser", "google-chrome"),
  args: ["--no-sandbox"],
});

/**
 * A page that keeps what goes wrong: errors on the console, breaches of the content security policy, requests to other hosts. `bodies` has the
 * last body of each path of the API.
 */
export async function openPage(browser, address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, timezoneId: "UTC", ...options });
  const page = await context.newPage();
  const seen = await watched(page, address);
  const close = async () => {
    // What is still being asked when a test ends has no reader.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await context.close();
  };
  return { ...seen, close };
}

/** What goes wrong in a page, and the bodies that it gets. */
export async function watched(page, address) {
  page.setDefaultTimeout(10_000);
  const wrong = [];
  const bodies = new Map();
  await page.exposeFunction("breach", (text) => { wrong.push(`policy: ${text}`); });
  await page.addInitScript(() => document.addEventListener("securitypolicyviolation", (event) => window.breach(`${event.violatedDirective} ${event.blockedURI}`)));
  page.on("pageerror", (error) => wrong.push(`error: ${error.message}`));
  page.on("console", (message) => { if (message.type() === "error") wrong.push(`console: ${message.text()}`); });
  page.on("request", (request) => { if (!request.url().startsWith(`${address}/`)) wrong.push(`other host: ${request.url()}`); });
  page.on("response", async (response) => {
    const pathname = new URL(response.url()).pathname.slice(new URL(`${address}/`).pathname.length - 1);
    if (!pathname.startsWith("/api/v1/") || pathname.endsWith("/events") || !response.ok()) return;
    const body = await response.json().catch(() => null);
    if (body) bodies.set(pathname.slice("/api/v1".length), body);
  });
  return { page, wrong, bodies };
}

/** Tries until it holds; the service goes on while it is looked at. */
export async function eventually(check, within = 20_000) {
  const until = Date.now() + within;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (Date.now() > until) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}
