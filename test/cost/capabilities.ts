import { createAdminOver } from '../../operate/admin.ts';
import { defineJob, type HandledJob, type JobHandler } from '../../shared/job/job-type.ts';
import { defineLimit } from '../../shared/job/limit.ts';
import { followUp } from '../../shared/job/follow-up.ts';
import { complete, continueWith, fail, snooze } from '../../shared/job/verdict.ts';
import { ErrorGroupSums } from '../../shared/features/error-groups/store/error-group-sums.ts';
import { createMemoryTables } from '../../shared/adapters/memory/tables.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import { anyPayload, Rig, type RigOptions } from '../support/rig.ts';
import { type UnitMeter, unitMeter } from '../support/write-units.ts';

/** A rig whose write units are counted. */
export interface MeteredRig {
  readonly rig: Rig;
  readonly meter: UnitMeter;
}

/** Something that a job can use, and what happens to one job that uses it, from enqueue to its end. */
export interface Capability {
  readonly name: string;
  readonly run: (open: (handlers: readonly HandledJob[], options?: RigOptions) => MeteredRig) => Promise<number>;
}

/** Opens rigs in memory without history, so that only what a capability costs is counted. */
export function openRig(handlers: readonly HandledJob[], options: RigOptions = {}): MeteredRig {
  const clock = new SettableClock();
  const meter = unitMeter(createMemoryTables({ clock }));
  return { rig: new Rig({ history: 'off', ...options, handlers, clock, tables: meter.tables }), meter };
}

const plain = defineJob('cost.plain', { payload: anyPayload });
const grouped = defineJob('cost.grouped', { payload: anyPayload, group: () => 'g' });

/** Enqueues one job and runs it to its end; the writes of it all. */
async function oneJob(
  open: typeof openRig,
  handled: HandledJob,
  more: { readonly options?: object; readonly rounds?: number } = {},
): Promise<number> {
  const { rig, meter } = open([handled]);
  await rig.client.enqueue(handled.type, {}, more.options ?? {});
  for (let round = 0; round < (more.rounds ?? 1); round++) {
    await rig.drain();
    await rig.clock.advance(60_000);
  }
  return meter.writes();
}

const two = defineLimit('cost.two', { concurrency: 2 });
const perMinute = defineLimit('cost.per-minute', { rate: 2, per: 'PT1M' });
const perLongMinute = defineLimit('cost.per-long-minute', { rate: 1, per: 'PT1M' });
const limited = defineJob('cost.limited', { payload: anyPayload, limits: [two] });
const paced = defineJob('cost.paced', { payload: anyPayload, limits: [perMinute] });
const waiting = defineJob('cost.waiting', { payload: anyPayload, limits: [perLongMinute] });
const done = (): undefined => undefined;
const LONG = 86_400_000;

/** In the order of the table in docs/operate/costs.md. */
export const CAPABILITIES: readonly Capability[] = [
  { name: 'plain job', run: (open) => oneJob(open, plain.handle(done)) },
  {
    name: 'one failed attempt',
    run: (open) =>
      oneJob(
        open,
        plain.handle(({ job }) => failFirst(job.failures)),
        { rounds: 2 },
      ),
  },
  {
    name: 'one snooze',
    run: (open) =>
      oneJob(
        open,
        plain.handle(({ job }) => (job.snoozes === 0 ? snooze('PT10S') : undefined)),
        { rounds: 2 },
      ),
  },
  { name: 'dead letter, of a known error', run: (open) => oneDeath(open, 30_000) },
  { name: 'dead letter, of an error that this sandbox has seen in the last ten seconds', run: (open) => oneDeath(open, 5_000) },
  {
    name: 'dead letter, of a new error',
    run: (open) =>
      oneJob(
        open,
        plain.handle(() => fail('no')),
      ),
  },
  { name: 'unique key', run: (open) => oneJob(open, plain.handle(done), { options: { key: 'k' } }) },
  { name: 'exclusive group', run: (open) => oneJob(open, grouped.handle(done)) },
  { name: 'group as a label only', run: (open) => oneJob(open, grouped.handle(done), { options: { exclusive: false } }) },
  {
    name: 'priority, tenant, correlation id',
    run: (open) => oneJob(open, plain.handle(done), { options: { priority: 5, tenant: 't', correlationId: 'c' } }),
  },
  {
    name: 'one `continueWith`',
    run: (open) =>
      oneJob(
        open,
        plain.handle(({ state }) => (state === undefined ? continueWith(1) : undefined)),
        { rounds: 2 },
      ),
  },
  {
    name: 'one report of progress',
    run: (open) =>
      oneJob(
        open,
        plain.handle(async ({ progress }) => progress(50, 'half')),
      ),
  },
  {
    name: 'result',
    run: (open) =>
      oneJob(
        open,
        plain.handle(() => complete({ result: 1 })),
      ),
  },
  {
    name: 'completion with one follow-up, before that runs',
    run: (open) => oneRun(open, () => complete({ enqueue: [followUp(plain, {}, { delay: LONG })] })),
  },
  { name: 'concurrency limit with room', run: (open) => oneJob(open, limited.handle(done)) },
  { name: 'rate limit with room', run: (open) => oneJob(open, paced.handle(done)) },
  { name: 'rate limit, one wait', run: bookedOnce },
  { name: 'child of a batch', run: childOfBatch },
  { name: 'suspended and resumed', run: suspendedOnce },
  { name: 'report of its worker, one in 5 minutes for all jobs of a process', run: reportOnce },
];

