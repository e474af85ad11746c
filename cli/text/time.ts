import { checkZone, offsetAt } from '../../shared/features/schedules/model/zone.ts';

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
] as const;

/** A length of time in its two largest units: `2h 5m`, `41s`, `350ms`. */
export function lengthText(ms: number): string {
  const rounded = Math.abs(Math.round(ms));
  if (rounded < 1_000) return `${rounded}ms`;
  const first = UNITS.findIndex(([, size]) => rounded >= size);
  const [unit, size] = UNITS[first] ?? ['s', 1_000];
  const whole = `${Math.floor(rounded / size)}${unit}`;
  const [nextUnit, nextSize] = UNITS[first + 1] ?? [undefined, 1];
  const rest = nextUnit === undefined ? 0 : Math.floor((rounded % size) / nextSize);
  return rest === 0 ? whole : `${whole} ${rest}${nextUnit}`;
}

/** Clock of a zone at an instant: `2026-01-31 14:05:09`. */
export function wallText(at: number, zone: string): string {
  return new Date(at + offsetAt(checkZone(zone), at)).toISOString().slice(0, 19).replace('T', ' ');
}

/** How long ago, or how long until: `3m 2s ago`, `in 5m`, `now`. */
export function agoText(at: number, now: number): string {
  const ms = now - at;
  if (Math.abs(ms) < 1_000) return 'now';
  return ms > 0 ? `${lengthText(ms)} ago` : `in ${lengthText(ms)}`;
}

/** The same in its largest unit alone, for lists: `3m ago`, `in 5m`. */
export function coarseAgo(at: number, now: number): string {
  return agoText(at, now).replace(/(\d+\w) \d+\w/, '$1');
}
