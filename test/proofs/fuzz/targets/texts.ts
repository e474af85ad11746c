import fc from 'fast-check';
import { durationMs, isoDuration, MAX_DURATION_MS } from '../../../../shared/job/duration.ts';
import { dueTime, instantMs, iso } from '../../../../shared/job/instant.ts';
import { checkJobId, dueAtOf, makeJobId, shardOf, shardsOf } from '../../../../shared/job/job-id.ts';
import { checkOptions, checkPriority, checkText, checkTypeName, checkWorkerName } from '../../../../shared/job/names.ts';
import { formatRetryPolicy, parseRetryPolicy, retryDelayMs } from '../../../../shared/job/retry-policy.ts';
import { checkScheduleDefinitions } from '../../../../shared/features/schedules/model/definition.ts';
import { nextOccurrence, parseRecurrence, type RecurrenceInput } from '../../../../shared/features/schedules/model/recurrence.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { hostileTree, materialise } from '../hostile-values.ts';
import { settled } from '../typed-errors.ts';

const NOW = Date.UTC(2026, 0, 1);
// oxfmt-ignore
const TOKENS = ['P', 'T', 'R', '/', ',', '1', '0', '9', '5', '.', 'W', 'D', 'H', 'M', 'S', 'Y', '-', '+', ':', 'Z', ' ', '\n', '٣', '2026-01-01', 'T00:00:00', '02-30',
  'PT5M', 'P1D', 'R3/', 'exponential(', 'tries=', 'base=', 'factor=', 'max=', ')', '(', '=', 'never', 'e', 'x', '__proto__', 'a', '%', '\u0000',
  '*', '?', '#', '*/5', '1-5', 'MON', 'JAN', 'L', '* * * *', '0 0 ', '@daily', 'Europe/Berlin', 'UTC'];

/** Texts close to the grammars that users write, and arbitrary other texts. */
const asked = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.array(fc.constantFrom(...TOKENS), { maxLength: 12 }).map((parts) => parts.join('')),
    fc.tuple(fc.constantFrom(...TOKENS), fc.nat(100_000)).map(([token, times]) => token.repeat(times)),
    fc.double(),
    fc.string({ unit: 'binary' }),
    hostileTree({ traps: false }),
  );

const must = (holds: boolean, what: string): void => {
  if (!holds) throw new Error(what);
};

/** A recurrence that was taken comes after now, if it comes at all, and never twice at a time. */
function comesLater(input: RecurrenceInput): void {
  const recurrence = parseRecurrence(input);
  const first = nextOccurrence(recurrence, NOW, NOW);
  const second = first && nextOccurrence(recurrence, first.at, NOW);
  must(first === undefined || first.at > NOW, 'it comes in the past');
  must(first === undefined || second === undefined || second.at > first.at, 'it comes twice');
}

/** Reads one input as everything that is written as a text. */
const READERS: Readonly<Record<string, (value: never) => void>> = {
  duration(value) {
    const ms = durationMs(value, 'field');
    must(Number.isInteger(ms) && ms >= 0 && ms <= MAX_DURATION_MS, `${ms} is no duration`);
    must(durationMs(isoDuration(ms), 'field') === ms, `${isoDuration(ms)} reads back as another duration`);
  },
  instant(value) {
    const ms = instantMs(value, 'field');
    must(Number.isInteger(ms), `${ms} is no instant`);
    if (typeof value === 'string') must(instantMs(iso(ms), 'field') === ms, `${iso(ms)} reads back as another instant`);
  },
  'due time'(value) {
    const dueAt = Math.max(dueTime({ runAt: value }, NOW), dueTime({ delay: 'PT1S' }, NOW));
    must(dueAtOf(makeJobId(dueAt, new Uint8Array(10))) === dueAt, 'the id says another due time');
  },
  delay(value) {
    const dueAt = dueTime({ delay: value }, NOW);
    must(dueAtOf(makeJobId(dueAt, new Uint8Array(10))) === dueAt, 'the id says another due time');
  },
  'retry policy'(value) {
    const policy = parseRetryPolicy(value);
    const text = formatRetryPolicy(policy);
    must(formatRetryPolicy(parseRetryPolicy(text)) === text, `${text} reads back as another policy`);
    for (const failures of [1, 2, policy.tries - 1, policy.tries]) {
      const delay = retryDelayMs(policy, failures, 0.999);
      const fits =
        failures >= policy.tries ? delay === undefined : Number.isInteger(delay) && (delay ?? -1) >= 0 && (delay ?? 0) <= MAX_DURATION_MS;
      must(failures < 1 || fits, `${String(delay)} is no delay after failure ${failures}`);
    }
  },
  id(value) {
    const id = checkJobId(value);
    must(shardsOf().includes(shardOf(id)), `${shardOf(id)} is no shard`);
    must(
      makeJobId(dueAtOf(id), Buffer.from(id.replaceAll('-', '').slice(13), 'hex')).startsWith(id.slice(0, 13)),
      'the id says another time',
    );
  },
  'type name': (value) => must(checkTypeName(value) === value, 'another name'),
  'worker name': (value) => must(checkWorkerName(value) === value, 'another name'),
  text: (value) => must(checkText(value, 'group')?.isWellFormed() !== false, 'half a character'),
  priority: (value) => must(Number.isSafeInteger(checkPriority(value)), 'no priority'),
  cron: (value) => comesLater({ cron: value }),
  repetition: (value) => comesLater({ every: value }),
  zone: (value) => comesLater({ cron: '30 2 * * *', zone: value }),
  'daylight saving': (value) => comesLater({ every: 'P1D', dst: value }),
  'schedule of the code': (value) => void checkScheduleDefinitions([value]),
  options: (value) => checkOptions(value, ['known'], 'options'),
};

/** Durations, instants, retry policies, ids and names: read or refused by name, and a value that was read is written and read the same. */
export const texts: FuzzTarget = fuzzTarget({
  name: 'texts',
  shortRuns: 300,
  longestMs: 1_000,
  input: asked,
  check(tree) {
    for (const [reader, read] of Object.entries(READERS)) {
      try {
        settled(() => read(materialise(tree) as never), ['INVALID_INPUT']);
      } catch (error) {
        throw new Error(`read as ${reader}`, { cause: error });
      }
    }
  },
});
