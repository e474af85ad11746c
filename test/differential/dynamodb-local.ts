/** npm run test:dynamodb-local: contract, flows, races and random sequences against AWS's own DynamoDB Local. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { findDynamoDBLocal, startDynamoDBLocal } from '../../local/dynamodb-local.ts';
import { systemEnvironment } from '../../shared/config/system.ts';
import { EMULATOR_ACCESS } from '../support/emulator-access.ts';
import { recordFigures } from '../support/figures.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SUITES = ['test/contract', 'test/flow', 'test/race', 'test/differential'];
const OPERATIONS = '10000';

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`test:dynamodb-local: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const { version, java } = findDynamoDBLocal();
  process.stdout.write(`DynamoDB Local ${version}, Java ${java}\n`);
  // Its own, whatever else the environment points at.
  const database = await startDynamoDBLocal({});
  try {
    await expectLoopbackOnly(Number(new URL(database.endpoint).port));
    const tests = runSuites(database.endpoint);
    const tables = await countTables(database.endpoint);
    if (tests === undefined || tables === 0) throw new Error(`the suites failed, or never came here (${tables} tables)`);
    recordFigures('dynamodb-local', { version, java, tests, tables, failures: 0 });
    return runNode(['test/differential/main.ts', '--store', 'dynamodb-local', '--operations', OPERATIONS, '--seed', '1'], {});
  } finally {
    await database.stop();
  }
}

/** By itself DynamoDB Local listens on every interface; the launcher must have bound it. */
async function expectLoopbackOnly(port: number): Promise<void> {
  const outside = Object.values(networkInterfaces())
    .flatMap((addresses) => addresses ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4');
  for (const { address } of outside) {
    const socket = connect({ port, host: address, timeout: 1_000 });
    const reached = await Promise.race([once(socket, 'connect').then(() => true), once(socket, 'timeout').then(() => false)]).catch(
      () => false,
    );
    socket.destroy();
    if (reached) throw new Error(`DynamoDB Local can be reached at ${address}:${port}, not on loopback only`);
  }
}

/** How many tests passed; undefined when one failed or none ran. */
function runSuites(endpoint: string): number | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'nightcrew-'));
  const report = join(folder, 'report.json');
  try {
    const where = { NIGHTCREW_TEST_TABLES: 'dynamo', NIGHTCREW_TEST_STORE: 'dynamodb-local', AWS_ENDPOINT_URL_DYNAMODB: endpoint };
    const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
    const status = runNode(['vitest', 'run', '--project', 'all', ...reporters, ...SUITES], where);
    if (status !== 0) return undefined;
    const { numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as { readonly numPassedTests: number };
    return numPassedTests === 0 ? undefined : numPassedTests;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function countTables(endpoint: string): Promise<number> {
  const client = new DynamoDBClient({ ...EMULATOR_ACCESS, endpoint });
  try {
    return (await client.send(new ListTablesCommand({}))).TableNames?.length ?? 0;
  } finally {
    client.destroy();
  }
}

function runNode(args: readonly string[], more: NodeJS.ProcessEnv): number {
  const env = { ...systemEnvironment(), ...more };
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...args], { cwd: ROOT, stdio: 'inherit', env });
  return status ?? 1;
}
