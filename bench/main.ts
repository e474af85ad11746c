import { parseArgs } from 'node:util';
import { costTable, withinTargets } from './cost/cost-table.ts';
import { measureCost } from './cost/measure-cost.ts';
import { benchScale } from './scale/bench-scale.ts';
import { type Share, SHARES } from './scale/measure-scale.ts';
import { SCENARIOS } from './scale/scenarios/scenarios.ts';

const BENCHES = ['cost', 'scale'];
const SCENARIO_NAMES = SCENARIOS.map(({ name }) => name);
const EXIT_USAGE = 2;
const USAGE = `Usage: npm run bench -- [${BENCHES.join('|')}] [--jobs N] [--share full|tenth|hundredth] [--scenario NAME] [--json]

  cost   writes and SQS requests per job, from what the stores say they consumed; exit code 1 when a target is missed
  scale  the production code over models of DynamoDB, SQS and Lambda, at a tenth of each scenario's size (--share) and at a
         tenth of that, to see how each figure grows; --scenario runs one, and may be given several times
`;

class UsageError extends Error {}

interface Options {
  readonly bench: string;
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
    if (!BENCHES.includes(name)) throw new UsageError(`${JSON.stringify(name)} is not a bench. Use ${BENCHES.join(', ')}.`);
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
  return { bench: positionals[0] ?? 'cost', jobs, share: share as Share, scenarios, json, help };
}

async function main(args: readonly string[]): Promise<number> {
  const { bench, jobs, json, help, ...scale } = readOptions(args);
  if (help) {
    process.stdout.write(USAGE);
    return 0;
  }
  if (bench === 'scale') {
    process.stdout.write(`${await benchScale({ ...scale, json })}\n`);
    return 0;
  }
  const figures = await measureCost(jobs);
  process.stdout.write(`${json ? JSON.stringify(figures) : costTable(figures, jobs)}\n`);
  return withinTargets(figures) ? 0 : 1;
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
