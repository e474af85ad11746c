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
const STEP_FUNCTIONS = { source: 'https://aws.amazon.com/step-functions/pricing/', seen: '2026-11' } as const;

/** When the table was put together, and for which Region. Free tiers are in FREE_TIERS. */
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
  provisionedGbSecond: { usd: 0.0000033334, per: 1, unit: 'GB-seconds kept warm (arm64)', ...LAMBDA, seen: '2026-11' },
  scheduledTick: {
    usd: 1,
    per: MILLION,
    unit: 'EventBridge Scheduler invocations',
    source: 'https://cloudburn.io/blog/amazon-eventbridge-pricing',
    seen: '2026-03',
    basis: 'read',
  },
  alarmMetric: { usd: 0.1, per: 1, unit: 'metrics under an alarm', ...CLOUDWATCH },
  fastAlarmMetric: { usd: 0.3, per: 1, unit: 'metrics under an alarm, period below a minute', ...CLOUDWATCH },
  compositeAlarm: { usd: 0.5, per: 1, unit: 'composite alarms', ...CLOUDWATCH },
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
  key: { usd: 1, per: 1, unit: 'KMS keys', source: 'https://aws.amazon.com/kms/pricing/', seen: '2026-11', basis: 'read' },
  // Prices of alternatives.
  stepTransition: { usd: 25, per: MILLION, unit: 'Step Functions transitions', ...STEP_FUNCTIONS, basis: 'read' },
  expressRequest: {
    usd: 1,
    per: MILLION,
    unit: 'Step Functions Express requests',
    source: 'https://www.wring.co/blog/aws-step-functions-pricing-guide',
    seen: '2026-03',
    basis: 'read',
  },
  expressGbSecond: {
    usd: 0.00001667,
    per: 1,
    unit: 'Step Functions Express GB-seconds',
    source: 'https://www.wring.co/blog/aws-step-functions-pricing-guide',
    seen: '2026-03',
    basis: 'read',
  },
  durableOperation: { usd: 8, per: MILLION, unit: 'Lambda durable operations', ...LAMBDA },
  durableWrite: { usd: 0.25, per: 1, unit: 'GB that durable functions write', ...LAMBDA },
  durableStorage: { usd: 0.15, per: 1, unit: 'GB-months that durable functions keep', ...LAMBDA },
  cloudTask: {
    usd: 0.4,
    per: MILLION,
    unit: 'Google Cloud Tasks operations',
    source: 'https://cloud.google.com/tasks/docs/pricing',
    seen: '2026-11',
    basis: 'read',
  },
  qstashMessage: {
    usd: 1,
    per: 100_000,
    unit: 'QStash messages',
    source: 'https://upstash.com/docs/qstash/overall/pricing',
    seen: '2026-11',
    basis: 'read',
  },
  triggerRun: { usd: 0.25, per: 10_000, unit: 'Trigger.dev runs', source: 'https://trigger.dev/pricing', seen: '2026-05', basis: 'quoted' },
  triggerSecond: {
    usd: 0.0000169,
    per: 1,
    unit: 'Trigger.dev seconds (micro, the smallest)',
    source: 'https://trigger.dev/pricing',
    seen: '2026-05',
    basis: 'quoted',
  },
  inngestPlan: { usd: 75, per: 1, unit: 'Inngest Pro', source: 'https://www.inngest.com/pricing', seen: '2026-05', basis: 'quoted' },
  inngestExecution: {
    usd: 50,
    per: MILLION,
    unit: 'Inngest executions beyond the first million (price of the first to the fifth)',
    source: 'https://www.inngest.com/pricing',
    seen: '2026-05',
    basis: 'quoted',
  },
  temporalAction: {
    usd: 50,
    per: MILLION,
    unit: 'Temporal Cloud actions (Developer plan)',
    source: 'https://docs.temporal.io/cloud/pricing',
    seen: '2026-11',
    basis: 'read',
  },
} as const satisfies Readonly<Record<string, Price>>;

/** Name of a price. */
export type PriceName = keyof typeof PRICES;

/** The permanent free tier per account and month; offers for new accounts are left out. */
export const FREE_TIERS: readonly { readonly of: readonly PriceName[]; readonly amount: number }[] = [
  { of: ['tableStorage'], amount: 25 },
  { of: ['standardRequest', 'fifoRequest'], amount: MILLION },
  { of: ['invocation'], amount: MILLION },
  { of: ['gbSecond'], amount: 400_000 },
  { of: ['scheduledTick'], amount: 14 * MILLION },
  { of: ['alarmMetric'], amount: 10 },
  { of: ['ownMetric'], amount: 10 },
  { of: ['dashboard'], amount: 3 },
  { of: ['logIngestion'], amount: 5 },
  { of: ['trace'], amount: 100_000 },
];
