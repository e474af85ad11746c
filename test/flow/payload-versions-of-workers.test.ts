import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { createAdminOver } from '../../operate/admin.ts';
import { createMemoryHintSource } from '../../shared/adapters/memory/hint-source.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { defineJob, type HandledJob } from '../../shared/index.ts';
import { EVERY_TYPE } from '../../shared/features/workers/store/worker-rows.ts';
import { createWorkerReporter } from '../../functions/executor/report-worker.ts';
import { EveryType } from '../../functions/worker/external/every-type.ts';
import { externalOver } from '../../functions/worker/external/external-over.ts';
import { rigTables } from '../support/rig-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const v1 = defineJob('order.ship', { payload: z.object({ name: z.string() }) });
const v2 = defineJob('order.ship', {
  payload: z.object({ names: z.array(z.string()) }),
  version: 2,
  upcast: { 1: ({ name }: { name: string }) => ({ names: [name] }) },
});
const other = defineJob('other', { payload: anyPayload });

/** Deployments of one worker over the same tables, each with its own version of the code. */
function versions(): (version: string, ...handlers: readonly HandledJob[]) => Rig {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  return (version, ...handlers) =>
    new Rig({
      clock,
      tables,
      version,
      handlers: [...handlers, other.handle(() => undefined)],
      settings: { noHandlerFirstRetryMs: 300_000 },
    });
}

describe('a worker', () => {
  it('reports the versions beyond the first, and takes them back when its code has them no more', async () => {
    const deploy = versions();
    const rig = deploy(
      '3',
      v2.handle(() => undefined),
    );
    const row = async () => (await rig.rows('control')).find(({ pk }) => pk === 'workers');
    await rig.client.enqueue(other, {});
    await rig.drain();
    expect(await row()).toMatchObject({ types: 'order.ship,other', payloads: 'order.ship@2' });
    expect(await createAdminOver(rig.deps).workers()).toMatchObject([{ version: '3', payloads: { 'order.ship': 2 } }]);
    await createWorkerReporter({ kind: 'outside', types: ['order.ship'], version: '3' }).report(rig.deps);
    expect(await row()).toMatchObject({ version: '3', types: 'order.ship', payloads: '' });
    expect((await createAdminOver(rig.deps).workers())[0]).not.toHaveProperty('payloads');
  });

  it('that hands out tasks gives what it was not told of as it is stored, with its version', async () => {
    const old = versions()('1');
    await old.client.enqueue(v1, { name: 'a' });
    await old.client.enqueue(v2, { names: ['b'] });
    const session = externalOf(old, new EveryType('default', []));
    const tasks = await old.until(session.fetchAndLock(10, 'PT1M'));
    expect(tasks.map(({ payload, schemaVersion }) => [payload, schemaVersion])).toEqual([
      [{ name: 'a' }, 1],
      [{ names: ['b'] }, 2],
    ]);
  });

  it('that hands out tasks lifts those of a type that it was given, and leaves newer ones to wait', async () => {
    const deploy = versions();
    const old = deploy('1');
    const rig = deploy('3');
    await rig.client.enqueue(v1, { name: 'a' });
    const session = externalOf(rig, new EveryType('default', [v2]));
    expect(await rig.until(session.fetchAndLock(10, 'PT1M'))).toMatchObject([{ payload: { names: ['a'] }, schemaVersion: 2 }]);
    await old.client.enqueue(v2, { names: [] });
    expect(await old.until(externalOf(old, new EveryType('default', [v1])).fetchAndLock(10, 'PT1M'))).toEqual([]);
    expect(await old.rows('suspended')).toMatchObject([{ cause: 'newer-version#order.ship@2' }]);
    // One that was given no version of the type hands it out.
    await old.clock.advance(1_000);
    await report(old, new EveryType('default', [v1]));
    expect((await old.sweep()).resumed).toBe(0);
    await report(old, new EveryType('default', []));
    expect((await old.sweep()).resumed).toBe(1);
  });

  it('that hands out tasks makes a dead letter of one whose step throws', async () => {
    const deploy = versions();
    const rig = deploy('3');
    const broken = defineJob('order.ship', { payload: anyPayload, version: 2, upcast: { 1: () => raise(new Error('no')) } });
    const { id } = await rig.client.enqueue(v1, { name: 'a' });
    expect(await rig.until(externalOf(rig, new EveryType('default', [broken])).fetchAndLock(1, 'PT1M'))).toEqual([]);
    expect(await rig.client.get(id)).toMatchObject({
      state: 'dead',
      error: { message: expect.stringMatching(/^upcast\.1: .*threw: no$/) },
    });
  });
});

function externalOf(rig: Rig, handlers: EveryType) {
  return externalOver({ ...rig.deps, handlers }, { source: createMemoryHintSource(rig.hints, rig.clock), queues: rig.queues });
}

async function report(rig: Rig, handlers: EveryType): Promise<void> {
  await createWorkerReporter({ kind: 'outside', types: [EVERY_TYPE], versions: handlers.versions(), version: 'x' }).report({
    ...rig.deps,
    deployment: { ...rig.deployment, version: 'x' },
  });
}

function raise(error: Error): never {
  throw error;
}
