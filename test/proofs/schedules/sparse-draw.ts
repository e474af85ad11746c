import type { Entropy } from '../../../shared/ports/entropy.ts';
import type { SparseTimes } from './sparse-oracle.ts';

const MONTHS = ['JAN', 'FEB', 'MAR', 'APR', 'MAY', 'JUN', 'JUL', 'AUG', 'SEP', 'OCT', 'NOV', 'DEC'];
const DAYS = ['SUN', 'MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'];
const range = (from: number, through: number, step = 1): readonly number[] =>
  Array.from({ length: Math.max(0, Math.floor((through - from) / step) + 1) }, (_, index) => from + index * step);

interface DayPart {
  readonly text: readonly [string, string];
  readonly day: SparseTimes['day'];
}

/** An expression that seldom comes, near the hour, day and month that the clocks of a zone show (`wall`, in minutes) when they change. */
export function drawSparse(entropy: Entropy, wall: number): SparseTimes {
  const below = (count: number): number => Math.floor(entropy.random() * count);
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)] as Value;
  const date = new Date(wall * 60_000);
  const hour = (date.getUTCHours() + pick([-1, 0, 0, 0, 0, 1]) + 24) % 24;
  const month = (date.getUTCMonth() + pick([11, 0, 0, 0, 0, 0, 1, 6])) % 12;
  const [minuteText, minutes] = drawMinutes(below, pick);
  const [hourText, hours, open] = drawHours(hour, pick);
  const [monthText, months] = drawMonths(month, pick);
  const ofChange = drawDay(date.getUTCDay(), Math.ceil(date.getUTCDate() / 7), pick);
  const day = pick([ofChange, ofChange, drawDay(below(7), 1 + below(5), pick)]);
  const cron = [minuteText, hourText, day.text[0], monthText, day.text[1]].join(' ');
  return { cron, minutes: new Set(minutes), hours: new Set(hours), open, months: new Set(months), day: day.day };
}

type Pick = <Value>(values: readonly Value[]) => Value;

function drawMinutes(below: (count: number) => number, pick: Pick): readonly [string, readonly number[]] {
  const minute = below(60);
  const step = pick([10, 15, 20, 25]);
  return pick<readonly [string, readonly number[]]>([
    [String(minute), [minute]],
    ['0', [0]],
    ['59', [59]],
    [`*/${step}`, range(0, 59, step)],
    [`${minute}/${step}`, range(minute, 59, step)],
    [`${minute},${(minute + 31) % 60}`, [minute, (minute + 31) % 60]],
  ]);
}

function drawHours(hour: number, pick: Pick): readonly [string, readonly number[], boolean] {
  const until = Math.min(23, hour + 2);
  return pick<readonly [string, readonly number[], boolean]>([
    ...Array.from({ length: 6 }, () => [String(hour), [hour], false] as const),
    [`${hour}-${until}`, range(hour, until), hour === 0 && until === 23],
    [`${hour}/2`, range(hour, 23, 2), hour === 0],
    ['?', range(0, 23), true],
    ['0-23', range(0, 23), true],
    ['*/3', range(0, 23, 3), true],
  ]);
}

function drawMonths(month: number, pick: Pick): readonly [string, readonly number[]] {
  const one = month + 1;
  const [earlier, later] = [Math.max(1, one - 6), Math.min(12, one + 6)];
  return pick<readonly [string, readonly number[]]>([
    [String(one), [one]],
    [MONTHS[month] ?? '', [one]],
    [`${one}-${later}`, range(one, later)],
    [`${earlier}-${one}`, range(earlier, one)],
    ['*', range(1, 12)],
  ]);
}

function drawDay(weekday: number, nth: number, pick: Pick): DayPart {
  const name = DAYS[weekday] ?? '';
  return pick<DayPart>([
    { text: ['*', name], day: ({ week }) => week === weekday },
    { text: ['?', name], day: ({ week }) => week === weekday },
    { text: ['?', `${name}#${nth}`], day: ({ week, month }) => week === weekday && Math.ceil(month / 7) === nth },
    { text: ['*', `${name}L`], day: ({ week, month, length }) => week === weekday && month > length - 7 },
    { text: ['L', '?'], day: ({ month, length }) => month === length },
    { text: ['25-31', '*'], day: ({ month }) => month >= 25 },
    { text: ['13', name], day: ({ week, month }) => week === weekday || month === 13 },
    { text: ['*', '*'], day: () => true },
  ]);
}
