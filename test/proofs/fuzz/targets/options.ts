import fc from 'fast-check';
import { defineJob } from '../../../../shared/job/job-type.ts';
import type { AnyJobType } from '../../../../shared/job/job-type.ts';
import { retryDelayMs } from '../../../../shared/job/retry-policy.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { hostileTree, materialise } from '../hostile-values.ts';
import { assertTyped, type Settled, settled, settledLater } from '../typed-errors.ts';

/** Names of the options that a client's verbs and a definition know, and some that they do not. */
const ENQUEUE = [
  'delay',
  'runAt',
  'key',
  'group',
  'tenant',
  'priority',
  'correlationId',
  'id',
  'retry',
  'keyOf',
  'idOf',
  'onProgress',
  '__proto__',
  'more',
];
const DEFINE = ['worker', 'retry', 'retryOn', 'group', 'priority', 'timeout', 'version', 'upcast', 'more'];
const CODES = ['INVALID_INPUT', 'PAYLOAD_TOO_LARGE', 'DEFINITION_THREW', 'ID_IN_USE', 'STORE_REFUSED'] as const;

const near = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom<unknown>(
      'PT5M',
      'P400000D',
      'R3/PT1S',
      'never',
      '2026-01-01T00:00:00Z',
      -1,
      0,
      5,
      1e300,
      2 ** 53,
      'x'.repeat(257),
      'default',
      '\u0000\n\u001b',
      '\ud83d',
    ),
    fc.record({ value: hostileTree({ traps: false }), for: hostileTree({ traps: false }) }),
    fc.record({
      kind: fc.constantFrom('intervals', 'exponential', 'x'),
      tries: near0(),
      intervalsMs: near0(),
      baseMs: near0(),
      factor: near0(),
      maxMs: near0(),
    }),
    hostileTree({ traps: false }),
  );

function near0(): fc.Arbitrary<unknown> {
  return fc.oneof(fc.constantFrom<unknown>(1, 2, 0, -1, 1e6, 1e300, 'PT1S', [1], []), hostileTree({ traps: false }));
}

const options = (names: readonly string[]): fc.Arbitrary<readonly (readonly [string, unknown])[]> =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...names), near()), { maxLength: 3, selector: ([name]) => name });

const made = (entries: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(entries.map(([name, value]) => [name, materialise(value)]));

const given = fc.record({
  name: fc.oneof({ weight: 3, arbitrary: fc.constant('work') }, { weight: 1, arbitrary: hostileTree({ traps: false }) }),
  define: options(DEFINE),
  whole: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, { weight: 1, arbitrary: fc.tuple(hostileTree({ traps: false })) }),
  enqueue: options(ENQUEUE),
  verb: fc.constantFrom('enqueue', 'enqueueMany', 'prepare', 'get', 'cancel', 'reschedule', 'newId'),
  payload: hostileTree({ traps: true }),
});

type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never;

/** Any input to defineJob and to the client's verbs: accepted, or refused by name before anything is written. */
export const optionsTarget: FuzzTarget = fuzzTarget({
  name: 'options',
  shortRuns: 120,
  longestMs: 3_000,
  input: () => given,
  async check(input) {
    const rig = new Rig();
    const plain = defineJob('work', { payload: anyPayload });
    const defined = settled(() => defineJob(materialise(input.name) as never, { payload: anyPayload, ...made(input.define) }), CODES);
    if (defined.ok) for (const policy of [defined.value.retry, ...defined.value.retryOn.values()]) if (policy) retryDelayMs(policy, 1, 0.5);
    const type = defined.ok && defined.value.worker === 'default' ? defined.value : plain;
    const result = await call(rig, input, type as never);
    const written = (await rig.rows('jobs')).length + (await rig.rows('timers')).length;
    if (!result.ok && written > 0) throw new Error(`Refused with ${result.error.message}, but a row was written.`);
    if (result.ok) await run(rig, type as never);
  },
});

function call(rig: Rig, input: Given, type: AnyJobType): Promise<Settled<unknown>> {
  const { client } = rig;
  const options = (input.whole.length === 0 ? made(input.enqueue) : materialise(input.whole[0])) as never;
  const payload = materialise(input.payload);
  const verbs: Record<Given['verb'], () => Promise<unknown>> = {
    enqueue: () => client.enqueue(type, payload, options),
    enqueueMany: async () => {
      const { failed } = await client.enqueueMany(type, [payload, {}], options);
      // An error of a caller's own function is passed on unchanged.
      const own = ['keyOf', 'idOf'].some((name) => typeof (options as Record<string, unknown> | undefined)?.[name] === 'function');
      for (const { error } of own ? [] : failed) assertTyped(error, CODES);
    },
    prepare: async () => client.prepare(type, payload, options),
    get: () => client.get(payload as never),
    cancel: () => client.cancel(payload as never),
    reschedule: () => client.reschedule(client.newId(), options),
    newId: async () => client.newId(options),
  };
  return settledLater(verbs[input.verb], CODES);
}

/** An accepted job must run: an option that only the executor rejects was accepted wrongly. */
async function run(rig: Rig, type: AnyJobType): Promise<void> {
  let runs = 0;
  const handled = type.handle(() => {
    if (++runs === 1) throw new Error('once');
  });
  await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10), {
    ...rig.deps,
    handlers: new Map([[type.name, handled]]),
  });
  const failed = rig.journal.entries.find(({ event }) => event === 'store-failed' || event === 'suspended');
  if (failed) throw new Error(`${failed.event}: ${failed.error?.message ?? ''} ${failed.error?.stack ?? ''}`);
}
