import { nextTickBy } from '../../core/heartbeat.ts';
import { iso } from '../../core/instant.ts';
import type { FactsIn, ParkedUnder, Told } from './facts.ts';
import { counted, goneWorker, lateBeat } from './sentences.ts';

const UNKNOWN: ParkedUnder = { name: 'unknown', slots: [], before: 0, exact: false, parkedAt: 0 };

/** Explains a job that waits for room under a limit. */
export function explainParked(facts: FactsIn<'timers'>, now: number): Told {
  const { settings, acquirer, limit = UNKNOWN, workerKnown } = facts;
  const { job } = facts.located;
  const { name, n, slots, before, exact, parkedAt } = limit;
  const held = slots.filter(({ until }) => until > now);
  const room = n !== undefined && held.length < n;
  const late = lateBeat('acquirer', acquirer, settings, now);
  const rank =
    before === 0
      ? 'It is the first in line.'
      : `${exact ? '' : 'At least '}${counted(before, 'job')} ${before === 1 ? 'was' : 'were'} parked before it.`;
  const soonest = Math.min(...held.map(({ until }) => until));
  const fillBy = nextTickBy(now, settings.acquirerIntervalMs);
  return {
    code: room && late !== undefined ? 'acquirer-late' : 'parked-by-limit',
    sentences: [
      `It is parked since ${iso(parkedAt)} under the limit ${name}: ${held.length} of ${n ?? 'an unknown number of'} slots are held.`,
      rank,
      room
        ? `There is room: the acquirer releases those who are parked at its next run, at the latest at ${iso(fillBy)}.`
        : 'The job that ends first hands its slot to the job that was parked first.',
      ...(room || held.length === 0
        ? []
        : [`If a holder died, its slot is free at ${iso(soonest)} at the earliest, and the acquirer fills it.`]),
      ...(late === undefined ? [] : [late]),
      ...(workerKnown ? [] : [goneWorker(job.worker)]),
      'No counter moves while it is parked.',
    ],
    next: room
      ? { verb: 'release', by: 'acquirer', ...(late === undefined && before < (n ?? 0) - held.length ? { at: fillBy } : {}) }
      : { verb: 'release', by: 'holder-of-a-slot' },
    facts: { limit: name, held: held.length, slots: n, before, parkedAt: iso(parkedAt) },
    verbs: ['limits', 'setDueDate', 'setPriority', 'cancel'],
  };
}
