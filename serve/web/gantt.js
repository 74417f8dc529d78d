// Running jobs and planned starts over time, on a canvas. Uncertainty is drawn as fading. Only what is visible is drawn; where rows are thinner
// than a pixel, each line drawn is the mean of a power of two of them, made once per body.

import { h } from "./dom.js";
import { CELLS, FIELDS, levels, profile } from "./gantt-data.js";
import { listen } from "./gantt-input.js";
import { ticks, tickLabel } from "./parts.js";
import { count, moment, span } from "./words.js";

const AXIS = 30;
const HEAD = 26;
const PROFILE = 96;
const [IN, FROM, TO, OUT, TICK, LINE] = [0, 1, 2, 3, 4, 5];

/** A chart in `holder`; `open` is called with a job and whether it runs. */
export function gantt(holder, open) {
  const canvas = h("canvas", { tabindex: "0", role: "application", "aria-roledescription": "Gantt chart", "aria-label": "Jobs over time", "aria-describedby": "gantt-keys" });
  const tip = h("div", { class: "tip", hidden: true });
  const spoken = h("p", { class: "hidden", role: "status" });
  holder.append(canvas, tip, spoken);
  const paint = canvas.getContext("2d");
  const calm = matchMedia("(prefers-reduced-motion: reduce)");
  let body = null;
  let sections = [];
  let use = null;
  let user = "";
  let size = { width: 0, height: 0 };
  const view = { from: 0, to: 1, top: 0, row: 20 };
  let isFitted = true;
  let selected = -1;
  let colours = {};
  let frame = 0;
  let moving = 0;

  const gutter = () => (size.width < 560 ? 58 : 148);
  const rowsTop = () => AXIS + PROFILE;
  const total = () => sections.reduce((sum, one) => sum + one.list.length, 0);
  const contents = () => total() * view.row + sections.length * HEAD;
  const x = (at) => gutter() + ((at - view.from) / (view.to - view.from)) * (size.width - gutter());
  const time = (px) => view.from + ((px - gutter()) / (size.width - gutter())) * (view.to - view.from);

  function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ["ink", "muted", "line", "surface", "accent", "run", "faint"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
    colours.font = getComputedStyle(document.body).fontFamily;
  }

  function clamp() {
    const length = Math.min(400 * 86400, Math.max(120, view.to - view.from));
    view.to = view.from + length;
    view.row = Math.min(40, Math.max(0.004, view.row));
    view.top = Math.min(Math.max(0, contents() - (size.height - rowsTop()) + 8), Math.max(0, view.top));
  }

  let touched = -Infinity;
  function redraw() {
    touched = performance.now();
    if (!frame) frame = requestAnimationFrame(() => { frame = 0; draw(); });
  }

  /** The section and index of the row at a height, if there is one. */
  function rowAt(py) {
    let y = py - rowsTop() + view.top;
    if (py < rowsTop()) return null;
    for (const section of sections) {
      y -= HEAD;
      if (y < 0) return null;
      if (y < section.list.length * view.row) return { section, index: Math.floor(y / view.row) };
      y -= section.list.length * view.row;
    }
    return null;
  }

  /** A row by its number over all sections, and the height it begins at. */
  function rowOf(number) {
    let [left, y] = [number, 0];
    for (const section of sections) {
      y += HEAD;
      if (left < section.list.length) return { section, index: left, y: y + left * view.row };
      left -= section.list.length;
      y += section.list.length * view.row;
    }
    return null;
  }

  function draw() {
    if (!body || !size.width) return;
    paint.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
    paint.clearRect(0, 0, size.width, size.height);
    paint.textBaseline = "middle";
    const shown = ticks(view.from, view.to, Math.max(2, Math.floor((size.width - gutter()) / 90)));
    paint.lineWidth = 1;
    for (const tick of shown) {
      const px = Math.round(x(tick.at)) + 0.5;
      if (px < gutter()) continue;
      paint.strokeStyle = tick.isDay ? colours.faint : colours.line;
      line(px, AXIS - 6, px, size.height);
    }
    drawRows();
    drawProfile();
    drawAxis(shown);
  }

  function line(x1, y1, x2, y2) {
    paint.beginPath();
    paint.moveTo(x1, y1);
    paint.lineTo(x2, y2);
    paint.stroke();
  }

  function drawRows() {
    paint.save();
    paint.beginPath();
    paint.rect(0, rowsTop(), size.width, size.height - rowsTop());
    paint.clip();
    let y = rowsTop() - view.top;
    let before = 0;
    for (const section of sections) {
      if (y + HEAD > rowsTop() && y < size.height) {
        paint.font = `600 11px ${colours.font}`;
        paint.fillStyle = colours.muted;
        paint.fillText(section.name(section.list.length).toUpperCase(), 0, y + HEAD / 2 + 2);
      }
      y += HEAD;
      const first = Math.max(0, Math.floor((rowsTop() - y) / view.row));
      const last = Math.min(section.list.length, Math.ceil((size.height - y) / view.row));
      if (first < last) drawSection(section, y, first, last, before);
      y += section.list.length * view.row;
      before += section.list.length;
    }
    paint.restore();
  }

  function drawSection(section, y, first, last, before) {
    // Rows of a level are as many as fit one line of a pixel each.
    const level = Math.min(section.levels.length - 1, Math.max(0, Math.ceil(Math.log2(1 / view.row))));
    const each = 2 ** level;
    const data = section.levels[level];
    const height = view.row * each;
    const thick = height > 6 ? Math.max(3, height - Math.min(6, height * 0.3)) : Math.max(1, height);
    const isLarge = height >= 8;
    const edge = gutter();
    paint.fillStyle = section.colour();
    for (let row = Math.floor(first / each); row * each < last; row += 1) {
      const at = row * FIELDS;
      const top = y + row * height + (height - thick) / 2;
      const [fadeIn, from, to, out, tick, end] = [IN, FROM, TO, OUT, TICK, LINE].map((field) => x(data[at + field]));
      if (level === 0 && before + row === selected) {
        paint.fillStyle = colours.faint;
        paint.fillRect(0, y + row * height, size.width, height);
        paint.fillStyle = section.colour();
      }
      const own = level === 0 && user && section.list[row].user === user;
      const colour = own ? colours.accent : section.colour();
      if (own !== (paint.fillStyle === colours.accent)) paint.fillStyle = colour;
      solid(Math.max(edge, from), Math.max(edge, to), top, thick);
      fading(fadeIn, from, top, thick, true, isLarge, colour, edge);
      fading(to, out, top, thick, false, isLarge, colour, edge);
      if (isLarge) {
        if (end > from) bar(Math.max(edge, from), Math.max(edge, end), top + thick / 2 - 0.75, 1.5, 0.5);
        if (tick > edge) {
          paint.fillStyle = colours.ink;
          bar(tick - 0.75, tick + 0.75, top - 1, thick + 2, 0.75);
          paint.fillStyle = colour;
        }
      }
      if (height >= 13) label(section.list[row], y + row * height + height / 2, own);
    }
    paint.globalAlpha = 1;
  }

  function bar(from, to, top, thick, alpha) {
    if (to <= from || to < 0 || from > size.width) return;
    paint.globalAlpha = alpha;
    paint.fillRect(from, top, Math.max(1, Math.min(size.width, to) - from), thick);
  }

  /** What is certain. It meets what fades at a whole pixel, where no seam is seen. */
  function solid(from, to, top, thick) {
    const [begin, end] = [Math.round(from), Math.round(to)];
    if (begin < end) bar(begin, end, top, thick, 0.85);
    else bar(from, to, top, thick, 0.85);
  }

  function fading(from, to, top, thick, rising, isSmooth, colour, edge) {
    if (to - from < 0.5 || to < edge || from > size.width) return;
    if (isSmooth) {
      const gradient = paint.createLinearGradient(from, 0, to, 0);
      gradient.addColorStop(rising ? 0 : 1, "transparent");
      gradient.addColorStop(rising ? 0 : 1, withAlpha(colour, 0.08));
      gradient.addColorStop(rising ? 1 : 0, withAlpha(colour, 0.85));
      paint.fillStyle = gradient;
      paint.globalAlpha = 1;
      const begin = Math.round(Math.max(edge, from));
      paint.fillRect(begin, top, Math.min(size.width, Math.round(to)) - begin, thick);
      paint.fillStyle = colour;
      return;
    }
    const step = (to - from) / 3;
    for (let part = 0; part < 3; part += 1) bar(Math.max(edge, from + part * step), Math.max(edge, from + (part + 1) * step), top, thick, [0.2, 0.4, 0.65][rising ? part : 2 - part]);
  }

  const parsed = new Map();
  function withAlpha(colour, alpha) {
    const key = `${colour}${alpha}`;
    if (!parsed.has(key)) {
      const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
      parsed.set(key, `rgba(${r},${g},${b},${alpha})`);
    }
    return parsed.get(key);
  }

  function label(job, y, own) {
    paint.globalAlpha = 1;
    paint.font = `${own ? 600 : 400} 11.5px ${colours.font}`;
    const colour = paint.fillStyle;
    paint.fillStyle = colours.ink;
    paint.fillText(job.job, 0, y, gutter() - 8);
    if (size.width >= 560) {
      paint.fillStyle = colours.muted;
      paint.fillText(job.user ?? "", 56, y, 48);
      paint.textAlign = "right";
      paint.fillText(count(job.procs), gutter() - 12, y);
      paint.textAlign = "left";
    }
    paint.fillStyle = colour;
  }

  /** Expected use above the rows, on the same axis. */
  function drawProfile() {
    paint.fillStyle = colours.surface;
    paint.fillRect(0, 0, size.width, rowsTop());
    const [top, bottom] = [AXIS + 6, rowsTop() - 12];
    const most = Math.max(1, body.processors);
    const y = (value) => bottom - (Math.min(most, value) / most) * (bottom - top);
    const edge = gutter();
    const shape = (upper, lower) => {
      paint.beginPath();
      const columns = Math.ceil((size.width - edge) / 2);
      const points = [];
      for (let column = 0; column <= columns; column += 1) {
        const px = edge + column * 2;
        const cell = (time(px) - body.now) / use.each;
        if (cell < 0 || cell > CELLS) continue;
        points.push([px, Math.min(CELLS, Math.floor(cell))]);
      }
      if (!points.length) return;
      points.forEach(([px, cell], index) => (index ? paint.lineTo(px, y(upper(cell))) : paint.moveTo(px, y(upper(cell)))));
      points.reverse().forEach(([px, cell]) => paint.lineTo(px, y(lower(cell))));
      paint.fill();
    };
    paint.globalAlpha = 0.85;
    paint.fillStyle = colours.run;
    shape((cell) => use.runs[cell], () => 0);
    paint.globalAlpha = 0.5;
    paint.fillStyle = colours.accent;
    shape((cell) => use.runs[cell] + use.plans[cell], (cell) => use.runs[cell]);
    paint.globalAlpha = 1;
    paint.strokeStyle = colours.faint;
    line(edge, y(most) + 0.5, size.width, y(most) + 0.5);
    line(edge, bottom + 0.5, size.width, bottom + 0.5);
    paint.font = `11px ${colours.font}`;
    paint.fillStyle = colours.muted;
    if (size.width < 560) paint.fillText("in use", 0, (top + bottom) / 2);
    else ["processors in use", "by jobs known now"].forEach((words, index) => paint.fillText(words, 0, (top + bottom) / 2 - 8 + index * 16));
    paint.textAlign = "right";
    paint.fillText(count(most), edge - 6, y(most) + 5);
    paint.fillText("0", edge - 6, bottom - 4);
    paint.textAlign = "left";
  }

  function drawAxis(shown) {
    const edge = gutter();
    const now = x(body.now);
    paint.font = `11px ${colours.font}`;
    paint.textAlign = "center";
    for (const tick of shown) {
      const px = x(tick.at);
      if (px < edge + 14 || px > size.width - 14 || Math.abs(px - now) < 40) continue;
      paint.fillStyle = tick.isDay ? colours.ink : colours.muted;
      paint.fillText(tickLabel(tick, body.now), px, 11);
    }
    if (now >= edge && now <= size.width) {
      paint.strokeStyle = colours.accent;
      paint.lineWidth = 1.5;
      line(now, 22, now, size.height);
      paint.fillStyle = colours.accent;
      paint.font = `600 11px ${colours.font}`;
      paint.fillText("now", Math.min(size.width - 14, Math.max(edge + 12, now)), 11);
    }
    paint.textAlign = "left";
  }

  function zoom(by, at = time(gutter() + (size.width - gutter()) / 2)) {
    const length = Math.min(400 * 86400, Math.max(120, (view.to - view.from) * by));
    const share = (at - view.from) / (view.to - view.from);
    view.from = at - length * share;
    view.to = view.from + length;
    isFitted = false;
    clamp();
    redraw();
  }

  function pan(seconds, pixels) {
    const before = view.top;
    view.from += seconds;
    view.to += seconds;
    view.top += pixels;
    if (seconds) isFitted = false;
    clamp();
    redraw();
    return view.top !== before;
  }

  /** Goes to a window of time step by step, at once where motion is not wanted. */
  function glide(from, to) {
    cancelAnimationFrame(moving);
    const [first, last] = [view.from, view.to];
    const begun = performance.now();
    const step = (clock) => {
      const part = calm.matches ? 1 : Math.min(1, (clock - begun) / 180);
      const eased = 1 - (1 - part) ** 3;
      view.from = first + (from - first) * eased;
      view.to = last + (to - last) * eased;
      clamp();
      draw();
      if (part < 1) moving = requestAnimationFrame(step);
    };
    moving = requestAnimationFrame(step);
  }

  /** The first window: from a little before now until most of what is known has begun or ended. */
  function firstWindow() {
    // Of many jobs a sample tells as much.
    const some = (list) => (list.length > 2000 ? list.filter((_, index) => index % Math.ceil(list.length / 1000) === 0) : list);
    const ends = [...some(body.running).map((job) => job.end_high), ...some(body.planned).map((job) => job.start_median)].sort((a, b) => a - b);
    const far = ends.length ? ends[Math.floor((ends.length - 1) * 0.9)] : body.now + 21600;
    const ahead = Math.min(14 * 86400, Math.max(900, far - body.now));
    return [body.now - ahead * 0.15, body.now + ahead * 1.1];
  }

  function rescale(row, py = rowsTop()) {
    const share = (view.top + py - rowsTop()) / Math.max(1, contents());
    view.row = row;
    clamp();
    view.top = share * contents() - (py - rowsTop());
    clamp();
    redraw();
  }

  function select(number) {
    selected = Math.min(total() - 1, Math.max(0, number));
    const found = rowOf(selected);
    if (!found) return;
    const room = size.height - rowsTop();
    if (view.row < 13) rescale(20);
    const { section, index, y } = rowOf(selected);
    if (y - HEAD < view.top) view.top = y - HEAD;
    if (y + view.row > view.top + room) view.top = y + view.row - room + 4;
    clamp();
    redraw();
    spoken.textContent = describe(section, index).join(", ");
  }

  function describe(section, index) {
    const job = section.list[index];
    const facts = [`Job ${job.job}`, job.user ? `user ${job.user}` : null, `${count(job.procs)} processor${job.procs === 1 ? "" : "s"}`];
    if (section.runs) facts.push(`since ${moment(job.start, body.now)}`, `ends ${span(job.end_low, job.end_high, body.now)}`);
    else facts.push(`starts ${span(job.start_low, job.start_high, body.now)}`, `even odds ${moment(job.start_median, body.now)}`);
    return facts.filter(Boolean);
  }

  function showTip(event) {
    const box = canvas.getBoundingClientRect();
    const found = event ? rowAt(event.clientY - box.top) : null;
    tip.hidden = !found;
    if (!found) return;
    const [title, ...facts] = describe(found.section, found.index);
    tip.replaceChildren(h("strong", null, title), ...facts.map((one) => h("span", null, one)));
    const px = Math.min(size.width - tip.offsetWidth - 8, event.clientX - box.left + 14);
    const below = event.clientY - box.top + 18;
    tip.style.transform = `translate(${Math.max(0, px)}px, ${below + tip.offsetHeight > size.height ? below - tip.offsetHeight - 30 : below}px)`;
  }

  listen(canvas, {
    view, rowsTop, time, zoom, pan, rescale, select, fit, tip: showTip,
    /** Pixels of the time axis, and where they begin. */
    axis: () => ({ left: gutter(), width: size.width - gutter() }),
    /** Rows of a page, for the keys that go by pages. */
    page: () => Math.floor((size.height - rowsTop()) / Math.max(13, view.row)),
    selected: () => selected,
    last: () => total() - 1,
    openAt(py) {
      const found = rowAt(py);
      if (found && view.row >= 3) open(found.section.list[found.index], found.section.runs);
    },
    openSelected() {
      const chosen = selected >= 0 ? rowOf(selected) : null;
      if (chosen) open(chosen.section.list[chosen.index], chosen.section.runs);
    },
  });

  function fit() {
    if (!body) return;
    isFitted = true;
    view.row = 20;
    view.top = 0;
    glide(...firstWindow());
  }

  const watch = new ResizeObserver(() => {
    const box = holder.getBoundingClientRect();
    size = { width: Math.floor(box.width), height: Math.floor(box.height) };
    canvas.width = size.width * devicePixelRatio;
    canvas.height = size.height * devicePixelRatio;
    canvas.style.width = `${size.width}px`;
    canvas.style.height = `${size.height}px`;
    clamp();
    draw();
  });
  watch.observe(holder);
  readColours();

  return {
    /** Shows a body of /machine; jobs of `name` stand out. */
    show(given, name) {
      const before = body?.now;
      body = given;
      user = name;
      const byEnd = [...body.running].sort((a, b) => a.end_median - b.end_median || a.start - b.start);
      const byStart = [...body.planned].sort((a, b) => a.start_median - b.start_median || a.start_low - b.start_low);
      sections = [
        { runs: true, list: byEnd, name: (rows) => `${count(rows)} running`, colour: () => colours.run, levels: levels(byEnd, (job) => [job.start, job.start, job.end_low, job.end_high, job.end_median, job.end_low]) },
        { runs: false, list: byStart, name: (rows) => `${count(rows)} planned`, colour: () => colours.accent, levels: levels(byStart, (job) => [job.start_low, job.start_median, job.end_median, job.end_median, job.start_median, job.start_high]) },
      ];
      const [from, to] = firstWindow();
      use = profile(body, Math.max(to, ...sections[1].list.slice(-1).map((job) => job.start_high), body.now + 3600));
      if (isFitted || before === undefined) {
        view.from = from;
        view.to = to;
      } else {
        // The window goes on with the clock.
        view.from += body.now - before;
        view.to += body.now - before;
      }
      canvas.setAttribute("aria-label", `Jobs over time: ${count(byEnd.length)} running, ${count(byStart.length)} planned. The Queue view lists the planned ones as a table.`);
      clamp();
      redraw();
    },
    /** Whether it was moved within the last second: new data can wait until it rests. */
    isMoving: () => performance.now() - touched < 1000,
    zoomIn: () => zoom(1 / 1.5),
    zoomOut: () => zoom(1.5),
    fit,
    /** All rows at once, or rows that can be read. */
    allRows() {
      const room = size.height - rowsTop() - sections.length * HEAD - 8;
      rescale(view.row < 13 ? 20 : Math.min(20, room / Math.max(1, total())));
    },
    repaint() {
      readColours();
      redraw();
    },
    end() {
      watch.disconnect();
      cancelAnimationFrame(frame);
      cancelAnimationFrame(moving);
    },
  };
}
