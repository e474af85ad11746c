import { globSync } from 'node:fs';
import { ROOT } from './mutants.ts';

const FOLDERS = [
  'unit/{acquirer,aws,client,config,console,dynamodb,executor,lambda,observability,operate,sqs,store,sweeper,testing,worker}',
  'features/*/{unit,flow,race}',
  'contract',
  'race',
  'flow',
  'faults',
  'proofs/scenarios',
  'console',
  'cli',
  'examples',
  'cost',
  'transcripts',
];

/** Measurements of minutes, whole console pages, and processes: faster tests cover the same code. */
const SLOW = [
  'proofs/scenarios/{load,recovery,fairness,outside-deaths,batches,processes}',
  'faults/black-hole',
  'unit/operate/explain-comes-true',
  'console/security',
  'examples/outside-worker',
  'cli/operate-region',
  'cli/optional-packages',
];

/** The test files that have to notice a mutant. */
export const fastTestFiles = (): readonly string[] =>
  FOLDERS.flatMap((folder) =>
    globSync(`test/${folder}/**/*.test.ts`, { cwd: ROOT, exclude: SLOW.map((slow) => `test/${slow}.test.ts`) }),
  ).toSorted();
