/**
 * `npm run prove -- templates`: cfn-lint and checkov over the example's template and one with every option. Installs both into
 * `.emulators` the first time; fails where that cannot be done.
 */
import { join } from 'node:path';
import { systemClock } from '../../../shared/adapters/system.ts';
import { readArguments, runCommand } from '../../../scripts/command-line.ts';
import { recordFigures } from '../../support/figures.ts';
import { ACCEPTED } from './accepted.ts';
import { cfnLint, type Checked, checkersPython, checkov, FOLDER } from './checkers.ts';
import { type Finding, judge, missed } from './finding.ts';
import { PLANTED_FINDINGS } from './planted.ts';
import { writeTemplates } from './write-templates.ts';

const USAGE = `Usage: node scripts/run.mjs test/proofs/templates/main.ts

Checks the template of the example, and one of a stack with every option, with cfn-lint in all Regions and with checkov. Fails for a finding
that accepted.ts does not name, for an acceptance that matches no finding, and when a planted fault is not found.

  --help         prints this
`;

const clock = systemClock;
const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<boolean> {
  const python = checkersPython();
  const started = clock.now();
  const templates = writeTemplates(join(FOLDER, 'checked'));
  const [linted, checked] = await Promise.all([cfnLint(python, templates), checkov(python, templates)]);
  print(`templates: cfn-lint ${linted.version}, checkov ${checked.version}`);
  const problems = [...missedBy('cfn-lint', linted), ...missedBy('checkov', checked)];
  const real = [...linted.findings, ...checked.findings].filter(({ template }) => template !== 'planted');
  const { open, unused } = judge(real, ACCEPTED);
  problems.push(...open.map(described), ...unused.map((one) => `accepted, but not found any more: ${one}`));
  for (const problem of problems) print(`FAILED  ${problem}`);
  if (problems.length > 0) return false;
  const resources = templates.flatMap(({ types }) => Object.keys(types)).length;
  const seconds = Math.round((clock.now() - started) / 1000);
  const versions = { cfnLint: linted.version, checkov: checked.version };
  recordFigures('templates', { ...versions, resources, checks: checked.passed, accepted: real.length, seconds });
  return true;
}

const missedBy = (checker: keyof typeof PLANTED_FINDINGS, { findings }: Checked): string[] =>
  missed(findings, PLANTED_FINDINGS[checker]).map((fault) => `${checker} did not find the planted fault ${fault}`);

const described = ({ rule, template, resource, message }: Finding): string => `${rule} ${template} ${resource}: ${message}`;

await runCommand(USAGE, async (args) => {
  readArguments(args, {});
  try {
    return (await main()) ? 0 : 1;
  } catch (error) {
    print(`templates: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
});
