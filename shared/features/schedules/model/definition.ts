import { defined } from '../../../job/defined.ts';
import { type Duration, durationMs } from '../../../job/duration.ts';
import { Described, InvalidInputError, kindOf, PayloadTooLargeError, shown } from '../../../job/errors.ts';
import { sha256 } from '../../../job/hash.ts';
import { iso } from '../../../job/instant.ts';
import { utf8Bytes } from '../../../job/size-limits.ts';
import type { AnyJobType, JobType } from '../../../job/job-type.ts';
import { checkOptions, checkPriority, checkText, checkTypeName } from '../../../job/names.ts';
import { encodePayload } from '../../../job/payload.ts';
import { formatRetryPolicy, parseRetryPolicy, type RetryInput } from '../../../job/retry-policy.ts';
import { validatePayloadNow } from '../../../job/validate.ts';
import { validateStoredNow } from '../../../job/validate-stored.ts';
import { checkRecurrence, oneOf, parseRecurrence, RECURRENCE_OPTIONS, type RecurrenceInput } from './recurrence.ts';

/** What happens to occurrences that were missed: one run for all of them, a run for each, or none. */
export const MISSED_POLICIES = ['coalesce', 'all', 'skip'] as const;
export type MissedPolicy = (typeof MISSED_POLICIES)[number];

/**
 * What happens to an occurrence while an earlier one of its schedule has not finished: it runs concurrently, is skipped, waits, waits unless one
 * waits already, or cancels the earlier one.
 */
export const OVERLAP_POLICIES = ['allow', 'skip', 'queue', 'buffer-one', 'cancel-other'] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** Options of a schedule: its job, its times and its policies. */
export interface ScheduleOptions<Input = unknown> extends RecurrenceInput {
  /** The job type that the schedule enqueues. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what the schema makes of the payload is the type's own affair
  readonly job: JobType<Input, any>;
  /** The payload of its jobs, at most 64 KB. A handler finds the time of its occurrence in `job.nominalAt`. */
  readonly payload: NoInfer<Input>;
  /**
   * What to do about missed occurrences: those that fire, or find an executor, more than a minute after their time and `jitter`. What
   * excuses a delay, and the policies: docs/guides/schedules.md. Default `coalesce`.
   */
  readonly missed?: MissedPolicy;
  /**
   * What to do with an occurrence while another one has started and not ended: `allow`, `skip`, `queue`, `buffer-one` or `cancel-other`; see
   * docs/guides/schedules.md. Default `allow`.
   */
  readonly overlap?: OverlapPolicy;
  /** Delays each occurrence by up to this much, derived from the schedule's name and the time. At most a day. Default none. */
  readonly jitter?: Duration;
  /** The schedule ends when this many of its occurrences have become jobs, without those that an operator started. Another recurrence, `exclude` apart, or another jitter counts from 0. */
  readonly maxRuns?: number;
  /** Tenant of the jobs. */
  readonly tenant?: string;
  /** Priority of the jobs. Default: the type's, then the worker's, then 0. */
  readonly priority?: number;
  /** Group of the jobs. Default: the type's, or with `overlap: 'queue'` the schedule's own. */
  readonly group?: string;
  /** Correlation id of the jobs. */
  readonly correlationId?: string;
  /** Retry policy of the jobs, instead of `retry` of the type. */
  readonly retry?: RetryInput;
}

/** A schedule as plain JSON: what travels from code to Control. `defineSchedule` makes it. */
export interface ScheduleDefinition {
  readonly name: string;
  readonly type: string;
  readonly worker: string;
  readonly schemaVersion: number;
  /** JSON text. */
  readonly payload: string;
  readonly recurrence: RecurrenceInput;
  readonly missed: MissedPolicy;
  readonly overlap: OverlapPolicy;
  readonly jitterMs: number;
  readonly maxRuns?: number;
  readonly tenant?: string;
  /** Absent when neither the schedule nor its type gives one. */
  readonly priority?: number;
  readonly priorityFrom?: 'type' | 'option';
  readonly group?: string;
  readonly inheritGroup?: boolean;
  readonly correlationId?: string;
  readonly retry?: string;
}

/** The file next to the acquirer's bundle that contains the schedules declared in code. */
export const DECLARED_SCHEDULES_FILE = 'schedules.json';

const OPTIONS = ['job', 'payload', 'missed', 'overlap', 'jitter', 'maxRuns', 'tenant', 'priority', 'group', 'correlationId', 'retry'];
const SCHEDULE_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;
const DAY_MS = 86_400_000;
/** The payload that says nothing. */
export const EMPTY_PAYLOAD = '{}';
/** Smaller than a job's: it is stored as JSON in the schedule's row, which each firing rewrites. */
const PAYLOAD_BYTES = 64 * 1024;

/** Refuses a name that is not letters, digits and `._:-`. */
export function checkScheduleName(name: unknown, field = 'name'): string {
  if (typeof name === 'string' && SCHEDULE_NAME.test(name)) return name;
  throw new InvalidInputError(field, name, 'Use letters, digits or . _ : - (at most 128), such as nightly-report.');
}

/**
 * Defines a schedule; the JobExecutor construct (`schedules`) or `admin.schedules.put` makes it run. Throws InvalidInputError,
 * naming the field and the fix, for what could never run: a zone or day that does not exist, a payload that its type refuses.
 */
