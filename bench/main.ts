import { parseArgs } from 'node:util';
import { costTable, withinTargets } from './cost/cost-table.ts';
import { measureCost } from './cost/measure-cost.ts';
import { benchScale } from './scale/bench-scale.ts';
import { type Share, SHARES } from './scale/measure-scale.ts';
import { SCENARIOS } from './scale/scenarios/scenarios.ts';

const BENCHES = ['cost', 'scale'] as const;
type Bench = (typeof BENCHES)[number];
const SCENARIO_NAMES = SCENARIOS.map(({ name }) => name);
const EXIT_USAGE = 2;
const USAGE = `Usage: npm run bench -- [${BENCHES.join('|')}] [--jobs N] [--share full|tenth|hundredth] [--scenario NAME] [--json]

  cost   writes and SQS requests per job, from what the stores say they consumed; exit code 1 when a target is missed
  scale  the production code over models of DynamoDB, SQS and Lambda, at a tenth of each scenario's size (--share) and at a
         tenth of that, to see how each figure grows; --scenario runs one, and may be given several times
`;

class UsageError extends Error {}

interface Options {
  readonly benches: readonly Bench[];
  readonly jobs: number;
  readonly share: Share;
  readonly scenarios: readonly string[];
  readonly json: boolean;
  readonly help: boolean;
}

function readOptions(args: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: 'boolean' },
      jobs: { type: 'string' },
      share: { type: 'string' },
      scenario: { type: 'string', multiple: true },
      help: { type: 'boolean' },
    },
  });
  const { json = false, jobs: given = '200', share = 'tenth', scenario: scenarios = [], help = false } = values;
  for (const name of positionals)
    if (!BENCHES.some((one) => one === name)) throw new UsageError(`${JSON.stringify(name)} is not a bench. Use ${BENCHES.join(', ')}.`);
  const jobs = Number(given);
  if (!Number.isInteger(jobs) || jobs < 10 || jobs > 100_000) {
    throw new UsageError(`--jobs ${JSON.stringify(given)} is not valid. Use a whole number from 10 to 100000.`);
  }
  if (!Object.hasOwn(SHARES, share)) {
    throw new UsageError(`--share ${JSON.stringify(share)} is not valid. Use ${Object.keys(SHARES).join(', ')}.`);
  }
  const unknown = scenarios.find((name) => !SCENARIO_NAMES.includes(name));
  if (unknown !== undefined) {
    throw new UsageError(`--scenario ${JSON.stringify(unknown)} is not a scenario. Use ${SCENARIO_NAMES.join(', ')}.`);
  }
  return {
    benches: positionals.length === 0 ? BENCHES : BENCHES.filter((name) => positionals.includes(name)),
    jobs,
    share: share as Share,
    scenarios,
    json,
    help,
  };
}

/** What one bench found: its figures, the report for people, and whether every target was met. */
interface Result {
  readonly figures: object;
  readonly table: string;
  readonly met: boolean;
}

const RUNS: Readonly<Record<Bench, (options: Options) => Promise<Result>>> = {
  cost: async ({ jobs }) => {
    const figures = await measureCost(jobs);
    return { figures, table: costTable(figures, jobs), met: withinTargets(figures) };
  },
  // A growth that is worse than linear stays in the table as that; it fails nothing.
  scale: async (options) => ({ ...(await benchScale(options)), met: true }),
};

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args);
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const results: (readonly [name: Bench, result: Result])[] = [];
  for (const name of options.benches) results.push([name, await RUNS[name](options)]);
  process.stdout.write(`${options.json ? oneLine(results) : results.map(([, { table }]) => table).join('\n\n')}\n`);
  return results.every(([, { met }]) => met) ? 0 : 1;
}

/** The figures of one bench as they are, those of several by name. */
function oneLine(results: readonly (readonly [name: Bench, result: Result])[]): string {
  const figures = results.map(([name, result]) => [name, result.figures] as const);
  return JSON.stringify(figures.length === 1 ? figures[0]?.[1] : Object.fromEntries(figures));
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const usage =
    error instanceof UsageError || (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'));
  if (!usage) throw error;
  process.stderr.write(`bench: ${error.message}\n\n${USAGE}`);
  process.exitCode = EXIT_USAGE;
}
