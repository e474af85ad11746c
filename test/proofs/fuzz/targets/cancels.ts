import fc from 'fast-check';
import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.ts';
import { hostileTree, materialise } from '../hostile-values.ts';
import { type Settled, settledLater } from '../typed-errors.ts';

const CANCEL = ['reason', 'actor', 'wait', 'tenant', '__proto__', 'more'];
const WHERE = ['limit', 'maxReadUnits', 'dryRun', 'reason', 'actor', 'after', 'more'];
const FILTER = ['state', 'id', 'type', 'tenant', 'group', 'batch', 'fingerprint', 'outcome', 'from', 'to', 'text', '__proto__', 'more'];
const LIST = ['limit', 'after', 'maxReadUnits'];
const CODES = ['INVALID_INPUT', 'STORE_REFUSED'] as const;

const near = (): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom<unknown>(
      'PT5M',
      'PT16M',
      'work',
      'acme',
      '',
      0,
      1,
      -1,
      1e300,
      true,
      'x'.repeat(257),
      '\ud83d',
      'e30',
      'eyJ0YWJsZSI6ImpvYnMifQ',
    ),
    fc.constantFrom<unknown>(
      cursor({ table: 'jobs', after: {} }),
      cursor({ table: 'jobs', after: { id: 7 } }),
      cursor({ table: 'control' }),
      cursor(null),
    ),
    hostileTree({ traps: false }),
  );

function cursor(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

const entries = (names: readonly string[]): fc.Arbitrary<readonly (readonly [string, unknown])[]> =>
  fc.uniqueArray(fc.tuple(fc.constantFrom(...names), near()), { maxLength: 3, selector: ([name]) => name });

const made = (pairs: readonly (readonly [string, unknown])[]): Readonly<Record<string, unknown>> =>
  Object.fromEntries(pairs.map(([name, value]) => [name, materialise(value)]));

const given = fc.record({
  verb: fc.constantFrom('cancel', 'cancelByKey', 'cancelWhere', 'list', 'count'),
  what: near(),
  filter: entries(FILTER),
  cancel: entries(CANCEL),
  where: entries(WHERE),
  list: entries(LIST),
});

type Given = typeof given extends fc.Arbitrary<infer Value> ? Value : never;

/** Any input to the verbs that cancel, and to those that read by the same filter: done, or refused by name with every job unchanged. */
export const cancelsTarget: FuzzTarget = fuzzTarget({
  name: 'cancels',
  shortRuns: 120,
  longestMs: 3_000,
  input: () => given,
  async check(input) {
    // Without History, no wait depends on it.
    const rig = new Rig({ history: 'off' });
    const work = defineJob('work', { payload: anyPayload });
    const { id } = await rig.client.enqueue(work, {}, { key: 'k', tenant: 'acme' });
    await rig.client.enqueue(work, {}, { delay: 'P1D' });
    const before = JSON.stringify([await rig.rows('jobs'), await rig.rows('timers')]);
    const result = await call(rig, input, id);
    const after = JSON.stringify([await rig.rows('jobs'), await rig.rows('timers')]);
    if (!result.ok && before !== after) throw new Error(`Refused with ${result.error.message}, but a job was changed.`);
  },
});

function call(rig: Rig, input: Given, id: string): Promise<Settled<unknown>> {
  const work = defineJob('work', { payload: anyPayload });
  const what = materialise(input.what);
  const verbs: Record<Given['verb'], () => Promise<unknown>> = {
    cancel: () => rig.client.cancel(typeof what === 'string' ? id : (what as never), made(input.cancel)),
    cancelByKey: () => rig.client.cancelByKey(work, what as never, made(input.cancel)),
    cancelWhere: () => createAdminOver(rig.deps).cancelWhere(made(input.filter), made(input.where)),
    list: () => createAdminOver(rig.deps).list({ ...made(input.filter), ...made(input.list) }),
    count: () => createAdminOver(rig.deps).count(made(input.filter)),
  };
  return settledLater(verbs[input.verb], CODES);
}
