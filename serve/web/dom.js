// Elements made from data. Text goes in as text nodes only, so a hostile job name stays a name.

const SVG = "http://www.w3.org/2000/svg";

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "style") for (const [key, to] of Object.entries(value)) element.style.setProperty(key, to);
    else if (name === "value") element.value = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** An HTML element. Properties that begin with `on` are listeners, `style` is an object of CSS properties. */
export function h(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

/** An SVG element. */
export function s(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

/** Replaces what an element contains. */
export function put(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** Calls `run` once, `wait` milliseconds after the last call. */
export function debounce(run, wait) {
  let timer = 0;
  return (...given) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...given), wait);
  };
}

/**
 * Runs one question at a time. `ask` gives up the one that is under way, `refresh` leaves it: a service that takes longer than the time between
 * two snapshots still gets to answer.
 */
export function questions(run) {
  let asking = null;
  const ask = async (...given) => {
    asking?.abort();
    const mine = new AbortController();
    asking = mine;
    try {
      await run(mine.signal, ...given);
    } finally {
      if (asking === mine) asking = null;
    }
  };
  return {
    ask,
    refresh: (...given) => (asking ? undefined : ask(...given)),
    end: () => asking?.abort(),
  };
}

/** A value of localStorage, which a browser may refuse. */
export const memory = {
  get(key) {
    try {
      return localStorage.getItem(`queuecast.${key}`);
    } catch {
      return null;
    }
  },
  set(key, value) {
    try {
      if (value) localStorage.setItem(`queuecast.${key}`, value);
      else localStorage.removeItem(`queuecast.${key}`);
    } catch {
      // The page works without.
    }
  },
};
