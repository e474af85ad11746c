import { defined } from '../../../job/defined.ts';
import { InvalidInputError } from '../../../job/errors.ts';
import { type Instant, instantMs } from '../../../job/instant.ts';
import { checkOptions } from '../../../job/names.ts';
import { type Cron, parseCron, SEARCH_MS } from './cron.ts';
import { type Exclusions, isExcluded, lastOfDay, parseExclusions } from './exclusions.ts';
import { type Anchored, isCalendar, nextRepetition, parseRepetition, type Repetition } from './repetition.ts';
import { DST_GAPS, DST_OVERLAPS, type DstMark, type DstPolicy, nextCron, type Occurrence } from './wall-time.ts';
import { checkZone, offsetAt } from './zone.ts';

/** When a schedule recurs. Give either `cron` or `every`. */
export interface RecurrenceInput {
  /** A cron expression of five fields, of six with seconds first, or a name such as `@daily`; see docs/guides/schedules.md. */
  readonly cron?: string;
  /** An ISO-8601 repetition or period: `R/PT1H`, `R5/2026-01-01T00:00:00Z/P1D`, `P1M`. */
  readonly every?: string;
  /** IANA time zone in which the times are meant. Default `UTC`. */
  readonly zone?: string;
  /**
   * What to do about times that a clock change skips (`gap`) or repeats (`overlap`). Default `shift` and `first`; `overlap` is `both` for a
   * cron expression with an open hour, such as `*` or a step over the whole day.
   */
  readonly dst?: Partial<DstPolicy>;
  /** No occurrence before this instant. `every` without a start counts from it. */
  readonly from?: Instant;
  /** No occurrence whose time is after this instant. */
  readonly until?: Instant;
  /**
   * Days without an occurrence, by the zone's clocks: dates (`2026-12-25`), days of every year (`12-25`), ranges of either
   * (`2026-12-24/2027-01-02`) and weekdays (`SAT`). At most 366 entries.
   */
  readonly exclude?: readonly string[];
}

/** What `parseRecurrence` made of an input. */
export type Recurrence = {
  readonly zone: string;
  readonly dst: DstPolicy;
  readonly from?: number;
  readonly until?: number;
  readonly exclude?: Exclusions;
} & ({ readonly kind: 'cron'; readonly cron: Cron } | { readonly kind: 'repetition'; readonly repetition: Repetition });

/** An occurrence as an operator sees it: `wall` is what the zone's clocks show. */
export interface PreviewedOccurrence {
  readonly at: Date;
  readonly wall: string;
  readonly mark?: DstMark;
}

/** The options of a recurrence, for those that take them among others. */
export const RECURRENCE_OPTIONS = ['cron', 'every', 'zone', 'dst', 'from', 'until', 'exclude'] as const;

/** Reads a recurrence; throws InvalidInputError that names the field and the fix. */
export function parseRecurrence(input: RecurrenceInput): Recurrence {
  const zone = checkZone(input.zone ?? 'UTC');
  const [from, until] = [optionalInstant(input.from, 'from'), optionalInstant(input.until, 'until')];
  if (from !== undefined && until !== undefined && until < from) {
    throw new InvalidInputError('until', input.until, 'It is before from. Use a later instant.');
  }
  const exclude = input.exclude === undefined ? undefined : parseExclusions(input.exclude);
  const bounds = { zone, ...defined({ from, until, exclude }) };
  if ((input.cron === undefined) === (input.every === undefined)) {
    throw new InvalidInputError('cron', input.cron, 'Give either cron, such as 30 2 * * *, or every, such as R/PT1H.');
  }
  if (input.cron !== undefined) {
    const cron = parseCron(input.cron);
    return { kind: 'cron', cron, dst: parseDst(input.dst, cron.everyHour ? 'both' : 'first'), ...bounds };
  }
  const repetition = parseRepetition(input.every);
  const dst = parseDst(input.dst, 'first');
  if (dst.overlap === 'both' && isCalendar(repetition.period)) {
    throw new InvalidInputError('dst.overlap', 'both', 'A repetition comes once a period. Use first or second, or a cron expression.');
  }
  if (repetition.start !== undefined && from !== undefined) {
    throw new InvalidInputError('from', input.from, 'The repetition names its start already. Leave one of them out.');
  }
  return { kind: 'repetition', repetition: from === undefined ? repetition : { ...repetition, start: from }, dst, ...bounds };
}

