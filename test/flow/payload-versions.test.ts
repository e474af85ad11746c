import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../operate/admin.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { continueWith, defineJob, defineLimit, type HandledJob, type JobInfo } from '../../shared/index.ts';
import { rigTables } from '../support/rig-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const v1 = defineJob('order.ship', { payload: z.object({ name: z.string() }) });
const v2 = defineJob('order.ship', {
  payload: z.object({ names: z.array(z.string()) }),
  version: 2,
  upcast: { 1: ({ name }: { name: string }) => ({ names: [name] }) },
});
const other = defineJob('other', { payload: anyPayload });

interface Ran {
  readonly payload: unknown;
  readonly job: JobInfo;
}

/** Deployments of one worker over the same tables, each with its own version of the code. */
function versions() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const ran: Ran[] = [];
  const note = ({ payload, job }: Ran): void => void ran.push({ payload, job });
  const deploy = (version: string, ...handlers: readonly HandledJob[]): Rig =>
    new Rig({
      clock,
      tables,
      version,
      handlers: [...handlers, other.handle(() => undefined)],
      settings: { noHandlerFirstRetryMs: 5 * MINUTE },
    });
  return { ran, old: deploy('1', v1.handle(note)), young: deploy('2', v2.handle(note)), deploy };
}

describe('a payload of an older version', () => {
  it('is lifted before it is validated, and its handler learns the version that was stored', async () => {
    const { old, young, ran } = versions();
    const { id } = await old.client.enqueue(v1, { name: 'a' });
    await young.clock.advance(10 * MINUTE);
    await young.sweep();
    await young.drain();
    expect(ran).toMatchObject([{ payload: { names: ['a'] }, job: { id, schemaVersion: 1 } }]);
    expect((await young.client.get(id))?.state).toBe('finished');
  });

  it('is lifted when its dead letter is redriven in a later version', async () => {
    const { ran, young, deploy } = versions();
    const failing = deploy(
      '1',
      v1.handle(() => raise(new Error('no'))),
    );
    const { id } = await failing.client.enqueue(v1, { name: 'a' }, { retry: 'never' });
    await failing.drain();
    expect(await createAdminOver(young.deps).redrive(id)).toBe('redriven');
    await young.drain();
    expect(ran).toMatchObject([{ payload: { names: ['a'] }, job: { id, schemaVersion: 1 } }]);
    expect((await young.client.get(id))?.state).toBe('finished');
  });

  it('without a version in its row counts as the first', async () => {
    const { young, ran } = versions();
    const { id } = await young.client.enqueue(v2, { names: [] });
    await young.tables.write({ op: 'update', table: 'jobs', key: { id }, set: { payload: '{"name":"b"}' }, remove: ['schemaVersion'] });
    await young.drain();
    expect(ran).toMatchObject([{ payload: { names: ['b'] }, job: { schemaVersion: 1 } }]);
  });

  it('is lifted for the key of a limit, too', async () => {
    const keys: unknown[] = [];
    const perName = defineLimit<{ names: string[] }>(
      'per-name',
      { concurrency: 1 },
      { key: ({ names }) => (keys.push(names), names.join()) },
    );
    const limited = defineJob('order.ship', {
      payload: z.object({ names: z.array(z.string()) }),
      version: 2,
      upcast: { 1: lifted },
      limits: [perName],
    });
    const { deploy } = versions();
    const rig = deploy(
      '3',
      limited.handle(() => undefined),
    );
    await rig.client.enqueue(v1, { name: 'c' });
    await rig.drain();
    expect(keys).toEqual([['c']]);
  });

  it('whose step throws is a dead letter at once that says which step and why', async () => {
    const { deploy } = versions();
    const broken = defineJob('order.ship', { payload: anyPayload, version: 2, upcast: { 1: () => raise(new Error('no such customer')) } });
    const rig = deploy(
      '3',
      broken.handle(() => undefined),
    );
    const { id } = await rig.client.enqueue(v1, { name: 'a' });
    await rig.drain();
    const job = await createAdminOver(rig.deps).find(id);
    expect(job).toMatchObject({ state: 'dead', reason: 'non-retryable', attempts: 1, payload: '{"name":"a"}', schemaVersion: 1 });
    expect(job?.error?.message).toBe('upcast.1: the step of job type "order.ship" from version 1 to 2 threw: no such customer');
  });

  it('is stored in the version of the code that wrote the state, when its handler goes on later', async () => {
    const { ran, old, deploy } = versions();
    const long = v2.handle(({ payload, job, state }) => {
      ran.push({ payload, job });
      return state === undefined ? continueWith({ step: 1 }) : undefined;
    });
    const rig = deploy('3', long);
    const { id } = await rig.client.enqueue(v1, { name: 'a' });
    await rig.deliver();
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ payload: '{"names":["a"]}', schemaVersion: 2, state: '{"step":1}' });
    await rig.drain();
    expect(ran.map(({ payload, job }) => [payload, job.schemaVersion])).toEqual([
      [{ names: ['a'] }, 1],
      [{ names: ['a'] }, 2],
    ]);
    expect((await old.client.get(id))?.state).toBe('finished');
  });

  it('that cannot be lifted a second time fails its attempt instead of losing it', async () => {
    const { deploy } = versions();
    let lifts = 0;
    const moody = defineJob('order.ship', {
      payload: anyPayload,
      version: 2,
      retry: 'never',
      upcast: { 1: () => (lifts++ === 0 ? {} : raise(new Error('moody'))) },
    });
    const rig = deploy(
      '3',
      moody.handle(() => continueWith({})),
    );
    const { id } = await rig.client.enqueue(v1, { name: 'a' });
    await rig.drain();
    expect(await rig.client.get(id)).toMatchObject({ state: 'dead', error: { message: expect.stringContaining('moody') } });
    // Once for the handler, once for the row: the job does not go on with a payload that cannot be lifted.
    expect(lifts).toBe(2);
  });
});

