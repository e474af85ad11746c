import { describe, expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { defineJob, type HandledJob, type PayloadCodec } from '../../shared/index.ts';
import { rigTables } from '../support/rig-tables.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { sealingCodec } from '../support/sealing-codec.ts';

const MINUTE = 60_000;
const [spring, summer] = [sealingCodec('spring'), sealingCodec('summer')];
const pay = (codecs: { readonly codec?: PayloadCodec; readonly readCodecs?: readonly PayloadCodec[] }) =>
  defineJob('pay', { payload: anyPayload, ...codecs });
const plain = pay({});
const before = pay({ codec: spring });
const after = pay({ codec: summer, readCodecs: [spring] });
const other = defineJob('other', { payload: anyPayload });

/** Deployments of one worker over the same tables, each with its own version of the code. */
function releases() {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const ran: unknown[] = [];
  const deploy = (version: string, type: typeof plain | undefined, ...more: readonly HandledJob[]): Rig =>
    new Rig({
      clock,
      tables,
      version,
      handlers: [
        ...(type === undefined ? [] : [type.handle(({ payload }) => void ran.push([version, payload]))]),
        other.handle(() => undefined),
        ...more,
      ],
      settings: { noHandlerFirstRetryMs: 5 * MINUTE },
    });
  return { ran, deploy };
}

async function useWorker(rig: Rig): Promise<void> {
  await rig.clock.advance(1_000);
  await rig.client.enqueue(other, {});
  await rig.drain();
}

describe('while two releases run side by side', () => {
  it('a payload of a codec that the code does not know waits, and no counter moves', async () => {
    const { ran, deploy } = releases();
    const old = deploy('1', before);
    const { id } = await old.client.enqueue(after, { n: 1 });
    await old.drain();
    expect(await createAdminOver(old.deps).find(id)).toMatchObject({
      state: 'suspended',
      cause: 'unknown-codec#pay@summer',
      attempts: 0,
      failures: 0,
      codec: 'summer',
    });
    expect(old.journal.entries.filter(({ event }) => event === 'suspended')).toMatchObject([{ reason: 'unknown-codec' }]);
    expect(ran).toEqual([]);
  });

  it('such a job runs as soon as a worker with that codec reports, and not because of one without', async () => {
    const { ran, deploy } = releases();
    const [old, young] = [deploy('1', before), deploy('2', after)];
    await old.client.enqueue(after, { n: 1 });
    await old.drain();
    await useWorker(old);
    expect((await old.sweep()).resumed).toBe(0);
    await useWorker(young);
    expect((await young.sweep()).resumed).toBe(1);
    await young.drain();
    expect(ran).toEqual([['2', { n: 1 }]]);
  });

  it('such a job does not wait for a worker that has the codec for another type only', async () => {
    const { ran, deploy } = releases();
    const old = deploy('1', before);
    await old.client.enqueue(after, { n: 1 });
    await old.drain();
    const others = defineJob('pay.late', { payload: anyPayload, codec: summer });
    await useWorker(
      deploy(
        '2',
        before,
        others.handle(() => undefined),
      ),
    );
    expect((await old.sweep()).resumed).toBe(0);
    const suffix = defineJob('late.pay', { payload: anyPayload, codec: summer });
    await old.clock.advance(MINUTE);
    await useWorker(
      deploy(
        '3',
        before,
        suffix.handle(() => undefined),
      ),
    );
    expect((await old.sweep()).resumed).toBe(0);
    expect(ran).toEqual([]);
  });

  it('such a job is tried again with backoff where no worker reports', async () => {
    const { ran, deploy } = releases();
    const [old, young] = [deploy('1', plain), deploy('2', before)];
    await old.client.enqueue(before, { n: 1 });
    await old.drain();
    await young.clock.advance(6 * MINUTE);
    expect((await young.sweep()).resumed).toBe(1);
    await young.drain();
    expect(ran).toEqual([['2', { n: 1 }]]);
  });

  it('the younger one runs what the older one stored, in its codec or as JSON', async () => {
    const { ran, deploy } = releases();
    const young = deploy('2', after);
    await young.client.enqueue(plain, { n: 1 });
    await young.client.enqueue(before, { n: 2 });
    await young.client.enqueue(after, { n: 3 });
    await young.drain();
    expect(new Set(ran)).toEqual(
      new Set([
        ['2', { n: 1 }],
        ['2', { n: 2 }],
        ['2', { n: 3 }],
      ]),
    );
  });

  it('a payload of a type that nobody knows waits for its type, and a newer one for its version', async () => {
    const { deploy } = releases();
    const bare = deploy('1', undefined);
    await bare.client.enqueue(before, { n: 1 });
    const newer = defineJob('pay', { payload: anyPayload, codec: summer, version: 2, upcast: { 1: (old: unknown) => old } });
    const old = deploy('2', before);
    await bare.deliver();
    await bare.clock.advance(1_000);
    await old.client.enqueue(newer, { n: 2 });
    await old.deliver();
    const causes = (await bare.rows('suspended')).map(({ cause }) => cause);
    expect(new Set(causes)).toEqual(new Set(['no-handler#pay', 'newer-version#pay@2']));
  });
});

describe('an operator', () => {
  it('is told which codec a job waits for, and which versions of its worker have it', async () => {
    const { deploy } = releases();
    const [old, young] = [deploy('1', before), deploy('2', after)];
    const { id } = await old.client.enqueue(after, { n: 1 });
    await old.drain();
    await old.sweep();
    await useWorker(young);
    await useWorker(old);
    const told = await createAdminOver(young.deps).explain(id);
    expect(told).toMatchObject({ code: 'unknown-codec' });
    expect(told?.text).toContain('had no handler for pay with payloads encoded by summer');
    expect(told?.text).toContain('A handler is in version 2. None is in version 1.');
  });

  it('resumes such a job by hand', async () => {
    const { ran, deploy } = releases();
    const [old, young] = [deploy('1', before), deploy('2', after)];
    const { id } = await old.client.enqueue(after, { n: 1 });
    await old.drain();
    expect(await createAdminOver(young.deps).resumeJob(id)).toBe('resumed');
    await young.drain();
    expect(ran).toEqual([['2', { n: 1 }]]);
  });

  it('lets such a job go when he moves it to another type, because that may have the codec', async () => {
    const { deploy } = releases();
    const [old, young] = [deploy('1', before), deploy('2', after)];
    const { id } = await old.client.enqueue(after, { n: 1 });
    await old.drain();
    const moved = defineJob('moved', { payload: anyPayload, codec: summer });
    const jobTypes = new Map([after, moved].map((type) => [type.name, type]));
    expect(await createAdminOver({ ...young.deps, jobTypes }).move(id, { type: 'moved' })).toBe('moved');
    expect(await young.rows('jobs')).toMatchObject([{ id, type: 'moved', codec: 'summer' }]);
  });

  it('sees the codecs of a worker, which are taken back when its code has them no more', async () => {
    const { deploy } = releases();
    const row = async (rig: Rig) => (await rig.rows('control')).find(({ pk }) => pk === 'workers');
    const young = deploy('1', after);
    await useWorker(young);
    expect(await row(young)).toMatchObject({ codecs: 'pay=summer,pay@spring' });
    expect(await createAdminOver(young.deps).workers()).toMatchObject([{ codecs: ['spring', 'summer'] }]);
    const rig = deploy('1', plain);
    await rig.clock.advance(6 * MINUTE);
    await useWorker(rig);
    expect(await row(rig)).not.toHaveProperty('codecs');
    expect((await createAdminOver(rig.deps).workers())[0]).not.toHaveProperty('codecs');
  });
});
