import { nextTickBy } from '../../shared/job/late-tick.ts';
import { iso } from '../../shared/job/instant.ts';
import { explainBehind } from './explain-behind.ts';
import type { FactsIn, ParkedUnder, ExplanationDraft } from './facts.ts';
import { counted, goneWorker, lateHeartbeat } from './sentences.ts';
import { plural } from '../../shared/job/plural.ts';

const UNKNOWN: ParkedUnder = { name: 'unknown', slots: [], before: 0, exact: false, parkedAt: 0 };

/** Explains a job that waits for room under a limit, or for another one of its group. */
export function explainParked(facts: FactsIn<'timers'>, now: number): ExplanationDraft {
  if (facts.behind !== undefined) return explainBehind(facts, facts.behind, now);
  const { settings, acquirer, limit = UNKNOWN, workerKnown } = facts;
  const { job } = facts.located;
  const { name, n, slots, before, exact, parkedAt, set } = limit;
  const closed = n === 0;
  const held = slots.filter(({ until }) => until > now);
  const room = n !== undefined && held.length < n;
  const late = lateHeartbeat('acquirer', acquirer, settings, now);
  const rank =
    before === 0
      ? 'It is the first in line.'
      : `${exact ? '' : 'At least '}${counted(before, 'job')} ${plural(before, 'was', 'were')} parked before it.`;
  const soonest = Math.min(...held.map(({ until }) => until));
  const fillBy = nextTickBy(now, settings.acquirerIntervalMs);
  return {
    code: room && late !== undefined ? 'acquirer-late' : 'parked-by-limit',
    sentences: [
      `It is parked since ${iso(parkedAt)} under the limit ${name}: ${heldOf(held.length, n)}.`,
      ...setByOperator(limit),
      rank,
      room
        ? `There is room: the acquirer releases those who are parked at its next run, at the latest at ${iso(fillBy)}.`
        : closed
          ? 'No job starts under it until the number is raised, or cleared.'
          : 'The job that ends first hands its slot to the job that was parked first.',
      ...(room || closed || held.length === 0
        ? []
        : [`If a holder died, its slot is free at ${iso(soonest)} at the earliest, and the acquirer fills it.`]),
      ...(late === undefined ? [] : [late]),
      ...(workerKnown ? [] : [goneWorker(job.worker)]),
      'No counter moves while it is parked.',
    ],
    next: room
      ? { verb: 'release', by: 'acquirer', ...(late === undefined && before < (n ?? 0) - held.length ? { at: fillBy } : {}) }
      : { verb: 'release', by: closed ? 'operator' : 'holder-of-a-slot' },
    facts: { limit: name, held: held.length, slots: n, before, parkedAt: iso(parkedAt) },
    verbs: ['limits', ...(set === undefined ? [] : ['setLimit', 'clearLimit']), 'setDueDate', 'setPriority', 'cancel'],
  };
}

function heldOf(held: number, n: number | undefined): string {
  if (n !== undefined && held > n) return `${counted(held, 'slot')} ${plural(held, 'is', 'are')} held, more than the number, which is ${n}`;
  return `${held} of ${n ?? 'an unknown number of'} slots are held`;
}

function setByOperator({ n, coded, set }: ParkedUnder): readonly string[] {
  if (set?.n === undefined) return [];
  const why = set.reason === undefined ? '' : ` (${set.reason})`;
  const instead = coded === undefined ? '' : `; the code says ${coded}`;
  return [`${set.actor} set the number to ${n} at ${iso(set.at.getTime())}${why}${instead}.`];
}
