import { InvalidInputError } from '../../../job/errors.ts';
import { DAY_OF_WEEK } from './cron-field.ts';

/** Where a cron expression comes from: `quartz` is also the dialect of Flowable and of Camunda up to 7.23, `eventbridge` that of AWS. */
export type CronDialect = 'quartz' | 'eventbridge';

const FORMS = {
  quartz: 'Use 6 fields with seconds first, and * as the year if there is one: 0 0 12 ? * 2-6.',
  eventbridge: 'Use 6 fields with * as the year, with or without cron(...): cron(0 12 ? * 2-6 *).',
} as const;
const CONVERT = 'Here an expression has no year, and day 1 is Monday: write 0 12 * * MON-FRI, or convert it with cronFrom.';

/**
 * Converts a cron expression of Quartz, Flowable, Camunda up to 7.23 or EventBridge. Those count the days of the week from 1 for Sunday, so
 * numbers become names: `cronFrom('quartz', '0 0 12 ? * 2')` is `0 0 12 ? * MON`. A year other than `*`, and the days
 * of the month `W` and `L-3`, are refused.
 */
export function cronFrom(dialect: CronDialect, expression: string): string {
  const form = FORMS[dialect] as string | undefined;
  if (form === undefined) throw new InvalidInputError('dialect', dialect, 'Use quartz or eventbridge.');
  if (typeof expression !== 'string' || expression.length > 256) throw new InvalidInputError('cron', expression, form);
  const text = expression.trim().toUpperCase();
  const parts = (dialect === 'quartz' ? text : text.replace(/^CRON\((.*)\)$/, '$1').trim()).split(/\s+/);
  const fields = dialect === 'quartz' ? 6 : 5;
  const year = parts[fields] ?? (dialect === 'quartz' ? '*' : undefined);
  if (parts.length < fields || parts.length > fields + 1 || year !== '*') throw new InvalidInputError('cron', expression, form);
  refuseSpecialDays(parts[fields - 3] ?? '', expression);
  return [...parts.slice(0, fields - 1), namedDays(parts[fields - 1] ?? '', expression)].join(' ');
}

/** Days of the month that are counted from working days or from the end: nothing here means the same. */
function refuseSpecialDays(field: string, expression: string): void {
  const special = field.split(',').find((part) => /W|^L-/.test(part));
  if (special === undefined) return;
  const fix = `In day of month there is neither the nearest weekday (W) nor a day before the last (L-3), as in ${special}. Use a day or L, and exclude weekends.`;
  throw new InvalidInputError('cron', expression, fix);
}

/** A field of days with names in place of numbers. Ranges and steps become lists: the last day of the week differs too. */
function namedDays(field: string, expression: string): string {
  if (field === '*' || field === '?') return field;
  return field
    .split(',')
    .map((part) => {
      const special = part === 'L' ? ['L', '7', ''] : /^(\w+?)(#[1-5]|L)$/.exec(part);
      if (special) return `${nameOf(special[1] ?? '', expression)}${special[2] ?? ''}`;
      const [, first = '', last, step = '1'] = /^(\*|\w+)(?:-(\w+))?(?:\/([1-9]))?$/.exec(part) ?? [];
      const from = first === '*' ? 0 : dayOf(first, expression);
      const alone = last === undefined && first !== '*' && !part.includes('/');
      const through = last === undefined ? (alone ? from : 6) : dayOf(last, expression);
      const length = (through < from ? through + 7 : through) - from;
      const days = Array.from({ length: Math.floor(length / Number(step)) + 1 }, (_, index) => (from + index * Number(step)) % 7);
      return days.map((day) => DAY_OF_WEEK[day]).join(',');
    })
    .join(',');
}

function nameOf(day: string, expression: string): string {
  return DAY_OF_WEEK[dayOf(day, expression)] ?? '';
}

/** The day as 0 for Sunday. */
function dayOf(text: string, expression: string): number {
  const named = DAY_OF_WEEK.indexOf(text);
  if (named < 0 && !/^[1-7]$/.test(text)) {
    throw new InvalidInputError('cron', expression, 'In day of week use 1 (Sunday) to 7, or SUN to SAT.');
  }
  return named < 0 ? Number(text) - 1 : named;
}

/**
 * Refuses the form of EventBridge, with the fix. Each of its expressions has a `?` where six fields here have the hour or the month:
 * read with seconds first, `0 12 * * ? *` would come 12 minutes past every hour.
 */
export function refuseEventBridge(text: string, field: string): void {
  const wrapped = /^\s*(cron|rate|at)\(/i.exec(text)?.[1]?.toLowerCase();
  const parts = text.trim().split(/\s+/);
  const yearLast = parts.length === 6 && (parts[2] === '?' || parts[4] === '?' || /^\d{4}\b/.test(parts[5] ?? ''));
  if (wrapped === undefined && !yearLast) return;
  const fix = wrapped === 'rate' ? 'Use every, such as PT5M.' : wrapped === 'at' ? 'Enqueue a job with runAt.' : CONVERT;
  throw new InvalidInputError(field, text, `This looks like an EventBridge expression. ${fix}`);
}