/** As `parseRecurrence`; refuses also exclusions that leave no occurrence. Those of single dates count only if the recurrence names its start. */
export function checkRecurrence(input: RecurrenceInput): Recurrence {
  const recurrence = parseRecurrence(input);
  if (recurrence.exclude !== undefined && excludesAll(recurrence, recurrence.exclude)) {
    throw new InvalidInputError('exclude', input.exclude, 'No occurrence is left. Exclude fewer days.');
  }
  return recurrence;
}

function excludesAll(recurrence: Recurrence, exclude: Exclusions): boolean {
  const start = recurrence.kind === 'cron' ? recurrence.from : recurrence.repetition.start;
  if (start !== undefined) {
    return nextTime(recurrence, start - 1, start) !== undefined && nextOccurrence(recurrence, start - 1, start) === undefined;
  }
  const { zone, dst } = recurrence;
  const cron = recurrence.kind === 'cron' ? recurrence.cron : parseCron('@daily');
  return nextOccurrence({ kind: 'cron', cron, zone, dst, exclude: { ...exclude, dates: [] } }, Date.UTC(2000, 0), 0) === undefined;
}

/**
 * The first occurrence after an instant (epoch milliseconds), or undefined when there is none, or when all times of decades are excluded.
 * `anchor` is when the schedule was made: a repetition without a start counts from it.
 */
export function nextOccurrence(recurrence: Recurrence, after: number, anchor: number): Occurrence | undefined {
  const { exclude, zone } = recurrence;
  const first = nextTime(recurrence, after, anchor);
  if (first === undefined || exclude === undefined) return first;
  const end = first.at + SEARCH_MS;
  let found: Occurrence | undefined = first;
  while (found !== undefined && isExcluded(exclude, zone, found.at)) {
    found = found.at < end ? nextTime(recurrence, lastOfDay(zone, found.at), anchor) : undefined;
  }
  return found;
}

/** The first time of a recurrence after an instant, on an excluded day or not. */
function nextTime(recurrence: Recurrence, after: number, anchor: number): Occurrence | undefined {
  const { from = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY, zone, dst } = recurrence;
  const behind = Math.max(after, from - 1);
  const found =
    recurrence.kind === 'cron'
      ? nextCron(recurrence.cron, zone, dst, behind)
      : nextRepetition(anchored(recurrence.repetition, recurrence, anchor), behind);
  return found !== undefined && found.at <= until ? found : undefined;
}

function anchored(repetition: Repetition, { zone, dst }: Recurrence, anchor: number): Anchored {
  return { ...repetition, zone, dst, anchor: repetition.start ?? anchor };
}

/** Where the first search of a new schedule starts. Only a bounded repetition counts its past occurrences. */
export function searchFrom(recurrence: Recurrence, now: number): number {
  if (recurrence.kind !== 'repetition' || recurrence.repetition.count === undefined) return now;
  return Math.min(now, (recurrence.repetition.start ?? now) - 1);
}

/** The next occurrences after an instant, at most `count`. */
export function preview(recurrence: Recurrence, after: number, count: number, anchor: number = after): readonly PreviewedOccurrence[] {
  if (!Number.isInteger(count) || count < 1 || count > 1_000)
    throw new InvalidInputError('count', count, 'Use a whole number from 1 to 1000.');
  const found: PreviewedOccurrence[] = [];
  for (
    let next = nextOccurrence(recurrence, after, anchor);
    next && found.length < count;
    next = nextOccurrence(recurrence, next.at, anchor)
  ) {
    const wall = new Date(next.at + offsetAt(recurrence.zone, next.at)).toISOString().slice(0, 19);
    found.push({ at: new Date(next.at), wall, ...defined({ mark: next.mark }) });
  }
  return found;
}

function optionalInstant(value: Instant | undefined, field: string): number | undefined {
  return value === undefined ? undefined : instantMs(value, field);
}

function parseDst(given: Partial<DstPolicy> | undefined, overlap: DstPolicy['overlap']): DstPolicy {
  const dst = given ?? {};
  checkOptions(dst, ['gap', 'overlap'], 'dst');
  return {
    gap: oneOf('dst.gap', dst.gap ?? 'shift', DST_GAPS),
    overlap: oneOf('dst.overlap', dst.overlap ?? overlap, DST_OVERLAPS),
  };
}

/** One of a few words; refuses every other. */
export function oneOf<Choice extends string>(field: string, value: unknown, choices: readonly Choice[]): Choice {
  const found = choices.find((one) => one === value);
  if (found === undefined) throw new InvalidInputError(field, value, `Use one of: ${choices.join(', ')}.`);
  return found;
}
