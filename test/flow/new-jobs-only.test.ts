import { describe, expect, it } from 'vitest';
import { runCli } from '../../cli/run-cli.ts';
import { createAdminOver } from '../../operate/admin.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { complete } from '../../shared/job/verdict.ts';
import { fakeTerminal } from '../cli/fake-terminal.ts';
import { openConsole } from '../console/open-console.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const work = defineJob('work', { payload: anyPayload, retry: 'R3/PT1M' });
const first = defineJob('first', { payload: anyPayload });
const scope = { type: 'work' };
const environment = { NIGHTCREW_TABLES: '{}', NIGHTCREW_DEPLOYMENT: 'shop' };

const byName = ([a]: readonly unknown[], [b]: readonly unknown[]): number => (String(a) < String(b) ? -1 : 1);

function stage() {
  const ran: unknown[] = [];
  let failing = 0;
  const rig = new Rig({
    handlers: [
      work.handle(({ payload }) => {
        if (failing-- > 0) throw new Error('not yet');
        ran.push(payload['n']);
      }),
      first.handle(() => complete({ enqueue: [followUp(work, { n: 'follow-up' })] })),
    ],
  });
  const passed = async (ms: number): Promise<void> => {
    await rig.clock.advance(ms);
    await rig.fire();
    await rig.drain();
  };
  return { rig, admin: createAdminOver(rig.deps), ran, passed, fails: (times: number) => (failing = times) };
}

