import { InvalidInputError } from '../../../job/errors.ts';

/** A change of a zone's offset: from `at` (epoch milliseconds) on its clocks are `after` ms ahead of UTC, until then `before`. */
export interface Transition {
  readonly at: number;
  readonly before: number;
  readonly after: number;
}

interface Zone {
  readonly format: Intl.DateTimeFormat;
  readonly years: Map<number, Year>;
}

/** The offset at the beginning of a year, and its changes. Asking the runtime for each instant would cost a hundred times as much. */
interface Year {
  readonly offset: number;
  readonly transitions: readonly Transition[];
}

const ZONE_NAME = /^[A-Za-z][A-Za-z0-9_+\-/]{0,63}$/;
const DAY_MS = 86_400_000;
const zones = new Map<string, Zone>();

/** Refuses a zone that the runtime's time zone data does not contain. */
export function checkZone(name: unknown, field = 'zone'): string {
  if (typeof name === 'string' && ZONE_NAME.test(name) && load(name) !== undefined) return name;
  throw new InvalidInputError(field, name, 'Use a name of the IANA time zone data, such as Europe/Berlin or UTC.');
}

/** How far a zone's clocks are ahead of UTC at an instant, in milliseconds. */
export function offsetAt(name: string, at: number): number {
  if (name === 'UTC') return 0;
  const { offset, transitions } = ofYear(name, new Date(at).getUTCFullYear());
  return transitions.findLast((change) => change.at <= at)?.after ?? offset;
}

function askRuntime(name: string, at: number): number {
  const second = Math.floor(at / 1000) * 1000;
  const parts: Record<string, number> = {};
  for (const { type, value } of zone(name).format.formatToParts(second)) parts[type] = Number(value);
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: ofMinute = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, ofMinute) - second;
}

/** Changes of offset with `from < at <= through`, in order. A zone's years are looked at once a process. */
export function transitionsBetween(name: string, from: number, through: number): readonly Transition[] {
  if (name === 'UTC') return [];
  const found: Transition[] = [];
  for (let year = new Date(from).getUTCFullYear(); year <= new Date(through).getUTCFullYear(); year++) {
    for (const one of ofYear(name, year).transitions) if (one.at > from && one.at <= through) found.push(one);
  }
  return found;
}

function load(name: string): Zone | undefined {
  const known = zones.get(name);
  if (known) return known;
  try {
    const numeric = '2-digit';
    const fields = { year: 'numeric', month: numeric, day: numeric, hour: numeric, minute: numeric, second: numeric } as const;
    // The era is never shown: schedules are after 1970.
    const format = new Intl.DateTimeFormat('en-US', { timeZone: name, calendar: 'gregory', hourCycle: 'h23', ...fields });
    const loaded: Zone = { format, years: new Map() };
    zones.set(name, loaded);
    return loaded;
  } catch {
    return undefined;
  }
}

function zone(name: string): Zone {
  const loaded = load(name);
  if (loaded === undefined) throw new InvalidInputError('zone', name, 'Use a name of the IANA time zone data, such as Europe/Berlin.');
  return loaded;
}

/** Offsets are compared day by day; no zone has changed its offset twice within a day since 1970. */
function ofYear(name: string, year: number): Year {
  const { years } = zone(name);
  const known = years.get(year);
  if (known) return known;
  const transitions: Transition[] = [];
  const end = Date.UTC(year + 1, 0);
  const offset = askRuntime(name, Date.UTC(year, 0));
  let before = offset;
  for (let day = Date.UTC(year, 0); day < end; day += DAY_MS) {
    const after = askRuntime(name, day + DAY_MS);
    if (after !== before) transitions.push({ at: changeBetween(name, day, day + DAY_MS), before, after });
    before = after;
  }
  const found = { offset, transitions };
  years.set(year, found);
  return found;
}

function changeBetween(name: string, start: number, end: number): number {
  const before = askRuntime(name, start);
  let [low, high] = [start / 1000, end / 1000];
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (askRuntime(name, middle * 1000) === before) low = middle;
    else high = middle;
  }
  return high * 1000;
}
