import { describe, expect, it, vi } from 'vitest';
import { StoreRefusedError } from '../../shared/job/errors.ts';
import { defineJob, type JobHandler } from '../../shared/job/job-type.ts';
import type { JobLog } from '../../shared/job/job-log.ts';
import { complete, continueWith, fail, followUp, snooze } from '../../shared/index.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { createTestKit } from '../../testing/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';

const DAY = 'P1D';
const send = defineJob('mail.send', { payload: anyPayload, retry: 'R3/PT1S' });
const next = defineJob('mail.next', { payload: anyPayload });

/** Runs a handler that sends a mail and returns what it is given, for a day; says what was sent, logged and became of the job. */
async function runFor(returned: () => unknown): Promise<{ sent: number; warnings: string[]; state: unknown; reason: unknown }> {
  const sent = vi.fn();
  const warnings: string[] = [];
  const silent = (): void => {};
  const log: JobLog = { debug: silent, info: silent, warn: (message) => void warnings.push(message), error: silent };
  const handler = ((): unknown => {
    sent();
    return returned();
  }) as JobHandler;
  const kit = createTestKit([send.handle(handler), next], { log: () => log });
  const { id } = await kit.client.enqueue(send, { secret: 's3cret' });
  await kit.client.enqueue(send, { secret: 's3cret' });
  await kit.advance(DAY);
  const job = await kit.job(id);
  return { sent: sent.mock.calls.length, warnings, state: job?.state, reason: job?.reason };
}

describe('a handler that returned a value which is no verdict', () => {
  it.each([
    ['a text', () => 's3cret', 'a string'],
    ['what an SDK answered', () => Promise.resolve({ MessageId: 's3cret' }), 'an object'],
    ['a number', () => 5, 'a number'],
    ['an array', () => ['s3cret'], 'an array'],
    ['a verdict that there is not', () => ({ verdict: 's3cret' }), 'an object'],
    ['a function', () => () => 's3cret', 'a function'],
  ])('completes its job, without another run: %s', async (_name, returned, kind) => {
    const { sent, state, warnings } = await runFor(returned);
    expect([sent, state]).toEqual([2, 'finished']);
    expect(warnings).toEqual([expect.stringContaining(`The handler of job type mail.send returned ${kind}.`)]);
    expect(warnings.join()).not.toContain('s3cret');
  });
});

describe('a verdict that cannot be recorded', () => {
  const large = 'x'.repeat(70_000);
  const many = Array.from({ length: 90 }, (_, n) => followUp(next, { n }, { key: `k${n}` }));
  it.each<[string, () => unknown]>([
    ['a result that is too large', () => complete({ result: large })],
    ['a result that JSON cannot hold', () => complete({ result: 1n })],
    ['a result kept for no duration', () => complete({ result: 1, keepResult: 'a while' })],
    ['a follow-up that is not valid', () => complete({ enqueue: [followUp(next, {}, { priority: Number.NaN })] })],
    ['a follow-up of no type', () => complete({ enqueue: [{} as never] })],
    ['more follow-ups than a transaction takes', () => complete({ enqueue: many })],
    ['more items than a transaction takes', () => complete({ transact: Array.from({ length: 91 }, () => ({})) })],
    ['an option that there is not', () => complete({ enque: [] } as never)],
    ['a delay that is none', () => snooze('1h')],
    ['a retry after no duration', () => fail('busy', { retryAfter: '1h' })],
    ['a state that is too large', () => continueWith(large)],
    ['a snooze made by hand', () => ({ verdict: 'snooze' })],
    ['a failure made by hand', () => ({ verdict: 'fail', reason: 5 })],
    ['a continuation made by hand', () => ({ verdict: 'continue', state: {} })],
  ])('buries its job at once, without another run: %s', async (_name, returned) => {
    const { sent, state, reason, warnings } = await runFor(returned);
    expect([sent, state, reason]).toEqual([2, 'dead', 'non-retryable']);
    expect(warnings).toEqual([]);
  });

  it('buries its job at once when the store refuses what is written with it', async () => {
    const clock = new SettableClock();
    const tables = rigTables(clock);
    const transact = tables.transact.bind(tables);
    const refuse: Tables['transact'] = async (writes, ...rest) => {
      const ends = writes.some(({ op, table }) => op === 'delete' && table === 'jobs');
      const buries = writes.some(({ table }) => table === 'deadLetters');
      if (ends && !buries) throw new StoreRefusedError('TransactWriteItems', new Error('ValidationException'));
      return transact(writes, ...rest);
    };
    Object.assign(tables, { transact: refuse });
    const sent = vi.fn(() => complete({ enqueue: [followUp(next, {})] }));
    const rig = new Rig({ clock, tables, handlers: [send.handle(sent)] });
    const { id } = await rig.client.enqueue(send, {});
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', reason: 'non-retryable', error: { name: 'InvalidVerdictError' } });
    expect(sent).toHaveBeenCalledTimes(1);
  });
});
