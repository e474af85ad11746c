import { describe, expect, it } from 'vitest';
import type { HistoryLevel } from '../../../../shared/job/history-level.ts';
import { defineJob, type HandledJob } from '../../../../shared/index.ts';
import { aimAt } from '../../../support/faulty-tables.ts';
import { faultyRig } from '../../../support/faulty-rig.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';

const ofLevel = (history: HistoryLevel) => defineJob('work', { payload: anyPayload, retry: 'R3/PT1M', history });

/** A handler that says what it does and fails twice before it succeeds. */
function thirdTime(history: HistoryLevel): HandledJob {
  let runs = 0;
  return ofLevel(history).handle(({ log }) => {
    log.info('trying', { run: ++runs });
    if (runs < 3) throw new Error(`no ${runs}`);
  });
}

describe('a session', () => {
  it('has the log lines and events of one attempt in order, also when it fails', async () => {
    const sessions: unknown[] = [];
    const rig = new Rig({ handlers: [thirdTime('off')] });
    const deps = { ...rig.deps, onSession: (session: unknown) => sessions.push(session) };
    const { id } = await rig.client.enqueue(ofLevel('off'), {});
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 1), deps);
    expect(sessions).toMatchObject([
      {
        job: { id, attempt: 1 },
        outcome: 'retried',
        entries: [
          { event: 'started' },
          { kind: 'log', message: 'trying', fields: { run: 1 } },
          { event: 'failed' },
          { event: 'retried', error: { message: 'no 1' } },
        ],
      },
    ]);
    expect((await rig.counts()).history).toBe(0);
  });

  it('takes no line away from where handlers log', async () => {
    const logged: unknown[] = [];
    const note = (message: string, fields?: unknown) => void logged.push([message, fields]);
    const rig = new Rig({ handlers: [thirdTime('off')] });
    const log = () => ({ debug: note, info: note, warn: note, error: note });
    Object.assign(rig.deps, { log, onSession: () => undefined });
    await rig.client.enqueue(ofLevel('off'), {});
    await rig.deliver();
    expect(logged).toEqual([['trying', { run: 1 }]]);
  });

  it('is told when the lease was lost, and when the store took no outcome', async () => {
    const outcomes: string[] = [];
    const handled = ofLevel('off').handle(async () => meanwhile());
    let meanwhile = async (): Promise<void> => {};
    const rig = faultyRig({ handlers: [handled] });
    Object.assign(rig.deps, { onSession: ({ outcome }: { outcome: string }) => outcomes.push(outcome) });
    const { id } = await rig.client.enqueue(handled.type, {});
    meanwhile = async () => void (await rig.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { lockOwner: 'run/other' } }));
    await rig.deliver();
    await rig.client.enqueue(handled.type, {});
    meanwhile = async () => undefined;
    rig.faults.next(aimAt('delete', 'jobs'), 'unavailable', 3);
    await rig.until(rig.deliver());
    expect(outcomes).toEqual(['lost-lease', 'unrecorded']);
  });

  it('that its listener throws at, or rejects, changes nothing and is counted', async () => {
    const handled = ofLevel('off').handle(() => undefined);
    const rig = new Rig({ handlers: [handled] });
    let throwing = true;
    Object.assign(rig.deps, {
      onSession: () => {
        if (throwing) throw new Error('listener');
        return Promise.reject(new Error('listener'));
      },
    });
    for (const _ of [1, 2]) {
      const { id } = await rig.client.enqueue(handled.type, {});
      await rig.drain();
      expect(await rig.client.get(id)).toBeUndefined();
      throwing = false;
    }
    expect(rig.journal.entries.filter(({ event }) => event === 'hook-failed').map(({ reason }) => reason)).toEqual([
      'onSession',
      'onSession',
    ]);
  });
});
