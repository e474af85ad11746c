import { describe, expect, it, vi } from 'vitest';
import { type Admin, createAdminOver } from '../../operate/admin.ts';
import { ERASED_TEXT } from '../../operate/erase/erase-places.ts';
import { nextDigest } from '../../operate/erase/erasure-state.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { fail } from '../../shared/job/verdict.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { WAIT } from '../support/patience.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const SECRET = 'carla@example.com';
const work = defineJob('work', { payload: anyPayload });
const other = defineJob('other', { payload: anyPayload });
const told = { actor: 'anna', reason: 'ticket 4711' };

interface Stage {
  readonly rig: Rig;
  readonly admin: Admin;
}

function stage(): Stage {
  const run = ({ payload }: { readonly payload: Record<string, unknown> }) =>
    payload['fails'] === true ? fail(`no mailbox ${String(payload['to'])}`) : undefined;
  const rig = new Rig({ handlers: [work.handle(run), other.handle(run)], history: 'full' });
  return { rig, admin: createAdminOver(rig.deps) };
}

/** Everything that is stored of a tenant, in every place but live jobs. */
async function ended({ rig }: Stage, tenant: string, type = work): Promise<{ readonly dead: string; readonly done: string }> {
  const dead = await rig.client.enqueue(type, { fails: true, to: SECRET }, { tenant });
  const done = await rig.client.enqueue(type, { to: SECRET }, { tenant });
  await rig.drain();
  await rig.clock.advance(1_000);
  return { dead: dead.id, done: done.id };
}

/** Every row that still has the text, or belongs to the tenant. */
async function rowsWith({ rig }: Stage, text: string): Promise<readonly string[]> {
  const tables = ['jobs', 'timers', 'deadLetters', 'suspended', 'control', 'history'] as const;
  const found = await Promise.all(
    tables.map(async (table) =>
      (await rig.rows(table))
        .filter((row) => JSON.stringify(row).includes(text))
        .map((row) => `${table} ${String(row['pk'] ?? row['id'])}`),
    ),
  );
  return found.flat();
}

