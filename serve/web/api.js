// The service: bodies, errors, events.

/** An answer that is no success: what the service said, and what helps. */
export class ApiError extends Error {
  constructor(status, body) {
    super(body?.error ?? `the service answered with status ${status}`);
    this.status = status;
    this.hint = body?.hint ?? "";
  }
}

/** The body of a path under /api/v1. Parameters that are empty are left out. */
export async function get(path, parameters = {}, signal) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, value);
  }
  const text = query.toString();
  let response;
  try {
    response = await fetch(`/api/v1${path}${text ? `?${text}` : ""}`, { signal, headers: { accept: "application/json" } });
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
 * Follows the snapshots of the service. `told` is called with each, `connected` with whether the stream is up. A stream that the browser gave up
 * is opened anew.
 */
export function follow(cluster, told, connected) {
  let source = null;
  let timer = 0;
  let ended = false;
  const open = () => {
    source = new EventSource(`/api/v1/events${cluster ? `?cluster=${encodeURIComponent(cluster)}` : ""}`);
    source.addEventListener("open", () => connected(true));
    source.addEventListener("snapshot", (event) => {
      try {
        const snapshot = JSON.parse(event.data);
        if (!cluster || !snapshot.cluster || snapshot.cluster === cluster) told(snapshot);
      } catch {
        // A line that is no JSON tells nothing.
      }
    });
    source.addEventListener("error", () => {
      connected(false);
      if (source.readyState !== EventSource.CLOSED || ended) return;
      clearTimeout(timer);
      timer = setTimeout(open, 5000);
    });
  };
  open();
  return () => {
    ended = true;
    clearTimeout(timer);
    source.close();
  };
}

/** Answers of several partitions, or the one answer as a list. */
export const places = (body) => body.partitions ?? body.sites ?? [body];
