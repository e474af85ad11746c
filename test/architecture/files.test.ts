import { describe, expect, test } from 'vitest';
import { readFileSync } from 'node:fs';
import { fromRoot, sourceFiles } from './source-files.ts';

const MAX_LINES = 300;
const BUCKETS = /(^|\/)(.+-)?(utils?|helpers?|common|types|misc|lib|stuff|interfaces)\.(ts|mjs)$/;
const KEBAB = /^[a-z0-9]+(-[a-z0-9]+)*(\.(test|spec|test-d|config))?\.(ts|mjs)$/;

/** Where time, chance, the environment and the console may be reached: the adapters that own them and what runs on a developer's machine. */
const OWNERS = /^(shared\/adapters\/system\.ts|(local|scripts|test|cli|bench|examples)\/|infra\/(app|order-service-stack)\.ts$)/;
const FORBIDDEN: readonly (readonly [what: RegExp, instead: string])[] = [
  [/\bDate\.now\b/, 'Clock.now'],
  [/\bnew Date\(\s*\)/, 'Clock.now'],
  [/\bMath\.random\b/, 'Entropy.random'],
  [/\b(setTimeout|setInterval)\(/, 'Clock.wait'],
  [/\bprocess\.(env|exit|hrtime)\b/, 'what is handed in'],
  [/\bperformance\.now\b/, 'Clock.now'],
  [/\b(randomUUID|randomBytes|randomInt|getRandomValues)\(/, 'Entropy'],
  [/\bconsole\.(log|info|warn|error|debug|trace|table|dir)\b/, 'Journal or JobLog'],
  [/\b(eval|Function)\(['"`]/, 'a Map of functions'],
];

const files = sourceFiles();
const withoutComments = (text: string): string => text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1');
const forbiddenIn = (path: string, text: string): readonly string[] =>
  OWNERS.test(path)
    ? []
    : FORBIDDEN.filter(([what]) => what.test(withoutComments(text))).map(([what, instead]) => `${path}: ${what.source}, use ${instead}`);

describe('source files', () => {
  test('are found', () => expect(files.length).toBeGreaterThan(100));

  test(`have at most ${MAX_LINES} lines`, () => {
    const long = files.map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 })).filter(({ lines }) => lines > MAX_LINES);
    expect(long).toEqual([]);
  });

  test('are not buckets', () => expect(files.map((file) => file.path).filter((path) => BUCKETS.test(path))).toEqual([]));

  test('have names in kebab case', () =>
    expect(files.map((file) => file.path).filter((path) => !KEBAB.test(path.split('/').at(-1) ?? ''))).toEqual([]));

  test('reach neither clock nor chance nor environment nor console, but for the adapters that own them', () => {
    expect(files.flatMap(({ path, text }) => forbiddenIn(path, text))).toEqual([]);
  });

  test('would be caught at it', () => {
    expect(forbiddenIn('shared/job/x.ts', 'const now = new Date();')).toHaveLength(1);
    expect(forbiddenIn('functions/sweeper/x.ts', 'await new Promise((done) => setTimeout(done, 5)); // sleeps')).toHaveLength(1);
    expect(forbiddenIn('shared/job/x.ts', '// Date.now() would be wrong here')).toEqual([]);
    expect(forbiddenIn('local/ticks.ts', 'Date.now()')).toEqual([]);
  });

  test('draw nothing in a test that all runs share: TEST_SEED is the one seed, and proofs print their base', () => {
    const tests = files.filter(
      ({ path }) => path.endsWith('.test.ts') || (path.startsWith('test/support/') && path !== 'test/support/base-seed.ts'),
    );
    const drawing = tests.filter(({ text }) =>
      /\bMath\.random\(|\brandomInt\(|\breadBase\(process|\b[sS]eed = (Number\()?Date\.now\(/.test(text),
    );
    expect(drawing.map(({ path }) => path)).toEqual([]);
  });

  test('contain no reminder of unfinished work', () => {
    const reminders = new RegExp(`\\b(${['TO', 'DO'].join('')}|${['FIX', 'ME'].join('')}|${['X', 'X', 'X'].join('')})\\b`);
    expect(files.filter(({ text }) => reminders.test(text)).map((file) => file.path)).toEqual([]);
  });

  test('skip no test', () => {
    const skipped = files.filter(
      ({ path, text }) => path.startsWith('test/') && /\b(test|it|describe)\.(only|skip|todo|fails)\b/.test(withoutComments(text)),
    );
    expect(skipped.map((file) => file.path).filter((path) => path !== 'test/architecture/files.test.ts')).toEqual([]);
  });
});

test('the README has fewer than 210 lines, which fit a screen but for the picture', () => {
  const lines = readFileSync(fromRoot('README.md'), 'utf8').split('\n');
  expect(lines.length - 1).toBeLessThan(210);
  expect(lines.filter((line) => line.length > 120 && !line.startsWith('!['))).toEqual([]);
});
