// The service: bodies, errors, events.

/** Where the service is: `/`, or the path below which a proxy has it. The files of the page are in `assets/` there. */
export const BASE = new URL("..", import.meta.url).pathname;

/** Where the token is kept; a service below another path of this host has another one. */
const TOKEN = BASE === "/" ? "queuecast.token" : `queuecast.token ${BASE}`;

/** An answer that is no success: what the service said, and what helps. */
export class ApiError extends Error {
  constructor(status, body, challenge) {
    super(body?.error ?? `the service answered with status ${status}`);
    this.status = status;
    /** Whether a token would be taken. */
    this.asksToken = status === 401 && /^bearer/i.test(challenge ?? "");
    this.hint = body?.hint ?? "";
  }
}

/** The token of a service that asks for one, kept as long as the tab. */
export const token = {
  header() {
    const kept = this.get();
    return kept ? { authorization: `Bearer ${kept}` } : {};
  },
  get() {
    try {
      return sessionStorage.getItem(TOKEN);
    } catch {
      return this.kept;
    }
  },
  set(given) {
    this.kept = given;
    try {
      sessionStorage.setItem(TOKEN, given);
    } catch {
      // It is kept until the page is left.
    }
  },
};

/** Parameters that are given. */
const given = (parameters) => Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== ""));

async function request(path, options) {
  try {
    return await fetch(`${BASE}api/v1${path}`, { ...options, headers: { ...options.headers, ...token.header() } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { error: "the service does not answer", hint: "it is asked again in a moment" });
  }
}

/** The body of a path under /api/v1. Parameters that are empty are left out; those with a job script are sent as a body. */
export async function get(path, parameters = {}, signal) {
  const asked = given(parameters);
  const headers = { accept: "application/json" };
  const query = new URLSearchParams(asked).toString();
  const response = asked.script
    ? await request(path, { signal, method: "POST", headers: { ...headers, "content-type": "application/json" }, body: JSON.stringify(asked) })
    : await request(`${path}${query ? `?${query}` : ""}`, { signal, headers });
  let body = null;
  try {
    body = await response.json();
  } catch (error) {
    if (error.name === "AbortError") throw error;
  }
  if (!response.ok) throw new ApiError(response.status, body, response.headers.get("www-authenticate"));
  if (body === null) throw new ApiError(response.status, { error: "the service sent no JSON" });
  return body;
}

/** What `reader` has next; given up if that takes longer than `most` milliseconds. */
async function next(reader, most) {
  let timer = 0;
  const late = new Promise((_, failed) => {
    if (most) timer = setTimeout(() => failed(new Error("nothing came")), most);
  });
  try {
    return await Promise.race([reader.read(), late]);
  } catch (error) {
    reader.cancel().catch(() => {});
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** Events of a response, each given to `heard` by name and data, until it ends, or nothing has come for `silent` milliseconds. */
export async function readEvents(response, heard, silent) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await next(reader, silent);
    if (done) return;
    const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const lines = block.split("\n");
      const of = (field) => lines.filter((line) => line.startsWith(field)).map((line) => line.slice(field.length).trimStart()).join("\n");
      if (of("event:")) heard(of("event:"), of("data:"));
    }
  }
}

/** Opens a stream of events. It is read by fetch, since EventSource sends no token. */
export const openStream = (path, parameters, signal) => request(`${path}?${new URLSearchParams(given(parameters))}`, { signal, cache: "no-store", headers: { accept: "text/event-stream" } });

/** Asks a question that is answered by events, and tells them until the last. */
export async function stream(path, parameters, heard, signal) {
  const response = await openStream(path, parameters, signal);
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
  await readEvents(response, (name, data) => heard(name, JSON.parse(data)));
}

/** Answers of several partitions, or the one answer as a list. */
export const places = (body) => body.partitions ?? body.sites ?? [body];
