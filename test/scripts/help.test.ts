import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromRoot } from '../architecture/source-files.ts';

const { scripts } = JSON.parse(readFileSync(fromRoot('package.json'), 'utf8')) as { readonly scripts: Readonly<Record<string, string>> };
/** The program of each script. Tools of others have a help of their own. */
const programs = Object.entries(scripts).flatMap(([name, command]) => {
  const [, program] = /^node (?:-- )?scripts\/run\.mjs (\S+\.ts)/.exec(command) ?? [];
  return program === undefined ? [] : [{ name, program }];
});
const TOOLS = ['vitest', 'cdk', 'tsc', 'oxlint', 'oxfmt'];

/** Programs that read their command lines themselves. */
const OWN_HELP = ['bench/main.ts', 'cli/nightcrew.ts', 'local/start.ts'];
/** The first statement that does something, at the top level of a file. */
const FIRST_DEED = /^(?:await|void|if|for|try|while|switch|new|throw|[a-zA-Z.]+\()[^;{]*/m;

describe('--help of an npm script', () => {
  test('has a program of ours or a tool behind it', () => {
    const known = Object.values(scripts).filter(
      (command) => !TOOLS.some((tool) => command.includes(`scripts/run.mjs ${tool} `) || command.endsWith(` ${tool}`)),
    );
    expect(new Set(known)).toEqual(new Set(programs.map(({ name }) => scripts[name])));
  });

  test.each(programs.filter(({ program }) => !OWN_HELP.includes(program)))('$name: is asked for before anything is done', ({ program }) => {
    const [deed = ''] = FIRST_DEED.exec(readFileSync(fromRoot(program), 'utf8')) ?? [];
    expect(deed).toMatch(/^await (?:runCommand|with(?:out)?Arguments)\((?:USAGE|`Usage: |generated \? )/);
  });

  test.concurrent.each(['scripts/check.ts', ...OWN_HELP])('%s prints its usage, and exits with 0', async (program) => {
    const { code, out, err } = await run(program, '--help');
    expect({ code, err, usage: /^Usage: (?:npm (?:start|run )|nightcrew )/i.test(out) }).toEqual({ code: 0, err: '', usage: true });
  });

  test.concurrent('an argument of a script that takes none is refused with its usage', async () => {
    const { code, err } = await run('scripts/check.ts', '--fix');
    expect(code).toBe(2);
    expect(err).toMatch(/^"--fix" is not valid: it takes no arguments\.\n\nUsage: npm run check/);
  });
});

async function run(program: string, argument: string): Promise<{ readonly code: number; readonly out: string; readonly err: string }> {
  const child = spawn(process.execPath, ['--', fromRoot(program), argument], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.on('data', (data) => (out += String(data)));
  child.stderr.on('data', (data) => (err += String(data)));
  const [code] = (await once(child, 'close')) as [number];
  return { code, out, err };
}
