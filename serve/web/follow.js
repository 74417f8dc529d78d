// Snapshots as they come. Browsers allow six connections to a host, which all tabs share: one tab holds the stream of events and tells the others, and
// a hidden tab holds none. Where a browser has no locks or no channels (it has locks on HTTPS and localhost only), each tab that is shown holds a stream.

import { BASE, openStream, readEvents } from "./api.js";

/** A stream that lasted this long was a working one: the next is tried soon. Milliseconds. */
const LASTING = 10_000;
const WAITS = { first: 500, most: 10_000 };
/** The service sends something every 15 seconds; a stream that is silent for longer is dead, as after a sleep of the machine. */
const SILENT = 45_000;

const sleep = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));

/**
 * Follows the snapshots of the service. `told` is called with each, `connected` with whether the stream is up. A stream that ends is opened anew.
 * Returns what ends it.
 */
export function follow(cluster, told, connected) {
  const name = `queuecast.events ${BASE} ${cluster ?? ""}`;
  const locks = typeof BroadcastChannel === "function" ? navigator.locks : undefined;
  const channel = locks ? new BroadcastChannel(name) : null;
  /** What this tab has heard last, for tabs that ask. */
  const state = { connected: false, snapshot: null };
  let leads = false;
  /** Ends what this tab does while it is shown. */
  let shown = null;

  function hear(said) {
    Object.assign(state, said);
    if (said.connected !== undefined) connected(said.connected);
    if (said.snapshot) told(said.snapshot);
  }

  function tell(said) {
    hear(said);
    channel?.postMessage(said);
  }

  channel?.addEventListener("message", ({ data }) => {
    if (data.asks) {
      if (leads) channel.postMessage(state);
    } else if (shown && !leads) hear(data);
  });

  async function once(signal) {
    const response = await openStream("/events", { cluster }, signal);
    if (!response.ok || signal.aborted) return;
    tell({ connected: true });
    await readEvents(response, (event, data) => {
      if (event !== "snapshot" || signal.aborted) return;
      const snapshot = JSON.parse(data);
      if (!cluster || !snapshot.cluster || snapshot.cluster === cluster) tell({ snapshot });
    }, SILENT);
  }

  /** One stream, until it ends; how long it lasted. */
  async function lead(signal) {
    const begun = performance.now();
    leads = true;
    try {
      await once(signal);
    } catch {
      // It is opened anew, or this tab is hidden.
    }
    if (!signal.aborted) tell({ connected: false });
    leads = false;
    return performance.now() - begun;
  }

  async function keep(signal) {
    for (let wait = WAITS.first; !signal.aborted; wait = Math.min(WAITS.most, wait * 2)) {
      let lasted = 0;
      try {
        // A tab whose stream ends leaves the turn to the next one, which may fare better.
        lasted = await (locks ? locks.request(name, { signal }, () => lead(signal)) : lead(signal));
      } catch {
        // Hidden while it waited for its turn.
      }
      if (signal.aborted) return;
      if (lasted > LASTING) wait = WAITS.first;
      await sleep(wait);
    }
  }

  function look() {
    if (document.hidden === (shown === null)) return;
    if (document.hidden) {
      shown.abort();
      shown = null;
      return;
    }
    shown = new AbortController();
    channel?.postMessage({ asks: true });
    keep(shown.signal);
  }

  document.addEventListener("visibilitychange", look);
  look();
  return () => {
    document.removeEventListener("visibilitychange", look);
    shown?.abort();
    shown = null;
    channel?.close();
  };
}
