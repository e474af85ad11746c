import { parseArgs } from 'node:util';
import { costTable, withinTargets } from './cost/cost-table.ts';
import { measureCost } from './cost/measure-cost.ts';

const BENCHES = ['cost'];
const EXIT_USAGE = 2;
const USAGE = `Usage: npm run bench -- [${BENCHES.join('|')}] [--jobs N] [--json]

  cost   writes and SQS requests per job, from what the stores say they consumed; exit code 1 when a target is missed
`;

class UsageError extends Error {}

function readOptions(args: readonly string[]): { readonly jobs: number; readonly json: boolean; readonly help: boolean } {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: 'boolean' }, jobs: { type: 'string' }, help: { type: 'boolean' } },
  });
  const { json = false, jobs: given = '200', help = false } = values;
  for (const name of positionals)
    if (!BENCHES.includes(name)) throw new UsageError(`${JSON.stringify(name)} is not a bench. Use ${BENCHES.join(', ')}.`);
  const jobs = Number(given);
  if (!Number.isInteger(jobs) || jobs < 10 || jobs > 100_000) {
    throw new UsageError(`--jobs ${JSON.stringify(given)} is not valid. Use a whole number from 10 to 100000.`);
  }
  return { jobs, json, help };
}

async function main(args: readonly string[]): Promise<number> {
  const { jobs, json, help } = readOptions(args);
  if (help) {
    process.stdout.write(USAGE);
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
