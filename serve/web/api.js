// The service: bodies, errors, events.

/** An answer that is no success: what the service said, and what helps. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error ?? `the service answered with status ${status}`);
    this.status = status;
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
      return sessionStorage.getItem("queuecast.token");
    } catch {
      return this.kept;
    }
  },
  set(given) {
    this.kept = given;
    try {
      sessionStorage.setItem("queuecast.token", given);
    } catch {
      // It is kept until the page is left.
    }
  },
};

/** Parameters that are given. */
const given = (parameters) => Object.fromEntries(Object.entries(parameters).filter(([, value]) => value !== null && value !== undefined && value !== ""));

async function request(path, options) {
  try {
    return await fetch(`/api/v1${path}`, { ...options, headers: { ...options.headers, ...token.header() } });
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
  if (!response.ok) throw new ApiError(response.status, body);
  if (body === null) throw new ApiError(response.status, { error: "the service sent no JSON" });
  return body;
}

/** Events of a response, each given to `heard` by name and data, until it ends. */
async function read(response, heard) {
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
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

/** Asks a question that is answered by events, and tells them until the last. */
export async function stream(path, parameters, heard, signal) {
  const response = await request(`${path}?${new URLSearchParams(given(parameters))}`, { signal, cache: "no-store", headers: { accept: "text/event-stream" } });
  if (!response.ok) throw new ApiError(response.status, await response.json().catch(() => null));
  await read(response, (name, data) => heard(name, JSON.parse(data)));
}

/**
 * Follows the snapshots of the service. `told` is called with each, `connected` with whether the stream is up. A stream that ends is opened anew.
 * It is read by fetch, since EventSource sends no token.
 */
export function follow(cluster, told, connected) {
  const ended = new AbortController();
  const { signal } = ended;
  const path = `/api/v1/events${cluster ? `?cluster=${encodeURIComponent(cluster)}` : ""}`;
  const one = (name, data) => {
    if (name !== "snapshot") return;
    try {
      const snapshot = JSON.parse(data);
      if (!cluster || !snapshot.cluster || snapshot.cluster === cluster) told(snapshot);
    } catch {
      // A line that is no JSON tells nothing.
    }
  };
  const once = async () => {
    const response = await fetch(path, { signal, cache: "no-store", headers: { accept: "text/event-stream", ...token.header() } });
    if (!response.ok) return;
    connected(true);
    await read(response, one);
  };
  const keep = async () => {
    for (let wait = 500; !signal.aborted; wait = Math.min(10_000, wait * 2)) {
      const begun = performance.now();
      await once().catch(() => {});
      if (signal.aborted) return;
      connected(false);
      if (performance.now() - begun > 10_000) wait = 500;
      await new Promise((done) => setTimeout(done, wait));
    }
  };
  keep();
  return () => ended.abort();
}

/** Answers of several partitions, or the one answer as a list. */
export const places = (body) => body.partitions ?? body.sites ?? [body];
