// What the chart of the machine draws, as numbers: rows and their means, and the expected use.

/** Cells of the expected use. */
export const CELLS = 1500;
/** Numbers of a row: fading in from, solid from, solid to, fading out to, the tick, and the end of the thin line of a range. */
export const FIELDS = 6;

/** Rows as numbers, and the means of 2, 4, 8… of them. */
export function levels(list, fields) {
  const first = new Float64Array(list.length * FIELDS);
  list.forEach((job, index) => first.set(fields(job), index * FIELDS));
  const all = [first];
  while (all[all.length - 1].length > FIELDS) {
    const below = all[all.length - 1];
    const rows = below.length / FIELDS;
    const next = new Float64Array(Math.ceil(rows / 2) * FIELDS);
    for (let row = 0; row < rows; row += 2) {
      const pair = row + 1 < rows ? 1 : 0;
      for (let field = 0; field < FIELDS; field += 1) next[(row / 2) * FIELDS + field] = (below[row * FIELDS + field] + below[(row + pair) * FIELDS + field]) / 2;
    }
    all.push(next);
  }
  return all;
}

/** Processors in use that are expected from now on, by the ranges of the jobs: running ones, and those with planned ones. */
export function profile({ now, running, planned }, until) {
  const each = (until - now) / CELLS;
  const make = () => new Float64Array(CELLS + 3);
  const [runs, plans] = [make(), make()];
  // A ramp is two changes of slope, so a job costs the same however long it is.
  const bend = (into, at, slope) => {
    const cell = Math.min(CELLS + 1, Math.max(0, (at - now) / each));
    const whole = Math.floor(cell);
    into[whole] += slope * (1 - (cell - whole));
    into[whole + 1] += slope * (cell - whole);
  };
  const ramp = (into, from, to, by) => {
    const end = Math.max(to, from + each);
    const slope = by / ((end - from) / each);
    bend(into, from, slope);
    bend(into, end, -slope);
  };
  let held = 0;
  for (const job of running) {
    held += job.procs;
    ramp(runs, Math.max(now, job.end_low), Math.max(now, job.end_median), -job.procs / 2);
    ramp(runs, Math.max(now, job.end_median), Math.max(now, job.end_high), -job.procs / 2);
  }
  for (const job of planned) {
    const length = Math.max(0, job.end_median - job.start_median);
    for (const [after, by] of [[0, job.procs / 2], [length, -job.procs / 2]]) {
      ramp(plans, job.start_low + after, job.start_median + after, by);
      ramp(plans, job.start_median + after, job.start_high + after, by);
    }
  }
  const summed = (bends, start) => {
    let [slope, value] = [0, start];
    return bends.map((one) => {
      const here = value;
      slope += one;
      value += slope;
      return Math.max(0, here);
    });
  };
  return { each, runs: summed(runs, held), plans: summed(plans, 0) };
}
