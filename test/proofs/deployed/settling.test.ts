import { CreateQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { describe, expect, test } from 'vitest';
import type { Clock } from '../../../shared/ports/clock.ts';
import { freshPrefix, testSqs } from '../../support/emulators.ts';
import { forgetRefusedTicks, settle } from './deployment-steps.ts';
import type { Walk } from './job-states.ts';
import { deleteFailedTicks } from './operator-over.ts';
import { AWS_PATIENCE } from './real-account.ts';

const STARTED = Date.parse('2026-05-01T00:00:00Z');

/** A deployment whose order function and ticks are refused until some time after its start. */
function refusedUntil(ms: { readonly orders: number; readonly ticks: number }) {
  let now = STARTED;
  // Waits are over at once, those that Ctrl-C would end, too.
  const clock: Clock = { now: () => now, wait: async (waited) => void (now += waited) };
  const notes: string[] = [];
  const forgotten: number[] = [];
  const operator: Partial<Walk['operator']> = {
    async order() {
      if (clock.now() < STARTED + ms.orders) throw new Error('AccessDeniedException');
      return { accepted: true, jobs: {} };
    },
    lastHeartbeat: async () => (clock.now() < STARTED + ms.ticks ? undefined : new Date(clock.now()).toISOString()),
    deleteFailedTicks: async (before) => forgotten.push(before),
  };
  const report = { note: (text: string) => void notes.push(text) };
  const terms = { clock, stopping: new AbortController().signal };
  const walking = { operator, report, terms, target: { patience: AWS_PATIENCE } } as unknown as Walk;
  return { clock, walking, notes, forgotten };
}

describe('a new deployment', () => {
  test('has settled when its functions may do their work, not when CloudFormation is done', async () => {
    const { clock, walking } = refusedUntil({ orders: 20_000, ticks: 130_000 });
    await settle(walking, STARTED);
    expect(clock.now() - STARTED).toBeGreaterThanOrEqual(130_000);
  });

  test('that never gets its permissions fails, and says what was refused', async () => {
    await expect(settle(refusedUntil({ orders: Infinity, ticks: 0 }).walking, STARTED)).rejects.toThrow(/takes orders.*AccessDenied/);
    await expect(settle(refusedUntil({ orders: 0, ticks: Infinity }).walking, STARTED)).rejects.toThrow('a tick of the acquirer');
  });

  test('may have refused ticks only until permissions are there at the latest', async () => {
    const { walking, forgotten, notes } = refusedUntil({ orders: 0, ticks: 0 });
    await forgetRefusedTicks(walking, STARTED);
    expect(forgotten).toEqual([STARTED + AWS_PATIENCE.permissionsMs]);
    expect(notes).toEqual(['1 ticks were refused before the functions had their permissions']);
  });

  test('loses the refused ticks, all of them, and keeps those that failed later', async () => {
    const { client } = await testSqs();
    const stack = freshPrefix();
    const { QueueUrl } = await client.send(new CreateQueueCommand({ QueueName: `${stack}-JobsFailedTicks` }));
    for (let tick = 0; tick < 12; tick += 1) await client.send(new SendMessageCommand({ QueueUrl, MessageBody: '{}' }));
    expect(await deleteFailedTicks(client, stack, STARTED)).toBe(0);
    const { QueueUrl: other } = await client.send(new CreateQueueCommand({ QueueName: `${stack}-two-JobsFailedTicks` }));
    for (let tick = 0; tick < 12; tick += 1) await client.send(new SendMessageCommand({ QueueUrl: other, MessageBody: '{}' }));
    expect(await deleteFailedTicks(client, `${stack}-two`, Date.parse('2100-01-01T00:00:00Z'))).toBe(12);
  });
});
