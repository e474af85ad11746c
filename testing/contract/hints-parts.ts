import assert from 'node:assert/strict';
import { decodeHint, groupHash, type Hint } from '../../shared/job/hint.ts';
import { makeJobId } from '../../shared/job/job-id.ts';
import type { QueueRef, ReceivedHint } from '../../shared/ports/hints.ts';
import type { HintsSubject } from './contract.ts';

/**
 * The workers whose queues a subject of the contract must have: `w` with two lanes, of which `high` takes priorities from 10, and a FIFO
 * queue, `plain` with neither.
 */
export const HINTS_CONTRACT_WORKERS = {
  w: { lanes: ['high', 'normal'], from: { high: 10 }, groups: true },
  plain: { lanes: ['normal'], groups: false },
} as const;

export const STANDARD: QueueRef = { worker: 'w', lane: 'normal', kind: 'standard' };
export const HIGH: QueueRef = { worker: 'w', lane: 'high', kind: 'standard' };
export const FIFO: QueueRef = { worker: 'w', lane: 'normal', kind: 'fifo' };
export const PLAIN: QueueRef = { worker: 'plain', lane: 'normal', kind: 'standard' };
export const A: string = groupHash('customer A');
export const B: string = groupHash('customer B');

/** The id of the job with a number. */
export const idOf = (number: number): string => makeJobId(Date.UTC(2026, 0, 1), Uint8Array.of(number, 1, 2, 3, 4, 5, 6, 7, 8, 9));
export const hint = (number: number, change: Partial<Hint> = {}): Hint => ({
  id: idOf(number),
  n: 1,
  worker: 'w',
  lane: 'normal',
  delayMs: 0,
  alone: false,
  ...change,
});
export const idsOf = (messages: readonly ReceivedHint[]): string[] => messages.map((message) => decodeHint(message.body).id);

/** Sends hints that must all be accepted. */
export async function send({ hints }: HintsSubject, ...sent: readonly Hint[]): Promise<void> {
  assert.deepEqual(await hints.send(sent), []);
}

/** The first message that can be received; there must be one. */
export async function one(subject: HintsSubject, queue: QueueRef = STANDARD): Promise<ReceivedHint> {
  const [message] = await subject.receive(queue);
  assert.ok(message !== undefined, `no message in the ${queue.kind} queue of ${queue.worker}, lane ${queue.lane}`);
  return message;
}

/** Everything that a queue gives, each page acknowledged: SQS may give several of a group at once, another gives one. */
export async function drain(subject: HintsSubject, queue: QueueRef): Promise<readonly ReceivedHint[]> {
  const messages: ReceivedHint[] = [];
  for (let page = await subject.receive(queue); page.length > 0; page = await subject.receive(queue)) {
    for (const message of page) await subject.acknowledge(message);
    messages.push(...page);
  }
  return messages;
}