describe('a payload of a newer version', () => {
  it('waits with no counter moved, and runs when a worker that reads it reports', async () => {
    const { old, young, ran } = versions();
    const { id } = await old.client.enqueue(v2, { names: ['a'] });
    await old.drain();
    expect(await old.rows('suspended')).toMatchObject([{ id, cause: 'newer-version#order.ship@2', starts: 0, tries: 1, failures: 0 }]);
    expect(old.journal.entries).toContainEqual(expect.objectContaining({ event: 'suspended', reason: 'newer-version' }));
    // The old version reports again, which helps nobody.
    await old.clock.advance(4 * MINUTE);
    expect((await old.sweep()).resumed).toBe(0);
    await young.client.enqueue(other, {});
    await young.drain();
    expect((await young.sweep()).resumed).toBe(1);
    await young.drain();
    expect(ran).toMatchObject([{ payload: { names: ['a'] }, job: { attempt: 1, schemaVersion: 2 } }]);
  });

  it('is tried again with backoff while no version that reads it has reported', async () => {
    const { old } = versions();
    await old.client.enqueue(v2, { names: [] });
    await old.drain();
    await old.clock.advance(5 * MINUTE);
    expect((await old.sweep()).resumed).toBe(1);
    await old.drain();
    expect(await old.rows('suspended')).toMatchObject([{ tries: 2, cause: 'newer-version#order.ship@2' }]);
    await old.clock.advance(9 * MINUTE);
    expect((await old.sweep()).resumed).toBe(0);
    await old.clock.advance(MINUTE);
    expect((await old.sweep()).resumed).toBe(1);
  });

  it('is explained with the versions that read it, and those that do not', async () => {
    const { old, young } = versions();
    const { id } = await old.client.enqueue(v2, { names: [] });
    const admin = createAdminOver(old.deps);
    await old.drain();
    await old.sweep();
    const waiting = await admin.explain(id);
    expect(waiting).toMatchObject({ code: 'newer-version', next: { verb: 'resume', by: 'sweeper' } });
    expect(waiting?.text).toContain('had no handler for order.ship with payloads of version 2 when it met the job');
    expect(waiting?.text).toContain('None is in version 1.');
    await young.clock.advance(1_000);
    await young.client.enqueue(other, {});
    await young.drain();
    expect((await admin.explain(id))?.text).toContain('A handler is in version 2. None is in version 1.');
    expect((await admin.explain(id))?.text).toContain('One that has it reported since');
  });

  it('is predicted for a ready job whose worker reports older versions only', async () => {
    const { old } = versions();
    await old.client.enqueue(other, {});
    await old.drain();
    const { id } = await old.client.enqueue(v2, { names: [] });
    expect((await createAdminOver(old.deps).explain(id))?.text).toContain(
      'has a handler for order.ship with payloads of version 2: it would be suspended',
    );
    const first = await old.client.enqueue(v1, { name: 'a' });
    expect((await createAdminOver(old.deps).explain(first.id))?.text).not.toContain('would be suspended');
  });
});

describe('an operator who knows the types', () => {
  const knowing = (rig: Rig, type: typeof v2) => createAdminOver({ ...rig.deps, jobTypes: new Map([[type.name, type as never]]) });

  it('sees what a handler would get of a payload of another version, or why it gets nothing', async () => {
    const { old } = versions();
    const { id } = await old.client.enqueue(v1, { name: 'a' }, { delay: 'PT1H' });
    const admin = knowing(old, v2);
    expect(await admin.find(id)).toMatchObject({
      payload: '{"name":"a"}',
      schemaVersion: 1,
      lifted: { schemaVersion: 2, payload: '{"names":["a"]}' },
    });
    const same = await old.client.enqueue(v2, { names: [] }, { delay: 'PT1H' });
    expect(await admin.find(same.id)).not.toHaveProperty('lifted');
    const wrong = await old.client.enqueue(v1, { name: 'a' }, { delay: 'PT1H' });
    await old.tables.write({ op: 'update', table: 'timers', key: await keyOf(old, wrong.id), set: { payload: '{"name":1}' } });
    expect((await admin.find(wrong.id))?.lifted).toMatchObject({ schemaVersion: 2, problem: expect.stringContaining('names.0: ') });
    const newer = await knowing(old, v1 as never).find(same.id);
    expect(newer?.lifted).toEqual({ schemaVersion: 1, problem: 'It is newer: code of version 1 cannot read it.' });
  });

  it('edits and redrives in the version of the code', async () => {
    const { deploy } = versions();
    const failing = v1.handle(() => raise(new Error('no')));
    const rig = deploy('1', { ...failing, type: { ...v1, retry: { kind: 'never' } as never } });
    const { id } = await rig.client.enqueue(v1, { name: 'a' }, { retry: 'never' });
    await rig.drain();
    const admin = knowing(rig, v2);
    await expect(admin.redrive(id, { payload: { name: 'b' } })).rejects.toThrow(/names: /);
    expect(await admin.redrive(id, { payload: { names: ['b'] } })).toBe('redriven');
    expect(await rig.tables.get('jobs', { id })).toMatchObject({ payload: '{"names":["b"]}', schemaVersion: 2 });
  });
});

const lifted = ({ name }: { name: string }) => ({ names: [name] });

async function keyOf(rig: Rig, id: string): Promise<{ shard: string; due: string }> {
  const row = (await rig.rows('timers')).find((one) => one['id'] === id);
  return { shard: String(row?.['shard']), due: String(row?.['due']) };
}

function raise(error: Error): never {
  throw error;
}
