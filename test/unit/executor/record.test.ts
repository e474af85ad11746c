import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../shared/job/errors.ts';
import { defineJob } from '../../../shared/job/job-type.ts';
import { snooze } from '../../../shared/job/verdict.ts';
import { decideAndRecord } from '../../../functions/executor/record.ts';
import type { EndedAttempt } from '../../../functions/executor/attempt-record.ts';
import { faultyRig, take } from '../../support/faulty-rig.ts';
import { anyPayload } from '../../support/rig.ts';

const MINUTE = 60_000;
const handled = defineJob('work', { payload: anyPayload }).handle(() => undefined);

/** An attempt that ended `agoMs` ago, to be recorded in a store that does not answer. */
async function ended({ agoMs = 0, answerInMs }: { agoMs?: number; answerInMs?: number }) {
  const rig = faultyRig({ handlers: [handled] });
  const job = await take(rig, (await rig.client.enqueue(handled.type, {})).id, 60 * MINUTE);
  const begun = rig.clock.now();
  let tries = 0;
  rig.tables.write = async () => {
    tries += 1;
    throw new StoreUnavailableError('write', new Error('down'));
  };
  const outcome = { kind: 'verdict', verdict: snooze('PT1M') } as const;
  const times = { startedAt: begun - agoMs, endedAt: begun - agoMs };
  const attempt: EndedAttempt = { job, outcome, ...times, requestId: 'r', token: 't', unsettled: false };
  const deps = { ...rig.deps, entropy: { ...rig.deps.entropy, random: () => 0.99 } };
  const due = answerInMs === undefined ? {} : { answerBy: begun + answerInMs };
  const recorded = await rig.until(decideAndRecord({ ...deps, ...due }, handled, attempt), 44).catch((error: unknown) => error);
  return { recorded, tries, tookMs: rig.clock.now() - begun };
}

describe('an outcome that the store does not take', () => {
  it.each([
    ['is tried three times', {}, 3, 396 + 792],
    ['is tried for the last time when the invocation must answer', { answerInMs: 44 }, 2, 44],
    ['is tried once when the invocation must answer already', { answerInMs: 0 }, 1, 0],
    ['is not tried again when its token is not known any more', { agoMs: 9 * MINUTE }, 1, 0],
  ])('%s', async (_, times, tries, tookMs) => {
    expect(await ended(times)).toEqual({ recorded: expect.any(StoreUnavailableError), tries, tookMs });
  });
});

it('two answers at once that bring along something else are told apart: one ends the job, the other comes too late', async () => {
  const rig = faultyRig({ handlers: [handled] });
  const job = await take(rig, (await rig.client.enqueue(handled.type, {})).id);
  const times = { startedAt: rig.clock.now() - MINUTE, endedAt: rig.clock.now() };
  const outcome = { kind: 'verdict', verdict: { verdict: 'complete' } } as const;
  for (const token of ['one', 'two']) {
    const extras = { followUps: [], items: [], result: { json: `"${token}"`, keepMs: MINUTE } };
    await decideAndRecord(rig.deps, handled, { job, outcome, ...times, requestId: 'r', token, unsettled: false, extras });
  }
  const told = (['completed', 'lost-lease', 'failed'] as const).map((event) => rig.journal.count(event));
  expect(told).toEqual([1, 1, 0]);
  expect(rig.journal.entries).toContainEqual(expect.objectContaining({ event: 'completed', runMs: MINUTE }));
});
