import { writeFileSync } from 'node:fs';
import { encodeEnvironment } from '../../shared/config/environment.ts';
import { defineSchedule } from '../../shared/features/schedules/model/definition.ts';
import { TABLE_NAMES, TABLE_SPECS } from '../../shared/ports/table-spec.ts';
import type { Row, TableName } from '../../shared/ports/tables.ts';
import type { QueueRef } from '../../shared/ports/hints.ts';
import { summingRig } from '../support/summing-rig.ts';
import { handlersOf, TYPES } from './left-jobs.ts';

/** What a deployment leaves to the next release: its rows, its messages and its environment. */
export interface Layouts {
  readonly version: string;
  /** When it was left, epoch milliseconds. */
  readonly at: number;
  readonly tables: typeof TABLE_SPECS;
  readonly rows: Readonly<Record<TableName, readonly Row[]>>;
  readonly messages: readonly { readonly queue: QueueRef; readonly body: string }[];
  readonly environment: Readonly<Record<string, string>>;
}

const HOUR = 3_600_000;

/** The lanes of the deployment that is left. */
export const WORKERS = {
  default: {
    lanes: { urgent: 'queue/urgent', default: 'queue/default' },
    from: { urgent: 5 },
    fifo: 'queue/default.fifo',
    deadLetterQueue: 'queue/dlq',
    fifoDeadLetterQueue: 'queue/dlq.fifo',
  },
} as const;

/** Runs the code of today until jobs lie in every state and rows of every kind are written, and takes down what is left. Repeats itself. */
export async function layoutsOf(version: string): Promise<Layouts> {
  const handlers = handlersOf({ fixed: false, hold: new Promise(() => {}), without: 'unknown' });
  const { rig, admin, drain, fire, sweep, end } = summingRig({ handlers, workers: WORKERS, history: 'full', version, seed: 11 });
  const { client } = rig;
  await client.enqueue(TYPES.plain, {}, { priority: 3, tenant: 'acme', correlationId: 'order-1', key: 'finished' });
  await client.enqueue(TYPES.grouped, {}, { tenant: 'acme' });
  await client.enqueueMany(TYPES.plain, [{ do: 'fail' }, { do: 'throw' }]);
  await client.enqueueBatch(TYPES.quick, [{}, { do: 'throw' }], {
    onCompleted: { type: TYPES.report, payload: { of: 'batch' }, options: {} },
  });
  await client.enqueue(TYPES.unknown, {});
  await admin.suspend({ tenant: 'late-payer' }, { reason: 'has not paid', until: new Date(rig.clock.now() + 900 * HOUR) });
  await client.enqueue(TYPES.plain, {}, { tenant: 'late-payer', delay: 'PT1S' });
  await drain();
  await rig.clock.advance(6_000);
  await drain();
  const moved = await client.enqueue(TYPES.report, {}, { delay: 'PT5H', key: 'moved' });
  await client.reschedule(moved.id, { delay: 'PT7H' });
  await client.enqueue(TYPES.report, {}, { delay: 'PT20M', group: 'customer' });
  const stopped = await client.enqueue(TYPES.report, {}, { delay: 'P1D' });
  await admin.breakpoint(stopped.id, { reason: 'look first' });
  await admin.schedules.put(defineSchedule('nightly', { job: TYPES.report, payload: {}, cron: '0 3 * * *', zone: 'Europe/Berlin' }));
  await admin.overridePriority({ type: 'report' }, 9, { reason: 'month end' });
  await fire();
  await sweep();
  // A job that holds the one slot, another that is parked behind it, and one in the middle of its run.
  await client.enqueueMany(TYPES.limited, [{ do: 'hold' }, {}]);
  await client.enqueue(TYPES.grouped, { do: 'hold' });
  for (const queue of rig.queues) rig.execute(rig.hints.receive(queue, 10)).catch(() => 'its process is gone');
  await rig.settle();
  await client.enqueue(TYPES.plain, {}, { tenant: 'acme', key: 'ready', priority: 8 });
  await client.enqueue(TYPES.quick, {}, { delay: 'PT5M' });
  await end();
  const at = rig.clock.now();
  const rows = Object.fromEntries(await Promise.all(TABLE_NAMES.map(async (name) => [name, await rig.rows(name)] as const)));
  await rig.clock.advance(600_000);
  const messages = rig.queues.flatMap((queue) => rig.hints.receive(queue, 100).map(({ body }) => ({ queue, body })));
  const { settings: _settings, workers, ...rest } = rig.deployment;
  const environment = encodeEnvironment({ ...rest, workers: Object.fromEntries(workers), settings: { batchSize: 5 }, name: 'shop' });
  return { version, at, tables: TABLE_SPECS, rows: rows as Layouts['rows'], messages, environment };
}

/** Where the layouts of a release are kept. */
export const keptFile = (version: string): URL => new URL(`kept/${version}.json`, import.meta.url);

/** Writes the layouts of a release down. Done once, when it is made; what is written never changes. */
export async function keepLayouts(version: string): Promise<void> {
  const text = JSON.stringify(await layoutsOf(version), undefined, 1);
  // Stacks name files as they do in Lambda, and not as on the machine that made the release.
  writeFileSync(keptFile(version), `${text.replaceAll(new URL('../../', import.meta.url).href, 'file:///var/task/')}\n`);
}