describe('an erasure', () => {
  it('counts in a dry run what it would erase, and writes nothing', async () => {
    const made = stage();
    await ended(made, 'acme');
    const before = await made.rig.counts();
    const report = await made.admin.erase({ tenant: 'acme' });
    expect(report).toMatchObject({ status: 'dry-run', erased: { deadLetters: 1, finished: 1, attempts: 2, errorTexts: 1 }, live: 0 });
    expect(report.id).toBeUndefined();
    expect(await made.rig.counts()).toEqual(before);
    expect(await made.admin.audit()).toEqual([]);
  });

  it('leaves nothing of a tenant that has its payloads or errors, and everything of another', async () => {
    const made = stage();
    await ended(made, 'acme');
    const kept = await ended(made, 'umbrella', other);
    const report = await made.admin.erase({ tenant: 'acme' }, { apply: true, ...told });
    expect(report).toMatchObject({ status: 'done', erased: { deadLetters: 1, finished: 1, attempts: 2, errorTexts: 1 }, failed: 0 });
    expect((await made.admin.list({ tenant: 'acme', state: ['dead', 'finished'] })).jobs).toEqual([]);
    expect(await made.admin.find(kept.dead)).toMatchObject({ state: 'dead' });
    expect((await made.admin.history({ id: kept.done })).attempts).toHaveLength(1);
    const left = await rowsWith(made, SECRET);
    expect(left.filter((name) => !name.includes(kept.dead) && !name.includes(kept.done))).toEqual([`control error-groups`]);
    expect(
      (await made.admin.errorGroups({ state: 'all' })).groups
        .map(({ message, state }) => `${state} ${message}`)
        .toSorted((a, b) => (a < b ? -1 : 1)),
    ).toEqual([`closed ${ERASED_TEXT}`, `open no mailbox ${SECRET}`]);
  });

  it('proves by its steps and its entries in the audit which jobs it erased, with no content of theirs', async () => {
    const made = stage();
    const { dead, done } = await ended(made, 'acme');
    const report = await made.admin.erase({ tenant: 'acme' }, { apply: true, ...told });
    const { steps } = await made.admin.erasedJobs(report.id ?? '');
    expect(new Set(steps.flatMap(({ ids }) => ids))).toEqual(new Set([dead, done]));
    let digest = '';
    for (const step of steps) {
      digest = nextDigest(digest, step.ids);
      expect(step.digest).toBe(digest);
    }
    expect(report.digest).toBe(digest);
    const [end, begin] = await made.admin.audit();
    expect(begin).toMatchObject({ verb: 'erase', scope: 'tenant#acme', detail: `${report.id}: began`, ...told });
    expect(end?.detail).toBe(
      `${report.id}: done, 1 dead letters, 1 finished jobs in History, 2 attempts in History, 1 messages of error groups, ids sha256 ${digest}`,
    );
    expect(await rowsWith(made, SECRET)).toEqual([]);
    expect(await made.admin.erasures()).toEqual([await made.admin.erasure(report.id ?? '')]);
  });

  it('leaves live jobs alone unless it is told to cancel them, and says how many it left', async () => {
    const made = stage();
    const { rig, admin } = made;
    const later = await rig.client.enqueue(work, { to: SECRET }, { tenant: 'acme', delay: 'PT5H' });
    expect(await admin.erase({ tenant: 'acme' }, { apply: true, ...told })).toMatchObject({ status: 'done', live: 1, cancelled: 0 });
    expect(await rig.client.get(later.id)).toMatchObject({ state: 'waiting' });
    const report = await admin.erase({ tenant: 'acme' }, { apply: true, cancelLive: true, ...told });
    expect(report).toMatchObject({ live: 0, cancelled: 1, erased: { finished: 1 } });
    expect(await rowsWith(made, SECRET)).toEqual([]);
  });

  it('erases a single job with its attempts, result and events, and no other job of its type', async () => {
    const made = stage();
    const { dead, done } = await ended(made, 'acme');
    expect(await made.admin.erase({ id: dead }, { apply: true, ...told })).toMatchObject({
      erased: { deadLetters: 1, attempts: 1, errorTexts: 1 },
    });
    expect(await made.admin.find(dead)).toBeUndefined();
    expect(await made.admin.find(done)).toMatchObject({ state: 'finished' });
    expect(await made.admin.erase({ id: done }, { apply: true, ...told })).toMatchObject({ erased: { finished: 1, attempts: 1 } });
    expect(await rowsWith(made, SECRET)).toEqual([]);
  });

  it('counts schedules that go on enqueueing jobs of the scope', async () => {
    const { rig, admin } = stage();
    await admin.schedules.put(defineSchedule('nightly', { job: work, payload: { to: SECRET }, every: 'PT1H', tenant: 'acme' }));
    void rig;
    expect(await admin.erase({ tenant: 'acme' })).toMatchObject({ schedules: 1 });
    expect(await admin.erase({ type: 'other' })).toMatchObject({ schedules: 0 });
  });

  it('stops between steps, and a resumed one erases the rest and counts it once', async () => {
    const made = stage();
    const { rig, admin } = made;
    await rig.client.enqueueMany(
      work,
      Array.from({ length: 200 }, () => ({ fails: true, to: SECRET })),
      { tenant: 'acme' },
    );
    await rig.drain();
    await rig.clock.advance(1_000);
    const stopper = new AbortController();
    const stopping = admin.erase({ tenant: 'acme' }, { apply: true, signal: stopper.signal, ratePerSecond: 100, ...told });
    await vi.waitFor(() => expect(rig.clock.pending).toHaveLength(1), WAIT);
    stopper.abort();
    const stopped = await stopping;
    expect(stopped).toMatchObject({ status: 'stopped', erased: { deadLetters: 80, attempts: 0 } });
    const resumed = await admin.resumeErasure(stopped.id ?? '', { ratePerSecond: 100_000 });
    expect(resumed).toMatchObject({ status: 'done', erased: { deadLetters: 200, attempts: 200 } });
    expect(await rowsWith(made, SECRET)).toEqual([]);
    const { steps } = await admin.erasedJobs(stopped.id ?? '');
    expect(new Set(steps.flatMap(({ ids }) => ids)).size).toBe(200);
  });

  it('refuses a scope that names nothing, and an erasure without a reason', async () => {
    const { admin } = stage();
    await expect(admin.erase({})).rejects.toThrow(
      'scope: {} is not valid. Name a job by its id, a type, a tenant, or a type and a tenant.',
    );
    await expect(admin.erase({ tenant: 'acme' }, { apply: true })).rejects.toThrow('Say why');
  });
});
