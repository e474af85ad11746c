import { RemovalPolicy, Token } from 'aws-cdk-lib';
import type { WarmThroughput } from 'aws-cdk-lib/aws-dynamodb';
import { checkChoice, refuse, shownValue } from '../shared/config/deployment-checks.ts';
import type { OptionCheck, OptionChecks } from '../shared/job/option-checks.ts';
import type { TableName } from '../shared/ports/tables.ts';
import { checkShape, checkSwitch, type PropsShape } from './option-checks.ts';

/** Options of a table. */
export interface TableProps {
  /**
   * Units a second that the table and its indexes take from the start, instead of growing into them. AWS bills the increase once. It can be
   * raised later, but not lowered.
   * @default - that of a new table: 12,000 read and 4,000 write units
   */
  readonly warmThroughput?: WarmThroughput;
  /**
   * Maximum read units a second, to cap the cost. DynamoDB throttles requests above it.
   * @default - the quota of the account for a table
   */
  readonly maxReadRequestUnits?: number;
  /**
   * Maximum write units a second, to cap the cost. DynamoDB throttles requests above it: enqueues may fail, and outcomes may be recorded
   * late, or not at all, and then the job runs again.
   * @default - the quota of the account for a table
   */
  readonly maxWriteRequestUnits?: number;
  /**
   * Days for which point-in-time recovery reaches back, 1 to 35. It cannot be turned off.
   * @default 35
   */
  readonly recoveryPeriodInDays?: number;
  /**
   * Whether DynamoDB refuses to delete the table.
   * @default - true unless the removal policy is DESTROY
   */
  readonly deletionProtection?: boolean;
  /**
   * What happens to the table when the stack is deleted.
   * @default - that of the job executor
   */
  readonly removalPolicy?: RemovalPolicy;
}

/** Options of all tables, and of single ones, which override those of all. */
export type TablesProps = TableProps & { readonly [Name in TableName]?: TableProps };

/** What DynamoDB gives a new table (https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/warm-throughput-scenarios.html). */
const NEW_TABLE = { readUnitsPerSecond: 12_000, writeUnitsPerSecond: 4_000 } as const;
const REMOVAL_POLICIES = [RemovalPolicy.RETAIN, RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE, RemovalPolicy.DESTROY];
const LONGEST_RECOVERY_DAYS = 35;

const CHECKS: OptionChecks<TableProps> = {
  warmThroughput: checkWarmThroughput,
  maxReadRequestUnits: (field, value) => checkNumber(field, value, { least: 1 }),
  maxWriteRequestUnits: (field, value) => checkNumber(field, value, { least: 1 }),
  recoveryPeriodInDays: checkRecoveryPeriod,
  deletionProtection: checkSwitch,
  removalPolicy: checkRemovalPolicy,
};

const WORDS = { of: 'a table', example: '{ warmThroughput: { writeUnitsPerSecond: 12000 } }' };
const TABLE: PropsShape<TableProps> = { ...WORDS, checks: CHECKS };
const checkTable: OptionCheck = (field, value) => checkUnreplicated(field, value, TABLE);

const TABLES: PropsShape<TablesProps> = {
  ...WORDS,
  checks: {
    ...CHECKS,
    jobs: checkTable,
    timers: checkTable,
    deadLetters: checkTable,
    suspended: checkTable,
    history: checkTable,
    control: checkTable,
  },
};

/** Refuses options that there are not, and values that DynamoDB would refuse in the middle of a deployment. */
export function checkTableProps(field: string, props: unknown): void {
  checkUnreplicated(field, props, TABLES);
}

/** Refuses what is no removal policy, and one that tables do not have. */
export function checkRemovalPolicy(field: string, value: unknown): void {
  if (value === RemovalPolicy.SNAPSHOT) {
    refuse(field, 'snapshot: DynamoDB takes no snapshot when a table is deleted. Use RETAIN, or DESTROY and a backup of your own.');
  }
  checkChoice(field, value, REMOVAL_POLICIES);
}

function checkUnreplicated<Props>(field: string, props: unknown, shape: PropsShape<Props>): void {
  const replicas = Object.keys(Object(props)).find((name) => /replica|globalTable/i.test(name));
  if (replicas !== undefined) refuse(`${field}.${replicas}`, NO_REPLICAS);
  checkShape(field, props, shape);
}

/** Why the tables are never global tables. */
export const NO_REPLICAS =
  'the tables have no replicas: two Regions would run the same job, because each judges conditions by its own rows. ' +
  'Use one Region, and docs/operate/restore.md for the loss of it.';

function checkWarmThroughput(field: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    refuse(field, `${shownValue(value)} is no throughput. Use { writeUnitsPerSecond: 12000, readUnitsPerSecond: 12000 }.`);
  }
  for (const [name, units] of Object.entries(value)) {
    if (!Object.hasOwn(NEW_TABLE, name)) refuse(`${field}.${name}`, `is no throughput. Known are: ${Object.keys(NEW_TABLE).join(', ')}.`);
    const least = NEW_TABLE[name as keyof WarmThroughput];
    checkNumber(`${field}.${name}`, units, { least, why: 'A new table takes as much.' });
  }
}

/** The CDK compares it, and so refuses a token. */
function checkRecoveryPeriod(field: string, value: unknown): void {
  if (Token.isUnresolved(value)) {
    refuse(
      field,
      `it is only known when the app is deployed, and the CDK checks its range. Use a whole number from 1 to ${LONGEST_RECOVERY_DAYS}.`,
    );
  }
  checkNumber(field, value, { least: 1, most: LONGEST_RECOVERY_DAYS });
}

interface Range {
  readonly least: number;
  readonly most?: number;
  readonly why?: string;
}

function checkNumber(field: string, value: unknown, { least, most = Number.MAX_SAFE_INTEGER, why }: Range): void {
  if (Token.isUnresolved(value)) return;
  if (Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most) return;
  const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
  refuse(field, `${shownValue(value)} is not a whole number ${range}.${why === undefined ? '' : ` ${why}`}`);
}