function failFirst(failures: number): void {
  if (failures === 0) throw new Error('the first attempt fails');
}

/** One dies of the fault that another one died of so long ago. */
async function oneDeath(open: typeof openRig, agoMs: number): Promise<number> {
  const { rig, meter } = open([plain.handle(() => fail('no'))]);
  const deps = { ...rig.deps, errorGroups: new ErrorGroupSums() };
  const die = async (): Promise<void> => {
    await rig.client.enqueue(plain, {});
    await rig.execute(rig.hints.receive({ worker: 'default', lane: 'default', kind: 'standard' }, 10), deps);
  };
  await die();
  await rig.clock.advance(agoMs);
  meter.reset();
  await die();
  return meter.writes();
}

/** What one run of a plain job writes, its enqueueing included. */
async function oneRun(open: typeof openRig, handler: JobHandler): Promise<number> {
  const { rig, meter } = open([plain.handle(handler)]);
  await rig.client.enqueue(plain, {});
  await rig.deliver();
  return meter.writes();
}

/** The second of two jobs waits for a minute; the first one's writes are taken off. */
async function bookedOnce(open: typeof openRig): Promise<number> {
  const { rig, meter } = open([waiting.handle(done)]);
  await rig.client.enqueue(waiting, {});
  await rig.drain();
  meter.reset();
  await rig.client.enqueue(waiting, {});
  await rig.drain();
  await rig.clock.advance(61_000);
  await rig.drain();
  return meter.writes();
}

/** A thousandth of a batch of a thousand: what its head, seal and end cost does not show. */
async function childOfBatch(open: typeof openRig): Promise<number> {
  const { rig, meter } = open([plain.handle(done)]);
  await rig.client.enqueueBatch(
    plain,
    Array.from({ length: 1_000 }, () => ({})),
  );
  await rig.drain();
  return Math.floor(meter.writes() / 1_000);
}

/** What the worker's second report adds to a plain job; the first of a version is two writes. */
async function reportOnce(open: typeof openRig): Promise<number> {
  const { rig, meter } = open([plain.handle(done)], { version: '1' });
  const run = async (): Promise<number> => {
    meter.reset();
    await rig.client.enqueue(plain, {});
    await rig.drain();
    return meter.writes();
  };
  await run();
  const between = await run();
  await rig.clock.advance(5 * 60_000);
  return (await run()) - between;
}

async function suspendedOnce(open: typeof openRig): Promise<number> {
  const { rig, meter } = open([plain.handle(done)]);
  const admin = createAdminOver(rig.deps);
  await admin.suspend({ type: plain.name }, { reason: 'measured' });
  await rig.clock.advance(6_000);
  // The first one lists the cause, which is paid once.
  await rig.client.enqueue(plain, {});
  await rig.drain();
  meter.reset();
  await rig.client.enqueue(plain, {});
  await rig.drain();
  const aside = meter.writes();
  await admin.resume({ type: plain.name });
  meter.reset();
  await rig.clock.advance(6_000);
  await rig.sweep();
  const swept = meter.writes();
  meter.reset();
  await rig.clock.advance(60_000);
  await rig.drain();
  // Two jobs were let go; the tick's own heartbeat is no job's.
  return aside + (swept - 1 + meter.writes()) / 2;
}
