import { describe, expect, it } from 'vitest';
import { seededEntropy } from '../../shared/adapters/memory/seeded-entropy.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { sha256 } from './build-bundle.ts';
import { both, drain } from './both-versions.ts';
import { keptReleases } from './kept-release.ts';
import { knowsExpiry } from './known-features.ts';
import { type SharedDeployment, shiftTime, type Version } from './shared-deployment.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const RELEASES = keptReleases();
const told = { actor: 'anna', reason: 'both versions at once' };
shiftTime();

async function count(shared: SharedDeployment, table: TableName): Promise<number> {
  return (await shared.tables.scan({ table, segment: 0, segments: 1, limit: 1_000 })).rows.length;
}

const fails = (): never => {
  throw new TypeError('the relay answered 451');
};

describe.each(RELEASES)('the release of $origin.committedAt beside the code of today', (release) => {
  it('is the bundle that was built from its commit', () => {
    expect(sha256(release.source)).toBe(release.origin.sha256);
  });

  describe.each(['earlier', 'today'] as const)('what the version %s has begun, the other goes on with', (first) => {
    it('a job with every option: the other runs it, and its key is free again for both', async () => {
      const { shared, a, b } = await both(release, first);
      const options = { key: 'order-1', tenant: 'acme', priority: 3, correlationId: 'c-1' };
      const { id } = await a.client.enqueue(a.types.plain, { order: 1 }, options);
      expect(await b.client.enqueue(b.types.plain, {}, options)).toMatchObject({ id, duplicate: true });
      const seen: unknown[] = [];
      shared.handler = ({ payload, job }) => void seen.push({ payload, ...job });
      await drain(b);
      expect(seen).toEqual([
        expect.objectContaining({ payload: { order: 1 }, id, attempt: 1, priority: 3, tenant: 'acme', correlationId: 'c-1' }),
      ]);
      expect(await a.client.get(id)).toMatchObject({ state: 'finished', outcome: 'completed' });
      expect(await a.client.enqueue(a.types.plain, {}, options)).not.toMatchObject({ duplicate: true });
      await drain(b);
      expect(await count(shared, 'jobs')).toBe(0);
    });

    it('a timer: the other moves it, the first fires it, the other runs it, and not early', async () => {
      const { shared, a, b } = await both(release, first);
      const { id } = await a.client.enqueue(a.types.plain, {}, { delay: 'PT3H' });
      expect(await b.client.reschedule(id, { delay: 'PT1H' })).toBe('rescheduled');
      await a.acquire();
      expect(await count(shared, 'timers')).toBe(1);
      shared.pass(HOUR - MINUTE);
      await a.acquire();
      expect(await count(shared, 'timers')).toBe(0);
      await drain(b);
      expect(shared.runs).toEqual([]);
      shared.pass(MINUTE + 1_000);
      await drain(b);
      expect(shared.runs).toEqual([{ by: b.name, id, type: 'plain', attempt: 1 }]);
    });

    it('retries of one job, near and far: both count its failures, bury it, redrive it and see its attempts', async () => {
      const { shared, a, b } = await both(release, first);
      const { id } = await a.client.enqueue(a.types.plain, {});
      const { id: later } = await b.client.enqueue(b.types.later, {});
      shared.handler = fails;
      for (const version of [a, b, a]) {
        await drain(version);
        shared.pass(2 * HOUR + MINUTE);
        await version.acquire();
        await version.sweep();
      }
      const attempts = [1, 2, 3].map((attempt) => ({ by: attempt === 2 ? b.name : a.name, attempt }));
      for (const each of [id, later]) expect(shared.runs.filter((run) => run.id === each)).toMatchObject(attempts);
      for (const { admin } of [a, b]) {
        expect(await admin.find(id)).toMatchObject({ state: 'dead', reason: 'retries-exhausted', failures: 3 });
        expect((await admin.list({ state: 'dead', type: 'later' })).jobs.map((job) => job.id)).toEqual([later]);
      }
      expect((await a.admin.errorGroups()).groups).toEqual(
        (await b.admin.errorGroups()).groups.map((group) => expect.objectContaining({ fingerprint: group.fingerprint })),
      );
      shared.handler = () => undefined;
      for (const each of [id, later]) expect(await b.admin.redrive(each, told)).toBe('redriven');
      await drain(a);
      expect(await count(shared, 'deadLetters')).toBe(0);
      expect((await b.client.history(id)).attempts.length).toBe(4);
      expect(await a.client.get(later)).toMatchObject({ outcome: 'completed' });
    });

    it('a batch: both run its jobs, and its callback runs once', async () => {
      const { shared, a, b } = await both(release, first);
      const callback = { type: a.types.plain, payload: { of: 'batch' }, options: {} };
      const { id } = await a.client.enqueueBatch(
        a.types.plain,
        Array.from({ length: 6 }, () => ({})),
        { onCompleted: callback },
      );
      const callbacks: string[] = [];
      shared.handler = ({ job }) => void (job.callbackOf === undefined || callbacks.push(job.callbackOf));
      for (const version of [a, b, a, b, a, b]) await version.deliver(1);
      await drain(b);
      expect(new Set(shared.runs.map(({ by }) => by))).toEqual(new Set([a.name, b.name]));
      expect(callbacks).toEqual([id]);
      expect(await b.client.batch(id)).toMatchObject({ total: 6, succeeded: 6 });
    });

    it('a group: neither runs a job of it while the other does', async () => {
      const { shared, a, b } = await both(release, first);
      const { id } = await a.client.enqueue(a.types.grouped, {});
      let leave = (): void => {};
      const held = new Promise<void>((resolve) => (leave = resolve));
      shared.handler = ({ job }) => (job.id === id ? held : undefined);
      const running = a.deliver();
      await expect.poll(() => shared.runs.length).toBe(1);
      const next = await b.client.enqueue(b.types.grouped, {});
      await shared.repeatGroupHint(next.id);
      await b.deliver();
      expect(shared.runs.map((run) => run.id)).toEqual([id]);
      leave();
      await running;
      shared.pass(10 * MINUTE);
      await drain(b);
      expect(shared.runs.map((run) => run.id)).toEqual([id, next.id]);
    });

    it("the lease of a process that died: the other's sweeper resets it, and a late end of the first run changes nothing", async () => {
      const { shared, a, b } = await both(release, first);
      const { id } = await a.client.enqueue(a.types.plain, {});
      let thaw = (): void => {};
      const frozen = new Promise<void>((resolve) => (thaw = resolve));
      shared.handler = (_, by) => (by === a.name ? frozen : undefined);
      const dead = a.deliver();
      await expect.poll(() => shared.runs.length).toBe(1);
      shared.pass(5 * MINUTE);
      await b.sweep();
      expect(await b.admin.find(id)).toMatchObject({ state: 'running' });
      shared.pass(MINUTE);
      await b.sweep();
      expect(await b.admin.find(id)).toMatchObject({ state: 'ready' });
      await drain(b);
      thaw();
      await dead;
      expect(shared.runs.map(({ by }) => by)).toEqual([a.name, b.name]);
      expect(await a.client.get(id)).toMatchObject({ outcome: 'completed', attempts: 2 });
    });

    it('a limit: the other releases whom the first has parked', async () => {
      const { shared, a, b } = await both(release, first);
      let leave = (): void => {};
      const inside = new Promise<void>((resolve) => (leave = resolve));
      const { id } = await a.client.enqueue(a.types.limited, {});
      shared.handler = ({ job }) => (job.id === id ? inside : undefined);
      const holding = b.deliver();
      await expect.poll(() => shared.runs.length).toBe(1);
      const { id: second } = await a.client.enqueue(a.types.limited, {});
      await a.deliver();
      expect(await b.admin.find(second)).toMatchObject({ state: 'parked' });
      leave();
      await holding;
      await b.acquire();
      await drain(a);
      expect(shared.runs.map((run) => run.id)).toEqual([id, second]);
      expect(await count(shared, 'timers')).toBe(0);
    });

    it('a schedule: both fire its occurrences, one at a time and none twice', async () => {
      const { shared, a, b } = await both(release, first);
      const nominal: (number | undefined)[] = [];
      shared.handler = ({ job }) => void nominal.push(job.nominalAt?.getTime());
      await a.admin.schedules.put(defineSchedule('hourly', { job: a.types.plain, payload: {}, cron: '0 * * * *', zone: 'Europe/Berlin' }));
      for (let passed = 0; passed < 6; passed++) {
        shared.pass(HOUR);
        const version = passed % 2 === 0 ? b : a;
        await version.acquire();
        await version.sweep();
        await drain(version);
      }
      expect(nominal.length).toBeGreaterThanOrEqual(5);
      expect(new Set(nominal).size).toBe(nominal.length);
      expect(new Set(nominal.map((at) => (at ?? 1) % HOUR))).toEqual(new Set([0]));
      expect(await b.admin.schedules.pause('hourly', told)).toBe(true);
      expect(await count(shared, 'timers')).toBe(0);
    });

    it('a suspension: the other suspends by it, and resumes when the first has lifted it', async () => {
      const { shared, a, b } = await both(release, first);
      await a.admin.suspend({ tenant: 'acme' }, { reason: 'has not paid' });
      const { id } = await a.client.enqueue(a.types.plain, {}, { tenant: 'acme' });
      await drain(b);
      expect(await a.admin.find(id)).toMatchObject({ state: 'suspended' });
      expect(shared.runs).toEqual([]);
      await lift(a);
      shared.pass(MINUTE);
      await b.sweep();
      await drain(a);
      expect(shared.runs.map((run) => run.id)).toEqual([id]);
    });
  });

  it.skipIf(knowsExpiry(release))('the earlier version keeps what only today writes, wherever it moves a job', async () => {
    const { shared, a: earlier, b: now } = await both(release, 'earlier');
    const tracestate = 'vendor=1';
    const traced = { traceparent: `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, tracestate, startWithin: 'P2D' } as const;
    const { id } = await now.client.enqueue(now.types.later, {}, { ...traced, delay: 'PT5H' });
    const row = async (table: TableName) => (await shared.tables.scan({ table, segment: 0, segments: 1, limit: 10 })).rows[0];
    const written = await row('timers');
    expect(written).toMatchObject({ id, tracestate, startBy: expect.any(String) });
    const kept = { startBy: written?.['startBy'], tracestate };
    expect(await earlier.client.reschedule(id, { delay: 'PT1H' })).toBe('rescheduled');
    expect(await row('timers')).toMatchObject(kept);
    shared.pass(HOUR);
    await earlier.acquire();
    expect(await row('jobs')).toMatchObject(kept);
    shared.handler = fails;
    await drain(earlier);
    expect(await row('timers')).toMatchObject(kept);
    for (let attempt = 2; attempt <= 3; attempt++) {
      shared.pass(2 * HOUR + MINUTE);
      await earlier.acquire();
      await drain(earlier);
    }
    expect(await row('deadLetters')).toMatchObject(kept);
    expect(await earlier.admin.redrive(id, told)).toBe('redriven');
    expect(await row('jobs')).toMatchObject(kept);
  });

  it('thirty jobs of every kind, each step of which one of the versions makes, drawn at random: each ends once, and nothing is left', async () => {
    const { shared, a, b } = await both(release, 'earlier');
    const random = seededEntropy(18);
    const either = (): Version => (random.random() < 0.5 ? a : b);
    const ended: string[] = [];
    shared.handler = ({ job, payload }) => (job.attempt <= Number(payload['fails']) ? fails() : void ended.push(job.id));
    const options = [{}, { delay: 'PT30M' }, { key: 'k' }, { tenant: 'acme', priority: 5 }, { delay: 'PT2M' }];
    const ids = new Set<string>();
    for (let made = 0; made < 30; made++) {
      const { client, types } = either();
      const type = Object.values(types)[made % 4] ?? types.plain;
      ids.add((await client.enqueue(type, { fails: made % 3 }, options[made % options.length])).id);
    }
    for (let passed = 0; passed < 6 * HOUR && ended.length < ids.size; passed += 5 * MINUTE) {
      await either().acquire();
      await either().sweep();
      while ((await either().deliver(3)) > 0);
      shared.pass(5 * MINUTE);
    }
    expect(ended.toSorted()).toEqual([...ids].toSorted());
    expect(new Set(shared.runs.map(({ by }) => by)).size).toBe(2);
    for (const table of ['jobs', 'timers', 'deadLetters', 'suspended'] as const) expect(await count(shared, table), table).toBe(0);
  });
});

/** Lifts a suspension by the name that the verb has in a version. */
async function lift({ admin }: Version): Promise<void> {
  const { activate, resume } = admin as unknown as Record<'activate' | 'resume', typeof admin.resume | undefined>;
  await (resume ?? activate)?.({ tenant: 'acme' }, told);
}
