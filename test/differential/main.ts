/** npm run differential: the memory store beside DynamoDB, random sequences, identical answers. */
import { parseArgs } from 'node:util';
import { findDynamoDBLocal, startDynamoDBLocal } from '../../local/dynamodb-local.ts';
import { startDynoxide } from '../../local/dynoxide.ts';
import { recordFigures } from '../support/figures.ts';
import { Coverage } from './coverage.ts';
import { LAYERS, type Layer, runRound } from './proof.ts';
import { runProof } from './run-proof.ts';
import { openStore } from './stores.ts';

const TELL_EVERY_MS = 20_000;
let told = 0;
const STORES = ['dynoxide', 'dynamodb-local'] as const;
const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '20000' },
    seed: { type: 'string' },
    store: { type: 'string', default: 'dynoxide' },
    json: { type: 'boolean', default: false },
    /** With `seed` and `path`: replays one sequence and shrinks nothing else. */
    layer: { type: 'string', default: 'tables' },
    path: { type: 'string' },
  },
});

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`differential: ${(error as Error).message}\n`);
  process.exitCode = 1;
}

async function main(): Promise<number> {
  const operations = positive('operations', values.operations);
  const seed = values.seed === undefined ? Date.now() % 2 ** 31 : positive('seed', values.seed);
  const store = oneOf('store', STORES, values.store);
  const layer = oneOf('layer', LAYERS, values.layer);
  if (store === 'dynamodb-local') {
    const { version, java } = findDynamoDBLocal();
    process.stderr.write(`differential: DynamoDB Local ${version} on Java ${java}\n`);
  }
  process.stderr.write(`differential: seed ${seed}, against ${store}\n`);
  const database = await (store === 'dynoxide' ? startDynoxide() : startDynamoDBLocal());
  try {
    if (values.path !== undefined) return await replay(database.endpoint, { layer, seed, path: values.path });
    const started = Date.now();
    const report = await runProof({ endpoint: database.endpoint, operations, seed, onProgress });
    if (report.operations < operations) throw new Error(`only ${report.operations} of ${operations} operations were done`);
    const seconds = Math.round((Date.now() - started) / 100) / 10;
    recordFigures(`differential-${store}`, {
      operations: report.operations,
      sequences: report.sequences,
      kinds: Object.values(report.counts).reduce((sum, counts) => sum + Object.keys(counts).length, 0),
      differences: 0,
      seed,
      seconds,
    });
    if (values.json) process.stdout.write(`${JSON.stringify({ store, seed, seconds, differences: 0, ...report })}\n`);
    return 0;
  } finally {
    await database.stop();
  }
}

/** A line now and then: a store may be slow. */
function onProgress(layer: Layer, done: number): void {
  if (Date.now() - told < TELL_EVERY_MS) return;
  told = Date.now();
  process.stderr.write(`differential: ${done} operations of ${layer}\n`);
}

async function replay(endpoint: string, { layer, seed, path }: { layer: Layer; seed: number; path: string }): Promise<number> {
  const store = await openStore(endpoint, 'differential-replay');
  try {
    await runRound({ layer, seed, path, sequences: 1 }, store, new Coverage());
    process.stdout.write('differential: no difference any more\n');
    return 0;
  } finally {
    store.close();
  }
}

function positive(name: string, text: string): number {
  const number = Number(text);
  if (Number.isSafeInteger(number) && number > 0) return number;
  throw new Error(`--${name}: ${text} is not a whole number above 0`);
}

function oneOf<Name extends string>(option: string, names: readonly Name[], text: string): Name {
  const name = names.find((one) => one === text);
  if (name === undefined) throw new Error(`--${option}: ${text} is none of ${names.join(', ')}`);
  return name;
}
