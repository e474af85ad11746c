import fc from 'fast-check';
import { DEEDS } from './stage.ts';

/** The verbs of clients and operators, the ticks, and the verbs of the store that executors, acquirer and sweeper are made of. */
export const VERBS = [
  'enqueue',
  'enqueue with own id',
  'enqueue many',
  'cancel',
  'reschedule',
  'get',
  'redrive',
  'deliver',
  'fire',
  'sweep',
  'advance',
  'spoil',
  'claim',
  'take over',
  'complete',
  'retry',
  'retry later',
  'snooze',
  'give back',
  'bury',
  'suspend',
  'resume',
  'reset',
  'end as cancelled',
  'quarantine',
  'fire one',
  'take lock',
  'release lock',
  'beat',
  'locate',
] as const;

/** One verb. `job` picks an existing job or lease, `choice` and `ms` the verb's other arguments. */
export interface VerbCall {
  readonly verb: (typeof VERBS)[number];
  readonly job: number;
  readonly choice: number;
  readonly ms: number;
  readonly deed: (typeof DEEDS)[number];
}

const WEIGHTS: Partial<Record<VerbCall['verb'], number>> = {
  enqueue: 4,
  claim: 8,
  advance: 3,
  cancel: 3,
  reschedule: 3,
  redrive: 3,
  bury: 3,
  spoil: 1,
  fire: 1,
  sweep: 1,
};

const anyVerb: fc.Arbitrary<VerbCall> = fc.record({
  verb: fc.oneof(...VERBS.map((name) => ({ weight: WEIGHTS[name] ?? 2, arbitrary: fc.constant(name) }))),
  job: fc.nat(7),
  choice: fc.nat(5),
  ms: fc.constantFrom(0, 1, 5_000, 60_000, 600_000, 3_600_000, 86_400_000),
  deed: fc.constantFrom(...DEEDS),
});

/** The call about the newest job or lease, due now. */
const now = (verb: VerbCall['verb'], change: Partial<VerbCall> = {}): VerbCall => ({
  verb,
  job: 0,
  choice: 0,
  ms: 0,
  deed: 'complete',
  ...change,
});
const endings = fc.constantFrom<VerbCall['verb']>(
  'complete',
  'retry',
  'retry later',
  'snooze',
  'give back',
  'bury',
  'suspend',
  'end as cancelled',
);
const claimed: readonly VerbCall[] = [now('enqueue'), now('claim', { ms: 60_000 })];
const withKey: readonly VerbCall[] = [now('enqueue', { choice: 1 }), now('claim', { ms: 60_000 })];

/** Ways that chance alone seldom finds. */
const stories: fc.Arbitrary<readonly VerbCall[]> = fc.oneof(
  endings.map((ending) => [...claimed, now('cancel'), now(ending)]),
  endings.map((ending) => [...withKey, now('cancel'), now(ending)]),
  endings.map((ending) => [...claimed, now(ending), now('reschedule'), now('resume'), now('redrive')]),
  fc.constant([...claimed, now('advance', { ms: 600_000 }), now('claim'), now('take over')]),
  fc.constant([now('enqueue'), now('spoil'), now('claim'), now('quarantine'), now('redrive')]),
  fc.constant([...withKey, now('bury'), now('enqueue', { choice: 1 }), now('redrive', { job: 1 })]),
);

/** A sequence of verbs. */
export const verbs: fc.Arbitrary<readonly VerbCall[]> = fc
  .array(fc.oneof({ weight: 12, arbitrary: anyVerb.map((call) => [call]) }, { weight: 1, arbitrary: stories }), {
    minLength: 1,
    maxLength: 60,
    size: 'max',
  })
  .map((deps) => deps.flat());

/** The cases that must occur in a run: every verb, and the answers of lost races. */
export const REQUIRED_OF_VERBS: readonly string[] = [
  VERBS,
  ['claimed', 'gone', 'not-due', 'held', 'expired', 'unreadable'].map((result) => `claim ${result}`),
  ['finished', 'lost', 'cancel-asked'].map((result) => `complete ${result}`),
  ['retry', 'give back', 'snooze'].flatMap((verb) => ['ready', 'lost', 'cancel-asked'].map((result) => `${verb} ${result}`)),
  ['waiting', 'lost', 'cancel-asked'].map((result) => `retry later ${result}`),
  ['dead', 'lost', 'cancel-asked'].map((result) => `bury ${result}`),
  ['suspended', 'lost', 'cancel-asked'].map((result) => `suspend ${result}`),
  ['ready', 'lost'].map((result) => `reset ${result}`),
  ['resume ready', 'take over claimed', 'end as cancelled true'],
  ['cancelled', 'cancel-requested', 'dead', 'finished'].map((outcome) => `cancel ${outcome}`),
  ['rescheduled', 'running', 'suspended', 'dead', 'finished'].map((outcome) => `reschedule ${outcome}`),
  ['redriven', 'not-found', 'unreadable', 'key-taken'].map((outcome) => `redrive ${outcome}`),
  ['snapshot'],
].flat();
