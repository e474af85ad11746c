import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { CreateTableCommand, type DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { handledJobs } from '../../examples/order-service/handled-jobs.ts';
import { createOrderFunction, type OrderReply, type OrderRequest } from '../../examples/order-service/order-function.ts';
import { startWebhookReceiver, type WebhookReceiver } from '../../examples/order-service/webhook-receiver.ts';
import { defined } from '../../shared/job/defined.ts';
import { createPowertoolsJournal } from '../../shared/adapters/observability/powertools-journal.ts';
import { createExecutor } from '../../functions/index.ts';
import { type Region, startRegion } from '../region.ts';
import type { Environment } from '../region-options.ts';
import { Ledger } from './ledger.ts';

/** How the shop is started. */
export interface ShopOptions {
  /** Where invoices and reports go. */
  readonly folder: string;
  /** Seed of the receiver's failures. */
  readonly seed: number;
  readonly onProblem?: (what: string, error: unknown) => void;
}

/** The order service in a region of its own, with everything that happens in it noted. */
export interface Shop {
  readonly region: Region;
  readonly ledger: Ledger;
  readonly receiver: WebhookReceiver;
  readonly invoicesFolder: string;
  readonly ordersTable: string;
  /** Invokes the order Lambda, as API Gateway would. Throws FunctionError. */
  order(request: OrderRequest): Promise<OrderReply>;
  /** See Region.stop. */
  stop(graceMs?: number): Promise<number>;
}

const FUNCTION_TIMEOUT_MS = 10_000;
const MEMORY_MB = 256;
const BY_TYPE = 2;
/** Later than the delay horizon of the region, so that a reminder is a timer; soon enough to be seen. */
const REMINDER_AFTER = 'PT6S';

/** Starts the region, the Orders table, the webhook receiver and the order Lambda. */
export async function startShop({ folder, seed, onProblem }: ShopOptions): Promise<Shop> {
  const ledger = new Ledger();
  const secret = randomBytes(32).toString('hex');
  const receiver = await startWebhookReceiver({ secret, seed });
  const ordersTable = `local-${randomBytes(4).toString('hex')}-orders`;
  const invoicesFolder = join(folder, 'invoices');
  await mkdir(invoicesFolder, { recursive: true });
  const own: Environment = {
    ORDERS_TABLE: ordersTable,
    INVOICES_FOLDER: invoicesFolder,
    WEBHOOK_URL: receiver.url,
    WEBHOOK_SECRET: secret,
    REMINDER_AFTER,
  };
  const journal = (service: string) => ledger.journal(createPowertoolsJournal({ metrics: 'worker', service, worker: 'default' }));
  const region = await startRegion({
    workers: {
      default: {
        createExecutor: (environment, sandbox) => {
          const env = { ...environment, ...own };
          return createExecutor(ledger.observed(handledJobs(env)), { environment: env, sandbox, journal: journal('executor') });
        },
      },
    },
    journal: journal('ticks'),
    // What a deployment keeps only if it is asked to: so that the console's pages of attempts and statistics are not empty.
    history: 'attempts',
    settings: { statistics: BY_TYPE },
    ...defined({ onProblem }),
  }).catch(async (error: unknown) => {
    await receiver.stop();
    throw error;
  });
  await createOrdersTable(region.dynamo, ordersTable);
  const orderFunction = region.runtime({
    name: 'orders',
    memoryMb: MEMORY_MB,
    create: () => createOrderFunction({ ...region.environment, ...own }),
  });
  return {
    region,
    ledger,
    receiver,
    invoicesFolder,
    ordersTable,
    order: async (request) => (await orderFunction.invoke(request, { timeoutMs: FUNCTION_TIMEOUT_MS })) as OrderReply,
    stop: async (graceMs) => {
      const abandoned = await region.stop(graceMs);
      await receiver.stop();
      return abandoned;
    },
  };
}

async function createOrdersTable(dynamo: DynamoDBClient, TableName: string): Promise<void> {
  await dynamo.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'orderId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'orderId', KeyType: 'HASH' }],
    }),
  );
}
