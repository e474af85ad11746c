/** npm run test:dynamodb-local: contract, flows, races and random sequences against AWS's own DynamoDB Local. */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { findDynamoDBLocal, startDynamoDBLocal } from '../../../local/emulators/dynamodb-local.ts';
import { baseLine, FROM, FROM_USAGE, partOf, readBase } from '../../support/base-seed.ts';
import { readArguments, runCommand, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import { EMULATOR_ACCESS } from '../../support/emulator-access.ts';
import { recordFigures } from '../../support/figures.ts';
import { runVitest } from '../../support/run-vitest.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SUITES = ['--project', 'fast', '--project', 'scenarios', 'test/contract', 'test/proofs/differential'];
const WALKS = ['--project', 'flows-on-dynamo'];
/** Walks over hundreds of jobs, again and again: minutes each here, and nothing that its conditions could answer otherwise. */
const TOO_LONG = 'test/flow/bulk-*.test.ts';
/** A tick walks through 64 shards, and this store is not quick. */
const TEST_TIMEOUT_MS = 180_000;
const OPERATIONS = '10000';

const USAGE = `Usage: npm run test:dynamodb-local -- [options]

Runs contract, flows, races and ${OPERATIONS} random operations against AWS's own DynamoDB Local.

  --parts N      one of N parts of the files of flows and races: the one that the base names (default 1)
  ${FROM_USAGE}
  --help         prints this
`;

async function main(args: readonly string[]): Promise<number> {
  const { parts = '1', from } = readArguments(args, { parts: TEXT, ...FROM });
  const base = readBase(from);
  const share = partOf(base, wholeNumber('parts', parts));
  process.stdout.write(`${baseLine(base, 'test:dynamodb-local', args)}\npart ${share} of the flows and races\n`);
  const { version, java } = findDynamoDBLocal();
  process.stdout.write(`DynamoDB Local ${version}, Java ${java}\n`);
  // Its own, regardless of the environment.
  const database = await startDynamoDBLocal({});
  try {
    await expectLoopbackOnly(Number(new URL(database.endpoint).port));
    const walks = runSuite(database.endpoint, [`--shard=${share}`, `--exclude=${TOO_LONG}`, ...WALKS]);
    const suites = walks === undefined ? undefined : runSuite(database.endpoint, SUITES);
    const tests = walks === undefined || suites === undefined ? undefined : walks + suites;
    const tables = await countTables(database.endpoint);
    if (tests === undefined || tables === 0) throw new Error(`the suites failed, or never came here (${tables} tables)`);
    const again = base.drawn ? [] : ['--from', String(base.from)];
    recordFigures('dynamodb-local', { version, java, share, tests, tables, failures: 0 }, base);
    return runNode(['test/proofs/differential/main.ts', '--store', 'dynamodb-local', '--operations', OPERATIONS, ...again]);
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
function runSuite(endpoint: string, args: readonly string[]): number | undefined {
  return runVitest([`--testTimeout=${TEST_TIMEOUT_MS}`, ...args], {
    env: { NIGHTCREW_TEST_STORE: 'dynamodb-local', AWS_ENDPOINT_URL_DYNAMODB: endpoint },
  });
}

async function countTables(endpoint: string): Promise<number> {
  const client = new DynamoDBClient({ ...EMULATOR_ACCESS, endpoint });
  try {
    return (await client.send(new ListTablesCommand({}))).TableNames?.length ?? 0;
  } finally {
    client.destroy();
  }
}

function runNode(args: readonly string[]): number {
  const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...args], { cwd: ROOT, stdio: 'inherit' });
  return status ?? 1;
}

await runCommand(USAGE, async (args) => {
  try {
    return await main(args);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    process.stderr.write(`test:dynamodb-local: ${(error as Error).message}\n`);
    return 1;
  }
});
