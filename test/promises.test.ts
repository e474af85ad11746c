import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from 'vitest';
import { defineJob } from '../shared/job/job-type.ts';
import { loseMessages } from './support/faulty-rig.ts';
import { anyPayload, Rig } from './support/rig.ts';

// The promises of the README, each with one fast test. docs/reference/reliability.md says what else holds them.

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Longer than a lease, and then a sweep that finds it ended. */
async function afterItsLease(rig: Rig): Promise<void> {
  const { executorTimeoutMs, leaseMarginMs } = rig.deployment.settings;
  await rig.clock.advance(executorTimeoutMs + leaseMarginMs + MINUTE);
  await rig.sweep();
}

/** A rig whose first run of a handler does not end until `wake` is called. What the handler began is in `began`. */
function rigThatStalls() {
  const began: { readonly id: string; readonly attempt: number }[] = [];
  let wake = (): void => {};
  const stall = new Promise<void>((resolve) => (wake = resolve));
  const charge = defineJob('card.charge', { payload: anyPayload });
  const rig = new Rig({
    handlers: [
      charge.handle(async ({ job }) => {
        began.push({ id: job.id, attempt: job.attempt });
        if (began.length === 1) await stall;
      }),
    ],
  });
  return { rig, charge, began, stall, wake: () => wake() };
}

/** A process for which no time passes until `wakes`: it records nothing, and gives nothing back. */
const frozen = (rig: Rig, wakes: Promise<void> = new Promise(() => {})) => ({
  ...rig.deps,
  clock: { now: () => rig.clock.now(), wait: async () => wakes },
});

test('the README makes the promises that are tested here', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
  const section = readme.split('## What it promises')[1]?.split('\n## ')[0] ?? '';
  const tested = readFileSync(import.meta.filename, 'utf8').matchAll(/^describe\('(.+)', /gm);
  expect([...section.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, promise]) => promise)).toEqual([...tested].map(([, title]) => title));
});

describe('An accepted job is never lost.', () => {
  it('outlives the loss of its message and the death of its executor', async () => {
    const { rig, charge, began } = rigThatStalls();
    const { id } = await rig.client.enqueue(charge, {});
    loseMessages(rig);
    await afterItsLease(rig);
    void rig.deliver(10, frozen(rig));
    await rig.settle();
    expect(began).toHaveLength(1);
    expect(await rig.client.get(id)).toMatchObject({ state: 'running' });
    await afterItsLease(rig);
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
  });
});

describe('At least once.', () => {
  it('runs again after a crash, under the same id and with the next number of an attempt', async () => {
    const { rig, charge, began } = rigThatStalls();
    const { id } = await rig.client.enqueue(charge, {});
    void rig.deliver(10, frozen(rig));
    await rig.settle();
    await afterItsLease(rig);
    await rig.drain();
    expect(began).toEqual([
      { id, attempt: 1 },
      { id, attempt: 2 },
    ]);
  });
});

describe('Completed exactly once.', () => {
  it('records nothing of an executor that wakes after another one has completed its job', async () => {
    const { rig, charge, began, stall, wake } = rigThatStalls();
    const { id } = await rig.client.enqueue(charge, {});
    const late = rig.deliver(10, frozen(rig, stall));
    await rig.settle();
    await afterItsLease(rig);
    await rig.drain();
    const completed = await rig.client.get(id);
    wake();
    await late;
    expect(began).toHaveLength(2);
    expect(rig.journal.count('completed')).toBe(1);
    expect(await rig.client.get(id)).toEqual(completed);
  });
});

describe('One at a time per group.', () => {
  it('starts the next job of a group only when the one before it has ended', async () => {
    let running = 0;
    let most = 0;
    let started = 0;
    const post = defineJob('ledger.post', { payload: anyPayload, group: () => 'account-7' });
    const rig = new Rig({
      handlers: [
        post.handle(async () => {
          started++;
          most = Math.max(most, ++running);
          await rig.clock.wait(SECOND);
          running--;
        }),
      ],
    });
    for (let n = 0; n < 3; n++) await rig.client.enqueue(post, {});
    await rig.until(rig.drain());
    expect({ started, most }).toEqual({ started: 3, most: 1 });
  });
});

describe('Never early.', () => {
  it('starts at its time or later, although its message is sent ahead of it', async () => {
    const starts: number[] = [];
    const remind = defineJob('remind', { payload: anyPayload });
    const rig: Rig = new Rig({ handlers: [remind.handle(() => void starts.push(rig.clock.now()))] });
    const dueAt = rig.clock.now() + 20 * MINUTE;
    const { id } = await rig.client.enqueue(remind, {}, { runAt: dueAt });
    await rig.clock.advance(19 * MINUTE + 30 * SECOND);
    await rig.fire();
    expect(await rig.client.get(id)).toMatchObject({ state: 'ready' });
    for (let second = 0; second < 60; second++) {
      await rig.drain();
      await rig.clock.advance(SECOND);
    }
    expect(starts).toEqual([dueAt]);
  });
});
