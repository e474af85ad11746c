import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { NEEDED_JAVA } from '../../local/emulators/dynamodb-local.ts';
import { fromRoot } from './source-files.ts';

const read = (path: string): string => readFileSync(fromRoot(path), 'utf8');
const NAMES: Readonly<Record<string, string>> = { linux: 'Linux', win: 'Windows', win32: 'Windows', darwin: 'macOS' };

/** The platforms for which npm carries a binary, as the README names them. */
function platformsOf(binary: RegExp): readonly string[] {
  const { optionalDependencies } = JSON.parse(read('tools/package.json')) as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(optionalDependencies).flatMap((name) => {
    const [, system = '', processor = ''] = binary.exec(name) ?? [];
    return system === '' ? [] : [`${NAMES[system] ?? system} ${processor}`];
  });
}

test('the README names what each platform needs besides npm: what npm carries a binary of is not needed', () => {
  const databases = platformsOf(/^@dynoxide\/(\w+)-(\w+)$/);
  const nodes = platformsOf(/^node-([a-z]+)-([a-z]+\d*)$/);
  const both = nodes.filter((platform) => databases.includes(platform));
  const nodeOnly = nodes.filter((platform) => !databases.includes(platform));
  const [, major = ''] = /NEEDED_MAJOR = (\d+)/.exec(read('scripts/run.mjs')) ?? [];
  expect(read('README.md').replaceAll(/\s+/g, ' ')).toContain(
    `On ${both.join(' and ')} you need npm and Node 18 or later, on ${nodeOnly.join(' and ')} also a JDK ${NEEDED_JAVA} for DynamoDB Local, ` +
      `on macOS and elsewhere a JDK ${NEEDED_JAVA} and Node ${major}.`,
  );
  expect(nodes.join()).not.toContain('macOS');
});
