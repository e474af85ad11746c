import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateTableCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, afterEach, expect, test, vi } from 'vitest';
import { startWebhookReceiver, type WebhookReceiver } from '../../examples/order-service/webhook-receiver.ts';
import { createOrderFunction, type OrderReply, type OrderRequest } from '../../examples/order-service/order-function.ts';
import { type Region, startRegion } from '../../local/region.ts';
import type { Environment, RegionOptions } from '../../local/region-options.ts';
import { createJobClient } from '../../shared/index.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';
import { stubborn } from './sandboxes/stubborn-worker.ts';
import { WAIT } from '../support/patience.ts';

const folder = mkdtempSync(join(tmpdir(), 'region-processes-'));
const regions: Region[] = [];
const receivers: WebhookReceiver[] = [];
const isThere = (pid: number): boolean => existsSync(`/proc/${pid}`);

afterEach(async () => {
  await Promise.all(regions.splice(0).map((region) => region.stop(0)));
  await Promise.all(receivers.splice(0).map((receiver) => receiver.stop()));
});
afterAll(() => rmSync(folder, { recursive: true }));

async function regionOf(entry: string, options: Partial<RegionOptions> & { readonly environment?: Environment } = {}): Promise<Region> {
  const { environment = {}, ...more } = options;
  const region = await startRegion({
    workers: { default: { entry: join(import.meta.dirname, entry), environment } },
    processes: true,
    history: 'durable',
    hostEnvironment: {},
    onLog: () => {},
    ...more,
  });
  regions.push(region);
  return region;
}

test('a handler that outlives its attempt dies with its process, and never runs beside its retry', async () => {
  const problems: string[] = [];
  const region = await regionOf('sandboxes/stubborn-worker.ts', { onProblem: (_what, error) => problems.push(String(error)) });
  const jobs = createJobClient({ environment: region.environment, journal: silentJournal });
  const file = join(folder, 'lives');
  const { id } = await jobs.enqueue(stubborn, { file });
  await vi.waitFor(async () => expect(await jobs.get(id)).toMatchObject({ state: 'finished', outcome: 'completed', attempts: 2 }), WAIT);
  const lives = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(' ').map(Number) as [attempt: number, pid: number, at: number]);
  const [first, second] = [lives.filter(([attempt]) => attempt === 1), lives.filter(([attempt]) => attempt === 2)];
  expect([first.length > 20, second.length]).toEqual([true, 1]);
  expect(Math.max(...first.map(([, , at]) => at))).toBeLessThan(second[0]?.[2] ?? 0);
  expect(first[0]?.[1]).not.toBe(second[0]?.[1]);
  expect(problems).toEqual(['FunctionError: executor-default: Runtime exited with error: exit status 1']);
});

test('orders are invoiced, delivered and reminded of by functions in processes of their own, which all end with the region', async () => {
  const receiver = await startWebhookReceiver({ secret: 'shared', seed: 1 });
  receivers.push(receiver);
  const own = {
    ORDERS_TABLE: 'orders-of-processes',
    INVOICES_FOLDER: folder,
    WEBHOOK_URL: receiver.url,
    WEBHOOK_SECRET: 'shared',
    REMINDER_AFTER: 'PT4S',
  };
  const region = await regionOf('../../examples/order-service/worker.ts', { environment: own });
  await region.dynamo.send(
    new CreateTableCommand({
      TableName: own.ORDERS_TABLE,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'orderId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'orderId', KeyType: 'HASH' }],
    }),
  );
  const orders = region.runtime({ name: 'orders', memoryMb: 128, create: () => createOrderFunction({ ...region.environment, ...own }) });
  const order = async (request: OrderRequest): Promise<OrderReply> => (await orders.invoke(request, { timeoutMs: 10_000 })) as OrderReply;
  const placed = [];
  for (const orderId of ['paid', 'unpaid']) {
    placed.push(await order({ action: 'place', orderId, customer: `customer of ${orderId}`, amountCents: 900 }));
  }
  const paid = await order({ action: 'pay', orderId: 'paid' });
  const jobs = createJobClient({ environment: region.environment, journal: silentJournal });
  const ends = async (ids: readonly (string | undefined)[]): Promise<readonly unknown[]> =>
    Promise.all(ids.map(async (id = '') => (await jobs.get(id))?.outcome));
  const [forPaid, forUnpaid] = placed.map((reply) => reply.jobs);
  await vi.waitFor(async () => {
    expect(
      await ends([
        forPaid?.['invoice.render'],
        forUnpaid?.['invoice.render'],
        paid.jobs['webhook.deliver'],
        forPaid?.['payment.reminder'],
        forUnpaid?.['payment.reminder'],
      ]),
    ).toEqual(['completed', 'completed', 'completed', 'cancelled', 'completed']);
  }, WAIT);
  expect(readdirSync(folder).filter((name) => name.endsWith('.html'))).toHaveLength(2);
  expect(receiver.delivered.has(paid.jobs['webhook.deliver'] ?? '')).toBe(true);
  const pids = region.sandboxes.map(({ pid }) => pid);
  expect(new Set(region.sandboxes.map(({ functionName }) => functionName))).toEqual(new Set(['executor-default', 'acquirer', 'sweeper']));
  await region.stop();
  expect(pids.filter(isThere)).toEqual([]);
});

test('a worker without an entry is refused, and what was started is ended', async () => {
  await expect(startRegion({ workers: { default: {} }, processes: true, hostEnvironment: {} })).rejects.toThrow(
    'executor-default has no entry',
  );
});
