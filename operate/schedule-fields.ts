import { MISSED_POLICIES, OVERLAP_POLICIES, type ScheduleDefinition } from '../shared/features/schedules/model/definition.ts';
import type { ScheduleEdit } from '../shared/features/schedules/model/edit.ts';
import { DST_GAPS, DST_OVERLAPS } from '../shared/features/schedules/model/wall-time.ts';
import { defined } from '../shared/job/defined.ts';
import { instantMs } from '../shared/job/instant.ts';
import type { ArgumentFlag } from './verbs/verb.ts';

/** The name of a field: that of an edit, but for `dst`, which two fields make. */
type FieldName = Exclude<keyof ScheduleEdit, 'dst' | 'payload'> | 'dstGap' | 'dstOverlap';

/** A field of a schedule: its option on the command line, and its input in the console. */
export interface ScheduleField {
  readonly name: FieldName;
  /** `days`: a list. `instant` and `duration`: milliseconds. `whole`: a number. */
  readonly kind: 'text' | 'choice' | 'days' | 'instant' | 'duration' | 'whole';
  readonly flag: ArgumentFlag;
  /** The option that removes it. */
  readonly noneFlag?: ArgumentFlag;
  readonly choices?: readonly string[];
  /** It may be empty. */
  readonly optional?: true;
  readonly label: string;
  readonly placeholder?: string;
}

/** Values of fields; an absent one is empty. */
export type FieldValues = Readonly<Partial<Record<FieldName, string | number | readonly string[] | undefined>>>;

const FIELDS: Readonly<Record<FieldName, Omit<ScheduleField, 'name'>>> = {
  cron: {
    kind: 'text',
    flag: { flags: '--cron <expression>', doc: 'a cron expression, in place of --every' },
    label: 'Cron expression',
    placeholder: '30 2 * * *',
  },
  every: {
    kind: 'text',
    flag: { flags: '--every <repetition>', doc: 'an ISO-8601 repetition, such as PT1H, in place of --cron' },
    label: 'Every',
    placeholder: 'PT20M',
  },
  zone: { kind: 'text', flag: { flags: '--in-zone <zone>', doc: 'IANA time zone of its times' }, label: 'Time zone' },
  exclude: {
    kind: 'days',
    flag: { flags: '--exclude <day>', doc: 'a date, day of every year, range or weekday without an occurrence; give all of them' },
    noneFlag: { flags: '--no-exclude', doc: 'excludes no days' },
    optional: true,
    label: 'Excluded days',
    placeholder: 'SAT, SUN, 12-25, 2026-12-24/2027-01-02',
  },
  from: {
    kind: 'instant',
    flag: { flags: '--from <time>', doc: 'no occurrence before this time: 2h is in two hours' },
    noneFlag: { flags: '--no-from', doc: 'removes the bound of --from' },
    optional: true,
    label: 'No run before',
    placeholder: '2027-01-01T00:00:00Z',
  },
  until: {
    kind: 'instant',
    flag: { flags: '--until <time>', doc: 'no occurrence after this time' },
    noneFlag: { flags: '--no-until', doc: 'removes the bound of --until' },
    optional: true,
    label: 'No run after',
    placeholder: '2027-12-31T23:59:59Z',
  },
  maxRuns: {
    kind: 'whole',
    flag: { flags: '--max-runs <n>', doc: 'ends after this many planned runs' },
    noneFlag: { flags: '--no-max-runs', doc: 'removes the bound of --max-runs' },
    optional: true,
    label: 'Ends after this many runs',
  },
  missed: {
    kind: 'choice',
    flag: { flags: '--missed <policy>', doc: 'for missed occurrences' },
    choices: MISSED_POLICIES,
    label: 'When missed',
  },
  overlap: {
    kind: 'choice',
    flag: { flags: '--overlap <policy>', doc: 'while an earlier occurrence is not finished' },
    choices: OVERLAP_POLICIES,
    label: 'When the last one still runs',
  },
  jitter: {
    kind: 'duration',
    flag: { flags: '--jitter <duration>', doc: 'delays each occurrence by up to this long, at most a day' },
    noneFlag: { flags: '--no-jitter', doc: 'delays none' },
    optional: true,
    label: 'Jitter, up to',
    placeholder: 'PT5M',
  },
  dstGap: {
    kind: 'choice',
    flag: { flags: '--dst-gap <policy>', doc: 'for a time that a clock change skips; needs --dst-overlap' },
    noneFlag: { flags: '--no-dst', doc: 'the defaults for clock changes' },
    choices: DST_GAPS,
    optional: true,
    label: 'When a clock change skips its time',
  },
  dstOverlap: {
    kind: 'choice',
    flag: { flags: '--dst-overlap <policy>', doc: 'for a time that a clock change repeats; needs --dst-gap' },
    choices: DST_OVERLAPS,
    optional: true,
    label: 'When a clock change repeats its time',
  },
  tenant: {
    kind: 'text',
    flag: { flags: '--to-tenant <tenant>', doc: 'the tenant of its runs' },
    noneFlag: { flags: '--to-no-tenant', doc: 'its runs get no tenant' },
    optional: true,
    label: 'Tenant of its runs',
  },
};

/** The fields that operators give a schedule at run time, besides its payload. */
export const SCHEDULE_FIELDS: readonly ScheduleField[] = Object.entries(FIELDS).map(([name, field]) => ({
  name: name as FieldName,
  ...field,
}));

/** The values of a definition. */
export function fieldValues({ recurrence, missed, overlap, jitterMs, maxRuns, tenant }: ScheduleDefinition): FieldValues {
  const { cron, every, zone = 'UTC', exclude = [], from, until, dst } = recurrence;
  return {
    cron,
    every,
    zone,
    missed,
    overlap,
    maxRuns,
    tenant,
    exclude: exclude.length === 0 ? undefined : exclude,
    from: from === undefined ? undefined : instantMs(from, 'from'),
    until: until === undefined ? undefined : instantMs(until, 'until'),
    jitter: jitterMs === 0 ? undefined : jitterMs,
    dstGap: dst?.gap,
    dstOverlap: dst?.overlap,
  };
}

/** The edit that gives fields these values; absent ones stay as they are. */
export function editTo({ dstGap, dstOverlap, ...values }: FieldValues): ScheduleEdit {
  const dst = dstGap === undefined && dstOverlap === undefined ? undefined : defined({ gap: dstGap, overlap: dstOverlap });
  return defined({ ...values, dst }) as ScheduleEdit;
}

/** The edit that removes fields. */
export function removing(fields: readonly ScheduleField[]): ScheduleEdit {
  return Object.fromEntries(fields.map(({ name }) => [name === 'dstGap' || name === 'dstOverlap' ? 'dst' : name, null]));
}
