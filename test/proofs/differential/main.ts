/** npm run differential: the memory store beside DynamoDB, random sequences, identical answers. */
import { defined } from '../../../shared/job/defined.ts';
import { findDynamoDBLocal, startDynamoDBLocal } from '../../../local/emulators/dynamodb-local.ts';
import { startDynoxide } from '../../../local/emulators/dynoxide.ts';
import { type Base, baseLine, FROM, FROM_USAGE, readBase, readSeed } from '../../support/base-seed.ts';
import { FLAG, oneOf, readArguments, runCommand, TEXT, UsageError, wholeNumber } from '../../../scripts/command-line.ts';
import { recordFailure, recordFigures } from '../../support/figures.ts';
import { type KnownFailure, knownFailures, reportOpen, shownBriefly } from '../../support/known-failures.ts';
import { Coverage } from './coverage.ts';
import { CounterexampleError, LAYERS, type Layer, runRound } from './proof.ts';
import { runProof, SEQUENCES_A_ROUND } from './run-proof.ts';
import { openStore } from './stores.ts';

const TELL_EVERY_MS = 20_000;
let told = 0;
const STORES = ['dynoxide', 'dynamodb-local'] as const;
const USAGE = `Usage: npm run differential -- [options]

Runs random sequences against the tables in memory and against DynamoDB, and compares every answer. Exit code 1 when they differ.

  --operations N  at least so many (default 20000)
  --rounds N      exactly so many rounds of ten sequences of each layer instead: with --from, every run compares the same
  ${FROM_USAGE}
  --store NAME    ${STORES.join(' or ')} (default ${STORES[0]})
  --layer NAME    with --seed and --path: replays one sequence of ${LAYERS.join(' or ')}, as a run named it
  --json          ends with one line of figures
  --help          prints this
`;
const OPTIONS = { operations: TEXT, rounds: TEXT, ...FROM, store: TEXT, json: FLAG, layer: TEXT, seed: TEXT, path: TEXT } as const;

/** A round of sequences that once found the stores to differ. */
interface KnownRound extends KnownFailure {
  readonly layer: Layer;
  readonly seed: number;
}

const known = knownFailures<KnownRound>(import.meta.dirname);

await runCommand(USAGE, async (args) => {
  const { operations = '20000', rounds, from, store: name = STORES[0], json = false, ...replayed } = readArguments(args, OPTIONS);
  const store = oneOf('store', name, STORES);
  const wanted = rounds === undefined ? wholeNumber('operations', operations) : 0;
  const exactly = rounds === undefined ? undefined : wholeNumber('rounds', rounds);
  const base = readBase(from);
  const sequence = sequenceOf(replayed);
  if (store === 'dynamodb-local') {
    const { version, java } = findDynamoDBLocal();
    process.stderr.write(`differential: DynamoDB Local ${version} on Java ${java}\n`);
  }
  if (sequence === undefined) process.stderr.write(`differential: ${baseLine(base, 'differential', args)}\n`);
  const database = await (store === 'dynoxide' ? startDynoxide() : startDynamoDBLocal());
  const { endpoint } = database;
  try {
    if (sequence === undefined) await prove(endpoint, { operations: wanted, rounds: exactly, base, store, json });
    else await replay(endpoint, sequence);
    return 0;
  } catch (error) {
    process.stderr.write(`differential: ${(error as Error).message}\n`);
    return 1;
  } finally {
    await database.stop();
  }
});

interface Sequence {
  readonly layer: Layer;
  readonly seed: number;
  readonly path: string;
}

function sequenceOf({ layer = LAYERS[0], seed, path }: Partial<Record<'layer' | 'seed' | 'path', string>>): Sequence | undefined {
  if (seed === undefined && path === undefined) return undefined;
  if (seed === undefined || path === undefined) throw new UsageError('--seed and --path go together.');
  return { layer: oneOf('layer', layer, LAYERS), seed: readSeed('seed', seed), path };
}

interface Asked {
  readonly operations: number;
  readonly rounds: number | undefined;
  readonly base: Base;
  readonly store: (typeof STORES)[number];
  readonly json: boolean;
}

async function prove(endpoint: string, { operations, rounds, base, store, json }: Asked): Promise<void> {
  const started = Date.now();
  const options = { endpoint, operations, seed: base.from, first: known.closed, onProgress, ...defined({ rounds }) };
  const report = await runProof(options).catch((error: unknown) => {
    if (error instanceof CounterexampleError && error.round !== undefined) {
      known.keep([{ ...error.round, showed: shownBriefly(error.message) }], (line) => process.stderr.write(`${line}\n`));
      recordFailure(`differential-${store}`, base);
    }
    throw error;
  });
  if (report.operations < operations) throw new Error(`only ${report.operations} of ${operations} operations were done`);
  await reportOpen(
    known.open,
    async (round) => differs(endpoint, round),
    (line) => process.stderr.write(`${line}\n`),
  );
  const seconds = Math.round((Date.now() - started) / 100) / 10;
  const { sequences, counts } = report;
  const kinds = Object.values(counts).reduce((sum, layer) => sum + Object.keys(layer).length, 0);
  recordFigures(`differential-${store}`, { operations: report.operations, sequences, kinds, differences: 0, seconds }, base);
  if (json) process.stdout.write(`${JSON.stringify({ store, base: base.from, seconds, differences: 0, ...report })}\n`);
}

async function differs(endpoint: string, { layer, seed }: KnownRound): Promise<boolean> {
  const store = await openStore(endpoint, 'differential-open');
  try {
    await runRound({ layer, seed, sequences: SEQUENCES_A_ROUND }, store, new Coverage());
    return false;
  } catch (error) {
    if (error instanceof CounterexampleError) return true;
    throw error;
  } finally {
    store.close();
  }
}

/** A line now and then: a store may be slow. */
function onProgress(layer: Layer, done: number): void {
  if (Date.now() - told < TELL_EVERY_MS) return;
  told = Date.now();
  process.stderr.write(`differential: ${done} operations of ${layer}\n`);
}

async function replay(endpoint: string, sequence: Sequence): Promise<void> {
  const store = await openStore(endpoint, 'differential-replay');
  try {
    await runRound({ ...sequence, sequences: 1 }, store, new Coverage());
    process.stdout.write('differential: no difference any more\n');
  } finally {
    store.close();
  }
}
