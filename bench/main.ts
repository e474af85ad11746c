import { parseArgs } from 'node:util';
import { measureCost } from './cost/measure-cost.ts';
import { costTable, withinTargets } from './cost/cost-table.ts';

const BENCHES = ['cost'] as const;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    json: { type: 'boolean', default: false },
    jobs: { type: 'string', default: '200' },
    help: { type: 'boolean', default: false },
  },
});
const [bench = 'cost', ...rest] = positionals;
const jobs = Number(values.jobs);

if (values.help) {
  console.log(
    `Usage: npm run bench -- [${BENCHES.join('|')}] [--jobs N] [--json]\n\n  cost   writes and SQS requests per job, from what the stores say they consumed; exit code 1 when a target is missed`,
  );
} else if (!BENCHES.includes(bench as 'cost') || rest.length > 0) {
  console.error(`bench: ${JSON.stringify([bench, ...rest].join(' '))} is not a bench. Use ${BENCHES.join(', ')}.`);
  process.exitCode = 2;
} else if (!Number.isInteger(jobs) || jobs < 10 || jobs > 100_000) {
  console.error(`bench: --jobs ${JSON.stringify(values.jobs)} is not valid. Use a whole number from 10 to 100000.`);
  process.exitCode = 2;
} else {
  const figures = await measureCost(jobs);
  console.log(values.json ? JSON.stringify(figures) : costTable(figures, jobs));
  if (!withinTargets(figures)) process.exitCode = 1;
}
