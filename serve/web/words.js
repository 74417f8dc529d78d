// Times, lengths of time and shares in words. Moments are Unix seconds, and the browser's time zone is used and named; of a log without dates they
// count from its beginning, and its days are numbered.

const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
const format = (options) => new Intl.DateTimeFormat("en-GB", options);
const TIME = { hour: "2-digit", minute: "2-digit", hourCycle: "h23" };
const CLOCK = format(TIME);
const CLOCK_OF_LOG = format({ ...TIME, timeZone: "UTC" });
const DAY = format({ weekday: "short", day: "numeric", month: "short" });
const SHORT_DAY = format({ weekday: "short", day: "numeric" });
const DAY_AND_YEAR = format({ day: "numeric", month: "short", year: "numeric" });
const ZONE_NAME = format({ timeZoneName: "short" });
const WHOLE = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });

let isUndated = false;

/** Says whether moments count from the beginning of a log that has no dates. */
export function setUndated(given) {
  isUndated = given;
}

/** The moment at which the day of `at` begins, or the day that is `later` days after it. */
export function midnight(at, later = 0) {
  if (isUndated) return (Math.floor(at / 86400) + later) * 86400;
  const date = new Date(at * 1000);
  date.setHours(0, 0, 0, 0);
  date.setDate(date.getDate() + later);
  return date.getTime() / 1000;
}

/** The name of the zone that times are shown in. */
export function zone(at = Date.now() / 1000) {
  if (isUndated) return "days of the log, which has no dates";
  const short = ZONE_NAME.formatToParts(new Date(at * 1000)).find((part) => part.type === "timeZoneName")?.value;
  return !short || short === ZONE ? ZONE : `${short} (${ZONE})`;
}

/** A whole number with separators. */
export const count = (number) => WHOLE.format(number);

/** "1 job", "12 jobs". */
export const countOf = (number, noun) => `${count(number)} ${noun}${number === 1 ? "" : "s"}`;

/** A share as a percentage, with one decimal below ten or if asked for. */
export function percent(share, decimals) {
  const value = share * 100;
  const shown = decimals ?? (value > 0 && value < 10 && Math.abs(value - Math.round(value)) > 0.05 ? 1 : 0);
  return `${value.toFixed(shown)} %`;
}

/** A length of time in its two largest units. */
export function duration(seconds) {
  const total = Math.round(Math.abs(seconds));
  if (total < 60) return `${total} s`;
  const minutes = Math.round(total / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
  const all = Math.round(total / 3600);
  const days = Math.floor(all / 24);
  if (days >= 14 || all % 24 === 0) return `${Math.round(all / 24)} d`;
  return `${days} d ${all % 24} h`;
}

/** The time of day. */
export const clock = (at) => (isUndated ? CLOCK_OF_LOG : CLOCK).format(new Date(at * 1000));

/** The day as one says it: today, tomorrow, Thu 13 Mar. */
export function day(at, now, isShort) {
  const days = Math.round((midnight(at) - midnight(now)) / 86400);
  if (days >= -1 && days <= 1) return ["yesterday", "today", "tomorrow"][days + 1];
  if (isUndated) return `day ${Math.floor(at / 86400) + 1}`;
  const off = Math.abs(at - now);
  return (off < 20 * 86400 && isShort ? SHORT_DAY : off < 180 * 86400 ? DAY : DAY_AND_YEAR).format(new Date(at * 1000)).replace(",", "");
}

/** A moment: "14:10", "tomorrow 02:00", "Thu 13 Mar 02:00". */
export function moment(at, now, isShort) {
  const word = day(at, now, isShort);
  return word === "today" ? clock(at) : `${word} ${clock(at)}`;
}

/** The date in full, whatever today is: the day of a replay is not the browser's. */
export function date(at) {
  if (isUndated) return `day ${Math.floor(at / 86400) + 1}`;
  const isNear = Math.abs(at - Date.now() / 1000) < 180 * 86400;
  return (isNear ? DAY : DAY_AND_YEAR).format(new Date(at * 1000)).replace(",", "");
}

/** A moment whose day is always said. */
export const dated = (at, now) => `${day(at, now)} ${clock(at)}`;

/** A range of moments in short: "14:10 – 15:30", "23:10 – tomorrow 02:00". */
export function span(low, high, now) {
  const [first, last] = [moment(low, now, true), moment(high, now, true)];
  if (first === last) return first;
  if (day(low, now) === day(high, now)) return `${first} – ${clock(high)}`;
  return `${first} – ${last}`;
}

/** The parts of "between 14:10 and 15:30 today", those to be stressed marked. */
export function between(low, high, now) {
  const [from, to] = [day(low, now), day(high, now)];
  if (high - now < 60) return ["at once"];
  if (low - now < 60) return ["within ", { strong: duration(high - now) }, ", by ", { strong: moment(high, now) }];
  if (from === to) {
    if (clock(low) === clock(high)) return ["at ", { strong: clock(low) }, ` ${from}`];
    return ["between ", { strong: clock(low) }, " and ", { strong: clock(high) }, ` ${from}`];
  }
  return ["between ", { strong: `${clock(low)} ${from}` }, " and ", { strong: `${clock(high)} ${to}` }];
}

/** A time limit as sbatch reads it, in seconds; `null` if it is none. Also 2h10m. */
export function limitSeconds(text) {
  const given = text.trim().toLowerCase();
  let match = /^(?:(\d+)d)?\s*(?:(\d+)h)?\s*(?:(\d+)m(?:in)?)?\s*(?:(\d+)s)?$/.exec(given);
  if (match && match[0] && match.slice(1).some(Boolean)) {
    const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  }
  match = /^(\d+)-(\d+)(?::(\d+))?(?::(\d+))?$/.exec(given);
  if (match) {
    const [days, hours, minutes, seconds] = match.slice(1).map((part) => Number(part ?? 0));
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds;
  }
  match = /^(\d+)(?::(\d+))?(?::(\d+))?$/.exec(given);
  if (!match) return null;
  const [first, second, third] = match.slice(1);
  if (third !== undefined) return (Number(first) * 60 + Number(second)) * 60 + Number(third);
  return Number(first) * 60 + Number(second ?? 0);
}

/** A time limit as sbatch takes it: 2:00:00, 1-12:00:00. */
export function limitText(seconds) {
  const two = (number) => String(number).padStart(2, "0");
  const whole = Math.max(60, Math.round(seconds));
  const [days, hours] = [Math.floor(whole / 86400), Math.floor((whole % 86400) / 3600)];
  const rest = `${two(Math.floor((whole % 3600) / 60))}:${two(whole % 60)}`;
  return days ? `${days}-${two(hours)}:${rest}` : `${hours}:${rest}`;
}
