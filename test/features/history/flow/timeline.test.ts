import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../../../operate/admin.ts';
import type { JobTimeline } from '../../../../operate/timeline.ts';
import { InvalidInputError } from '../../../../shared/job/errors.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { complete } from '../../../../shared/job/verdict.ts';
import { auditWrite } from '../../../../shared/features/audit/store/audit.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import { ON_DYNAMO } from '../../../support/rig-tables.ts';

const DAY = 86_400_000;
const work = defineJob('work', { payload: anyPayload, retry: 'never' });

/** Jobs fail while it is broken, and give a result afterwards. */
function stage() {
  const health = { broken: true };
  const run = () => {
    if (health.broken) throw new Error('no');
    return complete({ result: { total: 7 } });
  };
  const rig = new Rig({ handlers: [work.handle(run)], history: 'attempts' });
  return { rig, health, admin: createAdminOver(rig.deps) };
}

const told = (timeline: JobTimeline | undefined): readonly string[] =>
  (timeline?.entries ?? []).map((entry) =>
    entry.kind === 'attempt'
      ? entry.attempt.outcome
      : entry.kind === 'act'
        ? `${entry.act.actor}: ${entry.act.verb}`
        : entry.kind === 'ended'
          ? `ended as ${entry.as}`
          : entry.kind,
  );

describe('the timeline of a job', () => {
  it('has its attempts, what operators did to it in between, its end and its result', async () => {
    const { rig, health, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { runAt: rig.clock.now() + 3 * DAY });
    const { id: other } = await rig.client.enqueue(work, {});
    await rig.clock.advance(DAY);
    await admin.setPriority(id, 5, { actor: 'anna' });
    await rig.clock.advance(1_000);
    await admin.runNow(id, { actor: 'ben', reason: 'now' });
    await rig.drain();
    expect(told(await admin.timeline(id)).at(-1)).toMatch(/^ended as /);
    await rig.clock.advance(1_000);
    health.broken = false;
    await admin.redrive(id, { actor: 'anna' });
    await admin.redrive(other, { actor: 'anna' });
    await rig.clock.advance(1_000);
    await rig.drain();
    const timeline = await admin.timeline(id);
    expect(told(timeline)).toEqual([
      'created',
      'anna: setPriority',
      'ben: runNow',
      'dead-lettered',
      'anna: redrive',
      'completed',
      'ended as completed',
    ]);
    expect(timeline).toMatchObject({ id, actsComplete: true, result: { json: '{"total":7}' } });
    expect(timeline?.result?.until.getTime()).toBeGreaterThan(rig.clock.now());
  });

  it('is still there for a dead letter that was deleted, and undefined for what never was', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await rig.drain();
    await rig.clock.advance(1_000);
    await admin.delete(id, { actor: 'anna' });
    expect(told(await admin.timeline(id))).toEqual(['dead-lettered', 'anna: delete']);
    expect(await admin.timeline(rig.client.newId())).toBeUndefined();
    await expect(admin.timeline('nonsense')).rejects.toThrow(InvalidInputError);
  });

  it('has the attempts of a job that is gone and ran before its time', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { runAt: rig.clock.now() + 3 * DAY });
    await admin.runNow(id, { actor: 'ben' });
    await rig.drain();
    await rig.clock.advance(2 * DAY);
    await admin.delete(id, { actor: 'anna' });
    expect(told(await admin.timeline(id))).toEqual(['ben: runNow', 'dead-lettered', 'anna: delete']);
  });

  it('looks through all 31 days for a job that is gone, and does not say that this is all', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { runAt: rig.clock.now() + 50 * DAY });
    await admin.bury(id, { actor: 'ben', reason: 'the bank is closed' });
    await rig.clock.advance(20 * DAY);
    await admin.delete(id, { actor: 'anna' });
    const timeline = await admin.timeline(id);
    expect(told(timeline)).toEqual(['ben: bury', 'anna: delete']);
    expect(timeline?.actsComplete).toBe(false);
  });

  it('reads the audit of the last 31 days, and says when there were more', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {}, { runAt: rig.clock.now() + 50 * DAY });
    await admin.setPriority(id, 5, { actor: 'anna' });
    await rig.clock.advance(30 * DAY);
    await admin.setPriority(id, 6, { actor: 'ben' });
    expect(await admin.timeline(id)).toMatchObject({ actsComplete: true });
    expect(told(await admin.timeline(id))).toEqual(['created', 'anna: setPriority', 'ben: setPriority']);
    const queries: string[] = [];
    const counting = createAdminOver({
      ...rig.deps,
      tables: {
        get: async (...given) => rig.tables.get(...given),
        write: async (...given) => rig.tables.write(...given),
        transact: async (...given) => rig.tables.transact(...given),
        putAll: async (...given) => rig.tables.putAll(...given),
        scan: async (...given) => rig.tables.scan(...given),
        query: async (asked) => {
          queries.push(asked.partition);
          return rig.tables.query(asked);
        },
      },
    });
    await rig.clock.advance(DAY);
    const late = await counting.timeline(id);
    expect(late?.actsComplete).toBe(false);
    expect(told(late)).toEqual(['created', 'ben: setPriority']);
    expect(queries.filter((partition) => partition.startsWith('audit#'))).toHaveLength(31);
  });

  it.skipIf(ON_DYNAMO)('says so when a day of the audit was too full to be read to its end', async () => {
    const { rig, admin } = stage();
    const { id } = await rig.client.enqueue(work, {});
    await admin.suspend('all', { reason: 'look' });
    const rows = Array.from({ length: 5_000 }, (_, n) => auditWrite({ verb: 'x', actor: 'y', at: rig.clock.now() + 1 }, `token-${n}`).row);
    await rig.tables.putAll('control', rows);
    expect((await admin.timeline(id))?.actsComplete).toBe(false);
  });

  it('is of a tenant for its own jobs alone', async () => {
    const { rig, health, admin } = stage();
    health.broken = false;
    const { id } = await rig.client.forTenant('acme').enqueue(work, {});
    await admin.setPriority(id, 5, { actor: 'anna' });
    await rig.drain();
    const acme = await admin.forTenant('acme').timeline(id);
    expect(told(acme)).toEqual(['created', 'anna: setPriority', 'completed', 'ended as completed']);
    expect(acme?.result?.json).toBe('{"total":7}');
    expect(await admin.forTenant('globex').timeline(id)).toBeUndefined();
  });
});
