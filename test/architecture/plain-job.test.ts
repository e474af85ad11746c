import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { fromRoot } from './source-files.ts';

// Lower a number when the code gets below it. The aim: 35 files, 9 functions, 22 files of the executor.
const MAX_FILES = 47;
const MAX_FRAMES = 9;
const MAX_EXECUTOR_FILES = 22;

interface Path {
  readonly files: readonly string[];
  readonly frames: readonly string[];
}

describe('one plain job', () => {
  const { files, frames } = JSON.parse(
    execFileSync(process.execPath, [fromRoot('test/architecture/run-plain-job.ts')], { encoding: 'utf8' }),
  ) as Path;

  test(`calls functions of at most ${MAX_FILES} files of the product`, () => {
    expect(files).toContain('functions/executor/record.ts');
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(MAX_FILES);
  });

  test('meets about as many files as the page of the architecture says', () => {
    const [, stated] = /about (\d+) files/.exec(readFileSync(fromRoot('docs/reference/architecture.md'), 'utf8')) ?? [];
    expect(Math.abs(files.length - Number(stated))).toBeLessThanOrEqual(5);
  });

  test(`is completed at most ${MAX_FRAMES} functions below the executor's entry`, () => {
    expect(frames.at(-1)).toBe('executeMessages (functions/executor/execute-messages.ts)');
    expect(frames.length, frames.join('\n')).toBeLessThanOrEqual(MAX_FRAMES);
  });
});

test(`the executor has at most ${MAX_EXECUTOR_FILES} files`, () => {
  const names = readdirSync(fromRoot('functions/executor'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  expect(names.length).toBeGreaterThan(5);
  expect(names.length).toBeLessThanOrEqual(MAX_EXECUTOR_FILES);
});
