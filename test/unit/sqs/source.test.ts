import { describe, expect, it } from 'vitest';
import { StoreRefusedError, StoreUnavailableError } from '../../../shared/job/errors.ts';
import { seededEntropy } from '../../../shared/adapters/memory/seeded-entropy.ts';
import type { ReceivedHint } from '../../../shared/ports/hints.ts';
import type { SqsDeps } from '../../../shared/adapters/sqs/caller.ts';
import { createSqsClient } from '../../../shared/adapters/sqs/client.ts';
import { createSqsHints } from '../../../shared/adapters/sqs/hints.ts';
import { createPollingClient, createSqsSource } from '../../../shared/adapters/sqs/source.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { idOf } from '../../support/job-rows.ts';
import { JumpingClock } from '../../support/jumping-clock.ts';
import { answer, scriptedHandler, serviceError, type Step } from '../../support/scripted-handler.ts';

const QUEUE = { worker: 'w', lane: 'normal', kind: 'standard' } as const;
const MESSAGE: ReceivedHint = { messageId: 'm', receiptHandle: 'r', body: '', queue: QUEUE, receiveCount: 1 };
const HINT = { id: idOf(1), n: 1, worker: 'w', lane: 'normal', delayMs: 0, alone: false };

/** Queues over a real SDK client whose network plays a script; chance always draws the longest wait, or `random`. */
function scripted(steps: readonly Step[], { leftMs, random = 1 }: { readonly leftMs?: number; readonly random?: number } = {}) {
  const handler = scriptedHandler(...steps);
  const clock = new JumpingClock();
  const deadline = leftMs === undefined ? undefined : clock.now() + leftMs;
  const deps: SqsDeps = {
    client: createSqsClient({ ...EMULATOR_ACCESS, requestHandler: handler }),
    workers: new Map([['w', { lanes: { normal: 'https://sqs.us-east-1.amazonaws.com/1/n' } }]]),
    clock,
    entropy: { ...seededEntropy(1), random: () => random },
    deadlineAt: () => deadline,
  };
  return { ...handler, clock, source: createSqsSource(deps), hints: createSqsHints(deps) };
}

describe('a poll of a queue', () => {
  it.each([
    { waitMs: 1_500, seconds: 2 },
    { waitMs: 30_000, seconds: 20 },
    { waitMs: -5_000, seconds: 0 },
    { waitMs: 20_000, leftMs: 5_200, seconds: 4 },
    { waitMs: 20_000, leftMs: 200, seconds: 0 },
  ])('waits whole seconds, no longer than SQS can or its own invocation lasts ($waitMs ms)', async ({ waitMs, seconds, ...time }) => {
    const { source, requests } = scripted([answer({ Messages: [] })], time);
    await source.receive(QUEUE, { max: 10, waitMs });
    expect(requests[0]?.body['WaitTimeSeconds']).toBe(seconds);
  });

  it.each([
    { max: 50, asked: 10 },
    { max: 0, asked: 1 },
  ])('asks for one to ten messages ($max)', async ({ max, asked }) => {
    const { source, requests } = scripted([answer({ Messages: [] })]);
    await source.receive(QUEUE, { max, waitMs: 0 });
    expect(requests[0]?.body['MaxNumberOfMessages']).toBe(asked);
  });

  it('may be silent for as long as the longest one, and a moment more', async () => {
    const { requestHandler } = createPollingClient(EMULATOR_ACCESS).config;
    expect(await (requestHandler as unknown as { configProvider: Promise<unknown> }).configProvider).toMatchObject({
      socketTimeout: 23_000,
    });
  });
});

describe('a message that is acknowledged', () => {
  it('is deleted by its receipt', async () => {
    const { source, requests } = scripted([answer()]);
    await source.acknowledge(MESSAGE);
    expect(requests).toMatchObject([{ operation: 'DeleteMessage', body: { ReceiptHandle: 'r' } }]);
  });

  it.each([
    ['QueueDoesNotExist', 400, StoreRefusedError],
    ['InternalError', 500, StoreUnavailableError],
  ] as const)('and is not deleted for %s is told', async (name, status, error) => {
    const { source } = scripted([serviceError(name, {}, status)]);
    const told = await source.acknowledge(MESSAGE).catch((thrown: unknown) => thrown);
    expect(told).toBeInstanceOf(error);
    expect(String(told)).toContain('acknowledge');
  });
});

describe('hints that no queue took', () => {
  it('are sent again after waits that double', async () => {
    const { hints, clock } = scripted([answer({ Successful: [], Failed: [] })]);
    expect(await hints.send([HINT])).toHaveLength(1);
    expect(clock.waits).toEqual([100, 200]);
  });

  it('are given back at once when their invocation has no time for another try', async () => {
    const { hints, requests } = scripted([answer({ Successful: [], Failed: [] })], { leftMs: 50, random: 0 });
    expect(await hints.send([HINT])).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it('are not even sent when their invocation has ended', async () => {
    const { hints, requests } = scripted([answer()], { leftMs: -1 });
    expect(await hints.send([HINT])).toHaveLength(1);
    expect(requests).toEqual([]);
  });
});

it('a message that is postponed by less than nothing is visible at once', async () => {
  const { hints, requests } = scripted([answer()]);
  await hints.postpone(MESSAGE, -5_000);
  expect(requests[0]?.body['VisibilityTimeout']).toBe(0);
});