export function defineSchedule<Input>(name: string, options: ScheduleOptions<Input>): ScheduleDefinition {
  checkScheduleName(name);
  checkOptions(options, [...OPTIONS, ...RECURRENCE_OPTIONS], 'options');
  const type = options.job as unknown as AnyJobType | undefined;
  if (typeof type?.traits !== 'function') throw new InvalidInputError('job', kindOf(type), 'Give a job type that defineJob made.');
  const { cron, every, zone, dst, from, until, exclude } = options;
  const recurrence = defined({ cron, every, zone, dst, from, until, exclude }) as RecurrenceInput;
  const { from: parsedFrom, until: parsedUntil } = parseRecurrence(recurrence);
  const output = validatePayloadNow(type.schema, type.name, options.payload);
  const payload = encodePayload(options.payload);
  checkClear(type.name, type.codec?.name, payload);
  validateStoredNow(type.schema, type.name, payload);
  const traits = type.traits(output as never);
  const jitterMs = options.jitter === undefined ? 0 : durationMs(options.jitter, 'jitter');
  const retry = options.retry === undefined ? traits.retry : formatRetryPolicy(parseRetryPolicy(options.retry));
  return checkScheduleDefinition(
    defined({
      name,
      type: type.name,
      worker: type.worker,
      schemaVersion: type.schemaVersion,
      payload,
      // As texts, so that the same schedule is the same JSON.
      recurrence: { ...recurrence, ...defined({ from: parsedFrom && iso(parsedFrom), until: parsedUntil && iso(parsedUntil) }) },
      missed: options.missed ?? 'coalesce',
      overlap: options.overlap ?? 'allow',
      jitterMs,
      maxRuns: options.maxRuns,
      tenant: checkText(options.tenant, 'tenant'),
      priority: options.priority === undefined ? traits.priority : checkPriority(options.priority),
      priorityFrom: options.priority !== undefined ? 'option' : traits.priority === undefined ? undefined : 'type',
      group: options.group === undefined ? traits.group : checkText(options.group, 'group'),
      inheritGroup: traits.inheritGroup,
      correlationId: checkText(options.correlationId, 'correlationId'),
      retry,
    }),
  );
}

/** A schedule lies in the template of its stack, in the tables and in lists as it is: what its type would encode must not be in it. */
export function checkClear(type: string, codec: string | undefined, payload: string): void {
  if (codec === undefined || payload === EMPTY_PAYLOAD) return;
  const fix = 'A schedule is stored as it is. Give {}, or schedule a type without a codec whose handler enqueues this one.';
  throw new InvalidInputError('payload', new Described(`a payload of job type ${shown(type)}, which codec ${shown(codec)} encodes,`), fix);
}

/** A definition that was JSON in between; throws InvalidInputError for what `defineSchedule` would not have made. */
export function checkScheduleDefinition(value: unknown): ScheduleDefinition {
  const definition = checkUntimed(value);
  checkOptions(definition.recurrence, RECURRENCE_OPTIONS, 'recurrence');
  checkRecurrence(definition.recurrence);
  return definition;
}

/** As `checkScheduleDefinition`, for code that plans nothing: the recurrence is taken as it is, so that no cron parser is needed. */
export function checkUntimed(value: unknown): ScheduleDefinition {
  checkOptions(value, DEFINITION_FIELDS, 'schedule');
  const definition = value as ScheduleDefinition;
  const { name, jitterMs, maxRuns, overlap, group } = definition;
  checkScheduleName(name);
  checkTypeName(definition.type);
  oneOf('missed', definition.missed, MISSED_POLICIES);
  oneOf('overlap', overlap, OVERLAP_POLICIES);
  if (typeof definition.payload !== 'string') throw new InvalidInputError('payload', definition.payload, 'Use JSON text.');
  const bytes = utf8Bytes(definition.payload);
  if (bytes > PAYLOAD_BYTES) throw new PayloadTooLargeError(bytes, PAYLOAD_BYTES);
  if (!(Number.isInteger(jitterMs) && jitterMs >= 0 && jitterMs <= DAY_MS)) {
    throw new InvalidInputError('jitter', jitterMs, 'Use at most a day, such as PT5M.');
  }
  if (maxRuns !== undefined && !(Number.isSafeInteger(maxRuns) && maxRuns >= 1)) {
    throw new InvalidInputError('maxRuns', maxRuns, 'Use a whole number, 1 or more; leave it out for no end.');
  }
  if (overlap === 'queue' && group !== undefined) {
    throw new InvalidInputError('overlap', 'queue', `It makes the schedule a group, and its jobs have one already (${group}). Use allow.`);
  }
  return definition;
}

const DEFINITION_FIELDS =
  'name type worker schemaVersion payload recurrence missed overlap jitterMs maxRuns tenant priority priorityFrom group inheritGroup correlationId retry'.split(
    ' ',
  );

/** Schedules that code declares, as they were JSON in between; throws InvalidInputError also when two have one name. */
export function checkScheduleDefinitions(values: unknown): readonly ScheduleDefinition[] {
  if (!Array.isArray(values)) throw new InvalidInputError('schedules', values, 'Give an array of schedules, made by defineSchedule.');
  const names = new Set<string>();
  return values.map((value: unknown, index) => {
    const definition = checkScheduleDefinition(value);
    if (names.has(definition.name))
      throw new InvalidInputError(`schedules.${index}`, definition.name, 'Two schedules have this name. Rename one.');
    names.add(definition.name);
    return definition;
  });
}

/** Identifies a definition; the same for equal definitions in every process. */
export function definitionHash(definition: ScheduleDefinition): string {
  return sha256(JSON.stringify(definition));
}
