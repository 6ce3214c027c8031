"use strict";
// Dates and durations: numbers of seconds, written and read as people do. As in variables/times.py.

const SECONDS_OF = { day: 86400, hour: 3600, minute: 60, second: 1, millisecond: 1e-3, microsecond: 1e-6 };
const TIME_UNITS = Object.keys(SECONDS_OF);
const SAID_UNITS = ["day", "hour", "minute", "second"];
const EXACT_SECONDS = 2 ** 33; // up to which doubles tell microseconds apart
const CLOCKS = new Map(); // by time zone

const two = (value) => String(value).padStart(2, "0");
const fraction = (microseconds) => `.${String(microseconds).padStart(6, "0")}`.replace(/0+$/, "");

// Whole seconds and microseconds.
function splitSeconds(value) {
  const digits = Math.abs(value) <= EXACT_SECONDS ? 1e6 : 1e3;
  const whole = Math.floor(value), part = Math.round((value - whole) * digits);
  return part === digits ? [whole + 1, 0] : [whole, part * (1e6 / digits)];
}

// By how many seconds clocks of a zone are ahead of UTC.
function offsetOf(zone, seconds) {
  if (!zone || zone === "UTC") return 0;
  const fixed = /^(?:UTC)?([+-])(\d\d):(\d\d)$/.exec(zone);
  if (fixed) return (fixed[1] === "-" ? -60 : 60) * (60 * Number(fixed[2]) + Number(fixed[3]));
  if (!CLOCKS.has(zone)) {
    CLOCKS.set(zone, new Intl.DateTimeFormat("en-US", {
      timeZone: zone, hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric",
      hour: "numeric", minute: "numeric", second: "numeric",
    }));
  }
  const shown = {};
  for (const { type, value } of CLOCKS.get(zone).formatToParts(new Date(seconds * 1000))) shown[type] = Number(value);
  const wall = new Date(0);
  wall.setUTCFullYear(shown.year, shown.month - 1, shown.day);
  wall.setUTCHours(shown.hour, shown.minute, shown.second);
  return wall.getTime() / 1000 - seconds;
}

// The seconds at which clocks of a zone show whole seconds; the first of them, if they do so twice.
function instantOf(zone, wall) {
  const before = offsetOf(zone, wall - 86400), after = offsetOf(zone, wall + 86400);
  const found = [before, after].find((offset) => offsetOf(zone, wall - offset) === offset);
  return wall - (found ?? before);
}

// A date or duration as text. The end of a range has a time of day also at midnight, unless the data
// have whole days: "at most" a day could mean the whole of it.
function writeTime({ kind, unit, zone }, value, isEnd = false) {
  if (kind === "duration") return writeDuration(unit, value);
  const [seconds, microseconds] = splitSeconds(value);
  const wall = seconds + offsetOf(zone, seconds), shown = new Date(wall * 1000);
  if (Number.isNaN(shown.getTime())) return `${value.toFixed(0)} seconds since 1970`;
  let text = `${String(shown.getUTCFullYear()).padStart(4, "0")}-${two(shown.getUTCMonth() + 1)}-${two(shown.getUTCDate())}`;
  const isDouble = instantOf(zone, wall) !== seconds; // when clocks were put back
  if (wall % 86400 !== 0 || microseconds || (isEnd && unit !== "day") || isDouble) {
    text += ` ${two(shown.getUTCHours())}:${two(shown.getUTCMinutes())}`;
  }
  if (wall % 60 !== 0 || microseconds) text += `:${two(shown.getUTCSeconds())}`;
  if (microseconds) text += fraction(microseconds);
  if (isDouble) {
    const minutes = Math.floor((wall - seconds) / 60), size = Math.abs(minutes);
    text += `${minutes < 0 ? "-" : "+"}${two(Math.floor(size / 60))}:${two(size % 60)}`;
  }
  return text;
}

function writeDuration(unit, value) {
  let [rest, microseconds] = splitSeconds(value);
  const isNegative = rest < 0;
  if (isNegative) [rest, microseconds] = splitSeconds(-value);
  const parts = [];
  for (const name of SAID_UNITS) {
    let text = String(Math.floor(rest / SECONDS_OF[name]));
    rest %= SECONDS_OF[name];
    if (name === "second" && microseconds) text += fraction(microseconds);
    if (text !== "0") parts.push(`${text} ${name}${text === "1" ? "" : "s"}`);
  }
  if (!parts.length) return `0 ${SAID_UNITS.includes(unit) ? unit : "second"}s`;
  return (isNegative ? "minus " : "") + parts.join(" ");
}

// Reads what `writeTime` wrote of a duration; NaN if it is something else.
function readDuration(text) {
  const found = /^\s*(minus\s+)?(.*?)\s*$/.exec(text), parts = [...found[2].matchAll(/(\d+(?:\.\d+)?)\s+(day|hour|minute|second)s?\b/g)];
  if (!parts.length || parts.map((part) => part[0]).join(" ") !== found[2].replace(/\s+/g, " ")) return NaN;
  const size = sum(parts.map((part) => Number(part[1]) * SECONDS_OF[part[2]]));
  return found[1] ? -size : size;
}

// Rounds down or up to whole units, by default of the data.
function roundTime({ unit: own, zone }, value, isUp, unit = own) {
  const size = SECONDS_OF[unit], whole = Math.floor(value);
  if (size < 1) {
    const count = Math.round(1 / size), part = (value - whole) * count, nearest = Math.round(part);
    if (whole + nearest / count === value) return value;
    return whole + (isUp ? Math.ceil(part) : Math.floor(part)) / count;
  }
  const wall = whole + offsetOf(zone, whole);
  const steps = isUp ? Math.ceil((wall + (value > whole ? 1 : 0)) / size) : Math.floor(wall / size);
  // Times of day are counted from one near by, as if clocks were not put back in between.
  return steps * size % 86400 === 0 ? instantOf(zone, steps * size) : steps * size - (wall - whole);
}

// The largest unit that is a thousandth of the range of a feature or less, but that of the data.
function unitFor({ time, minimum, maximum }) {
  const units = TIME_UNITS.slice(0, TIME_UNITS.indexOf(time.unit) + 1);
  return units.find((unit) => SECONDS_OF[unit] * 1000 <= maximum - minimum) ?? time.unit;
}

// Rounds a date or duration of a feature so that it is easy to read.
const shortTime = (feature, value, isUp) => roundTime(feature.time, value, isUp, unitFor(feature));

// A field to type a date or duration in: its element, and how to write and read its text.
function timeField({ time: { kind, unit, zone }, name }) {
  const isDay = unit === "day", step = isDay ? "1" : unit.endsWith("cond") && unit !== "second" ? "any" : "1";
  const type = kind === "duration" ? "text" : isDay ? "date" : "datetime-local";
  const element = make("input", { type, step, "aria-label": `Value of ${name}` });
  if (kind === "duration") {
    return { element, write: (value) => writeDuration(unit, value), read: readDuration };
  }
  const write = (value) => {
    const wall = value + offsetOf(zone, Math.floor(value)), text = new Date(Math.round(wall * 1000)).toISOString();
    return isDay ? text.slice(0, 10) : text.slice(0, wall % 1 ? 23 : 19);
  };
  const read = (text) => {
    const wall = Date.parse(isDay ? `${text}T00:00Z` : `${text}Z`) / 1000, whole = Math.floor(wall);
    return Number.isNaN(wall) ? NaN : instantOf(zone, whole) + (wall - whole);
  };
  return { element, write, read };
}
