/** Runs all checks of the source to the end and prints their results: format, lint and types, dead code. */
import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { withoutArguments } from './with-arguments.ts';

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..');
const CHECKS = [
  { name: 'format', tool: ['oxfmt', '--check'], fix: 'npm run format' },
  // One pass: the rules need the types anyway.
  {
    name: 'lint and types',
    tool: ['oxlint', '--type-check', '--deny-warnings', '--report-unused-disable-directives'],
    fix: 'npm run lint, npm run typecheck',
  },
  { name: 'dead code', tool: ['knip', '--no-progress'], fix: 'npx knip, or remove what it names' },
] as const;

const USAGE = `Usage: npm run check

Runs all checks of the source to the end and prints their results: ${CHECKS.map(({ name }) => name).join(', ')}.
Exit code 1 when one of them failed.
`;

await withoutArguments(USAGE, () => {
  const results = CHECKS.map(({ name, tool, fix }) => {
    process.stdout.write(`\n== ${name}: ${tool.join(' ')}\n`);
    const { status } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'run.mjs'), ...tool], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    return { name, fix, passed: status === 0 };
  });

  const failed = results.filter(({ passed }) => !passed);
  process.stdout.write(
    `\n${results.map(({ name, passed, fix }) => `${passed ? 'passed' : 'FAILED'}  ${name}${passed ? '' : ` (${fix})`}`).join('\n')}\n`,
  );
  process.stdout.write(`check: ${results.length - failed.length} passed, ${failed.length} failed\n`);
  return failed.length === 0 ? 0 : 1;
});
