/** The source of a price: its own page, or a page that quotes it. */
export type PriceBasis = 'read' | 'quoted';

/** A price: `usd` for `per` units. */
export interface Price {
  readonly usd: number;
  readonly per: number;
  readonly unit: string;
  readonly source: string;
  /** Month in which the source was looked at. */
  readonly seen: string;
  readonly basis: PriceBasis;
}

const MILLION = 1_000_000;
const DYNAMO = { source: 'https://aws.amazon.com/dynamodb/pricing/on-demand/', seen: '2026-10', basis: 'quoted' } as const;
const SQS = { source: 'https://cloudburn.io/blog/amazon-sqs-pricing', seen: '2026-06', basis: 'read', per: MILLION } as const;
const LAMBDA = { source: 'https://aws.amazon.com/lambda/pricing/', seen: '2026-10', basis: 'quoted' } as const;
const CLOUDWATCH = { source: 'https://aws.amazon.com/cloudwatch/pricing/', seen: '2026-11', basis: 'quoted' } as const;

/** When the table was put together, and for which Region. Free tiers are left out. */
export const PRICE_TABLE = { asOf: '2026-11-21', region: 'us-east-1', currency: 'USD', monthDays: 30 } as const;

/** Every price that any total is made of, in US dollars. AWS: us-east-1, on demand, first tier. */
export const PRICES = {
  writeUnit: { usd: 0.625, per: MILLION, unit: 'write units', ...DYNAMO },
  readUnit: { usd: 0.125, per: MILLION, unit: 'read units', ...DYNAMO },
  tableStorage: { usd: 0.25, per: 1, unit: 'GB-months in tables', ...DYNAMO },
  pointInTimeRecovery: { usd: 0.2, per: 1, unit: 'GB-months of continuous backup', ...DYNAMO, seen: '2026-11' },
  standardRequest: { usd: 0.4, unit: 'SQS requests', ...SQS },
  fifoRequest: { usd: 0.5, unit: 'SQS FIFO requests', ...SQS },
  fairRequest: { usd: 0.1, unit: 'SQS requests with a tenant, on top', ...SQS },
  invocation: { usd: 0.2, per: MILLION, unit: 'invocations', ...LAMBDA },
  gbSecond: { usd: 0.0000133334, per: 1, unit: 'GB-seconds (arm64)', ...LAMBDA },
  scheduledTick: {
    usd: 1,
    per: MILLION,
    unit: 'EventBridge Scheduler invocations',
    source: 'https://cloudburn.io/blog/amazon-eventbridge-pricing',
    seen: '2026-03',
    basis: 'read',
  },
  alarmMetric: { usd: 0.1, per: 1, unit: 'metrics under an alarm', ...CLOUDWATCH },
  ownMetric: {
    usd: 0.3,
    per: 1,
    unit: 'own metrics',
    source: 'https://signoz.io/guides/cloudwatch-pricing',
    seen: '2026-11',
    basis: 'read',
  },
  dashboard: { usd: 3, per: 1, unit: 'dashboards', ...CLOUDWATCH },
  logIngestion: { usd: 0.5, per: 1, unit: 'GB of logs written', ...CLOUDWATCH },
  logStorage: { usd: 0.03, per: 1, unit: 'GB-months of logs kept', ...CLOUDWATCH },
  trace: { usd: 5, per: MILLION, unit: 'X-Ray traces', source: 'https://aws.amazon.com/xray/pricing/', seen: '2026-11', basis: 'read' },
} as const satisfies Readonly<Record<string, Price>>;

/** Name of a price. */
export type PriceName = keyof typeof PRICES;