describe('a suspension of new jobs only', () => {
  it('lets those that were there before go on, and holds those that are created from then on', async () => {
    const { rig, admin, ran, passed } = stage();
    await rig.client.enqueue(work, { n: 'ready' });
    await rig.client.enqueue(work, { n: 'timer' }, { delay: HOUR });
    await admin.suspend(scope, { reason: 'drain it', newJobsOnly: true });
    await rig.clock.advance(5 * SECOND);
    const fresh = await rig.client.enqueue(work, { n: 'new' });
    await rig.drain();
    await passed(HOUR);
    expect(ran).toEqual(['ready', 'timer']);
    expect(await rig.client.get(fresh.id)).toMatchObject({ state: 'suspended', attempts: 0 });
    expect(await admin.resume(scope)).toBe('resumed');
    await passed(7 * SECOND);
    await rig.sweep();
    await passed(2 * SECOND);
    expect(ran).toEqual(['ready', 'timer', 'new']);
  });

  it('lets a retry of a job go on that was there before, and holds what it enqueues', async () => {
    const { rig, admin, ran, passed, fails } = stage();
    fails(1);
    const retried = await rig.client.enqueue(work, { n: 'retried' });
    await rig.drain();
    await rig.client.enqueue(first, {}, { delay: MINUTE });
    await admin.suspend(scope, { reason: 'drain it', newJobsOnly: true });
    await passed(5 * MINUTE);
    expect(ran).toEqual(['retried']);
    expect(await rig.client.get(retried.id)).toMatchObject({ state: 'finished', failures: 1 });
    expect((await rig.counts()).suspended).toBe(1);
  });

  it('counts from its beginning, in the past or in the future', async () => {
    const { rig, admin, ran, passed } = stage();
    const enqueue = async (n: number) => (await rig.client.enqueue(work, { n }, { delay: HOUR })).id;
    const [now, old] = [rig.clock.now(), await enqueue(0)];
    await rig.clock.advance(MINUTE);
    const recent = await enqueue(1);
    await admin.suspend(scope, { reason: 'a bad deployment', from: now + SECOND, newJobsOnly: true });
    expect((await admin.suspensions())[0]).toMatchObject({ state: 'in-force', createdAfter: new Date(now + SECOND) });
    await passed(HOUR);
    expect((await rig.client.get(old))?.state).toBe('finished');
    expect((await rig.client.get(recent))?.state).toBe('suspended');
    const from = rig.clock.now() + HOUR;
    await admin.suspend({ tenant: 'acme' }, { reason: 'moves away', from, newJobsOnly: true });
    const before = await rig.client.enqueue(first, {}, { tenant: 'acme', delay: 2 * HOUR });
    await passed(3 * HOUR);
    expect((await rig.client.get(before.id))?.state).toBe('finished');
    expect(ran).toEqual([0]);
  });

  it('keeps what an earlier suspension of all jobs stopped, says so, and lets it go on job by job', async () => {
    const { rig, admin, ran, passed } = stage();
    await admin.suspend(scope, { reason: 'stop' });
    const { id } = await rig.client.enqueue(work, { n: 'old' });
    await rig.drain();
    expect((await admin.explain(id))?.text).not.toContain('earlier suspension');
    await rig.clock.advance(MINUTE);
    await admin.suspend(scope, { reason: 'drain it', newJobsOnly: true });
    await rig.sweep();
    const told = await admin.explain(id);
    expect(told).toMatchObject({ code: 'held-by-suspension', verbs: ['resume', 'resumeJob', 'runNow', 'cancel'] });
    expect(told?.text).toContain('for jobs created after');
    expect(told?.text).toContain('an earlier suspension stopped it: resumeJob lets it go on.');
    await passed(5 * SECOND);
    expect(await admin.resumeJob(id)).toBe('resumed');
    await rig.drain();
    expect(ran).toEqual(['old']);
  });

  it('is recorded as such, and refuses anything but a flag', async () => {
    const { admin } = stage();
    await admin.suspend(scope, { reason: 'drain it', newJobsOnly: true });
    await admin.suspend('all', { reason: 'night', newJobsOnly: false });
    expect((await admin.audit()).map(({ scope: of, detail }) => [of, detail]).toSorted(byName)).toEqual([
      ['all', undefined],
      ['type#work', 'new jobs only'],
    ]);
    expect((await admin.suspensions()).map(({ createdAfter }) => createdAfter !== undefined)).toEqual([false, true]);
    await expect(admin.suspend(scope, { reason: 'r', newJobsOnly: 'yes' as never })).rejects.toThrow(/newJobsOnly/);
  });

  it('is begun and shown on the command line and in the console', async () => {
    const { rig, admin } = stage();
    const nightcrew = async (...args: readonly string[]): Promise<string> => {
      const terminal = fakeTerminal({ environment, admin, now: () => rig.clock.now() });
      expect(await runCli(args, terminal.io)).toBe(0);
      return terminal.out();
    };
    await nightcrew('suspensions', 'begin', '--type', 'work', '--reason', 'drain it', '--new-jobs-only');
    await nightcrew('suspensions', 'begin', '--tenant', 'acme', '--reason', 'unpaid');
    const list = await nightcrew('suspensions');
    expect(list).toMatch(/type#work +in-force +new /u);
    expect(list).toMatch(/tenant#acme +in-force +all /u);
    const console = await openConsole({ admin, now: () => rig.clock.now() });
    try {
      const { text } = await console.get('/suspensions');
      expect(text.match(/only jobs created after/gu)).toHaveLength(1);
      expect(text).toContain('name="newJobsOnly"');
      const suspend = async (newJobsOnly: unknown) => console.act('suspend', { kind: 'tenant', name: 'acme', reason: 'r', newJobsOnly });
      expect(await suspend(true)).toMatchObject({ ok: true, message: expect.stringContaining('new jobs') });
      expect(await suspend('perhaps')).toMatchObject({ ok: false, status: 400 });
      expect((await admin.suspensions()).map(({ createdAfter }) => createdAfter !== undefined)).toEqual([true, true]);
      expect(await suspend(false)).toMatchObject({ ok: true, message: expect.stringContaining('none of its jobs') });
      expect((await admin.suspensions()).map(({ createdAfter }) => createdAfter !== undefined)).toEqual([false, true]);
    } finally {
      await console.close();
    }
  });
});
