import { DescribeTableCommand, DynamoDBClient, paginateScan, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { shapesCheck } from '../../../cli/doctor/check-shapes.ts';
import { tablesCheck } from '../../../cli/doctor/check-tables.ts';
import type { Patient } from '../../../cli/doctor/check.ts';
import { lookAtAws } from '../../../cli/doctor/look-at-aws.ts';
import { createTables } from '../../../local/create-tables.ts';
import { decodeEnvironment, type Deployment } from '../../../shared/config/environment.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';
import { type Cdk, createCdk } from './cdk.ts';
import { ended, given, type Walk } from './job-states.ts';
import type { Operator } from './operator-over.ts';
import { createOperator } from './operator.ts';
import { must, type Report, type RunTerms } from './report.ts';
import type { Target } from './target.ts';

/** Copies of the tables of a deployment that is off. */
interface Copies {
  readonly tables: Deployment['tables'];
  readonly rows: number;
  /** A job that waits in them. */
  readonly waiting: string;
}

/** What is adopted, and by whom. */
export interface Adoption {
  readonly target: Target;
  readonly stack: string;
  /** Where the CDK writes. */
  readonly folder: string;
}

/**
 * As after a restore: deploys the example, copies its tables while it is off and a job waits, deploys it with the copies in place of its
 * tables, and runs the job from there. Returns how many rows were copied. The copies outlive the stack and end with the emulator.
 */
export async function adoptTables({ target, stack, folder }: Adoption, run: RunTerms & { readonly report: Report }): Promise<number> {
  const go = async <T>(title: string, body: () => Promise<T>): Promise<T | undefined> =>
    run.stopping.aborted ? undefined : run.report.step(title, body);
  const prefix = `restored-${stack}`;
  const own = createCdk(target, stack, folder);
  const adopting = createCdk({ ...target, context: { ...target.context, tables: prefix, active: 'false' } }, stack, folder);
  const before = await go('cdk deploy of a stack whose tables are to be replaced', () => deploy(own, stack));
  const copies = before && (await go('its tables are copied while it is off and a job waits', () => copyTables(before, prefix)));
  const after = copies && (await go('cdk deploy with the copies in place of its tables', () => deploy(adopting, stack)));
  const ran =
    after &&
    (await go('the doctor finds nothing wrong with them, and the job runs from there', () =>
      runFromCopies(copies, { target, operator: after, report: run.report, terms: run }),
    ));
  await run.report.step('cdk destroy leaves the adopted tables', () =>
    destroy(after === undefined ? own : adopting, after === undefined ? undefined : copies),
  );
  return ran === true ? copies.rows : 0;
}

async function deploy(cdk: Cdk, stack: string): Promise<Operator> {
  return createOperator(stack, await cdk.deploy());
}

async function copyTables(operator: Operator, prefix: string): Promise<Copies> {
  await operator.activation.deactivate();
  const { jobs } = await operator.order({ action: 'place', orderId: 'adopted', customer: 'eve', amountCents: 500 });
  const client = new DynamoDBClient({});
  const { tables } = decodeEnvironment(operator.environment);
  const named = Object.fromEntries(TABLE_NAMES.map((name) => [name, `${prefix}-${name}`])) as Record<TableName, string>;
  await createTables(client, named);
  const counts = await Promise.all(TABLE_NAMES.map(async (name) => copyRows(client, tables[name], named[name])));
  return { tables: named, rows: counts.reduce((sum, count) => sum + count, 0), waiting: given(jobs['invoice.render'], 'the invoice') };
}

async function copyRows(client: DynamoDBClient, from: string, to: string): Promise<number> {
  let count = 0;
  for await (const { Items = [] } of paginateScan({ client }, { TableName: from, ConsistentRead: true })) {
    await Promise.all(Items.map(async (Item) => client.send(new PutItemCommand({ TableName: to, Item }))));
    count += Items.length;
  }
  return count;
}

async function runFromCopies({ tables, waiting }: Copies, walking: Walk): Promise<true> {
  const { operator } = walking;
  must('the tables of the order function', decodeEnvironment(operator.environment).tables, tables);
  must('what the doctor finds', await faults(operator), []);
  must('the job that waits', (await operator.jobs.get(waiting))?.state, 'ready');
  await operator.activation.activate();
  await ended(walking, waiting, 'completed');
  return true;
}

/** An emulator keeps no backups and protects nothing, so the doctor does not ask it for these. */
async function faults({ environment }: Operator): Promise<readonly string[]> {
  const looks = lookAtAws({ ...process.env, ...environment }, () => 0);
  const patient = { deployment: decodeEnvironment(environment), looks } as Patient;
  const found = await Promise.all([tablesCheck, shapesCheck].map(async ({ run }) => run(patient)));
  return found.flat().flatMap(({ status, subject, says }) => (status === 'ok' || status === 'unknown' ? [] : [`${subject} ${says}`]));
}

async function destroy(cdk: Cdk, copies: Copies | undefined): Promise<true> {
  await cdk.destroy();
  const client = new DynamoDBClient({});
  for (const TableName of Object.values(copies?.tables ?? {})) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    must(`the state of ${TableName}`, Table?.TableStatus, 'ACTIVE');
  }
  return true;
}
