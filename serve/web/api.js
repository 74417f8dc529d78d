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

/** The body of a path under /api/v1. Parameters that are empty are left out. */
export async function get(path, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  let response;
  try {
    response = await fetch(`/api/v1${path}${text ? `?${text}` : ""}`, { signal, headers: { accept: "application/json", ...token.header() } });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new ApiError(0, { error: "the service does not answer", hint: "it is asked again in a moment" });
  }
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

/**
 * Follows the snapshots of the service. `told` is called with each, `connected` with whether the stream is up. A stream that ends is opened anew.
 * It is read by fetch, since EventSource sends no token.
 */
export function follow(cluster, told, connected) {
  const ended = new AbortController();
  const { signal } = ended;
  const path = `/api/v1/events${cluster ? `?cluster=${encodeURIComponent(cluster)}` : ""}`;
  const one = (block) => {
    const lines = block.split("\n");
    if (!lines.includes("event: snapshot")) return;
    const data = lines.filter((line) => line.startsWith("data:")).map((line) => line.slice(5)).join("\n");
    try {
      const snapshot = JSON.parse(data);
      if (!cluster || !snapshot.cluster || snapshot.cluster === cluster) told(snapshot);
    } catch {
      // A line that is no JSON tells nothing.
    }
  };
  const read = async () => {
    const response = await fetch(path, { signal, cache: "no-store", headers: { accept: "text/event-stream", ...token.header() } });
    if (!response.ok) return;
    connected(true);
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value.replaceAll("\r", "")).split("\n\n");
      rest = blocks.pop();
      blocks.forEach(one);
    }
  };
  const keep = async () => {
    for (let wait = 500; !signal.aborted; wait = Math.min(10_000, wait * 2)) {
      const begun = performance.now();
      await read().catch(() => {});
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
