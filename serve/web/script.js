// What a job script asks for, by its #SBATCH lines.

const SHORT = { n: "ntasks", N: "nodes", c: "cpus-per-task", t: "time", p: "partition", a: "array" };
const READ = new Set([...Object.values(SHORT), "ntasks-per-node"]);
// Options that change nothing about when a job starts, as far as the page asks.
const QUIET = new Set(["job-name", "J", "output", "o", "error", "e", "mail-type", "mail-user", "chdir", "D", "comment", "export", "open-mode", "parsable"]);

/** The words of a line, quotes kept together. */
const words = (line) => [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? match[3]);

/**
 * Reads a script. `fields` has n, N, t, p and array as far as they are given, `notes` how they were understood, and `ignored` the options
 * that the answer does not depend on here.
 */
export function readScript(text) {
  const given = {};
  const ignored = [];
  let lines = 0;
  for (const line of text.split(/\r?\n/)) {
    const match = /^#SBATCH\s+(.*)$/.exec(line.trim());
    if (!match) {
      // sbatch stops at the first command.
      if (line.trim() && !line.trim().startsWith("#")) break;
      continue;
    }
    lines += 1;
    const list = words(match[1]);
    for (let index = 0; index < list.length; index += 1) {
      const word = list[index];
      if (word.startsWith("#")) break;
      let name;
      let value;
      const long = /^--([a-z-]+)(?:=(.*))?$/.exec(word);
      const short = /^-([A-Za-z])(.*)$/.exec(word);
      if (long) [name, value] = [long[1], long[2]];
      else if (short) [name, value] = [SHORT[short[1]] ?? short[1], short[2].replace(/^=/, "") || undefined];
      else continue;
      const isFlag = list[index + 1] === undefined || list[index + 1].startsWith("-");
      if (value === undefined && !isFlag) value = list[(index += 1)];
      if (READ.has(name) && value !== undefined) given[name] = value;
      else if (!QUIET.has(name)) ignored.push(name.length === 1 ? `-${name}` : `--${name}`);
    }
  }
  const whole = (name) => (/^\d+$/.test(given[name] ?? "") ? Number(given[name]) : null);
  const fields = {};
  const notes = [];
  const nodes = /^\d+/.exec(given.nodes ?? "")?.[0] ?? null;
  const [tasks, each, perNode] = [whole("ntasks"), whole("cpus-per-task"), whole("ntasks-per-node")];
  let processors = tasks;
  if (processors === null && perNode !== null && nodes !== null) {
    processors = perNode * Number(nodes);
    notes.push(`${nodes} nodes × ${perNode} tasks`);
  }
  if (each !== null && each > 1) {
    notes.push(`${processors ?? 1} tasks × ${each} processors`);
    processors = (processors ?? 1) * each;
  }
  if (processors !== null) fields.n = String(processors);
  if (nodes !== null && processors === null) fields.N = nodes;
  if (given.time) fields.t = given.time;
  if (given.partition) fields.p = given.partition;
  if (given.array) fields.a = given.array;
  return { lines, fields, notes, ignored: [...new Set(ignored)] };
}
