import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { EMULATED } from '../../local/emulators/emulator-credentials.ts';
import { startRegion } from '../../local/region.ts';
import { silentJournal } from '../../shared/adapters/observability/silent-journal.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/any-language');
const SCENARIO = join(import.meta.dirname, 'any-language.py');
const hasPython = spawnSync('python3', ['--version']).status === 0;
if (!hasPython) process.stderr.write('SKIPPED: the example in Python, because this machine has no python3.\n');

test.skipIf(!hasPython)(
  'a worker in Python enqueues, fetches, extends, completes, fails and unlocks jobs with signed requests',
  async () => {
    const workers = { scanner: { outside: true, groups: false } };
    const problems: unknown[] = [];
    const region = await startRegion({
      workers,
      hostEnvironment: {},
      journal: silentJournal,
      externalApi: true,
      onProblem: (_what, error) => void problems.push(error),
    });
    try {
      const env = { PATH: process.env['PATH'], ...EMULATED, API_URL: region.externalApiUrl, PYTHONDONTWRITEBYTECODE: '1' };
      const { stdout } = await promisify(execFile)('python3', [SCENARIO, EXAMPLE], { env, timeout: 300_000 });
      expect(JSON.parse(stdout)).toEqual({
        enqueued: false,
        again: true,
        payload: { file: 'a.tiff' },
        extended: false,
        completed: { result: 'completed' },
        lost: [409, 'lock-lost', 'finished'],
        'follow-up': 'scan.publish',
        unlocked: { result: 'unlocked' },
        failed: { result: 'retried' },
        error: { result: 'dead' },
        dead: ['scan.publish', 'Torn', 2],
        counts: 1,
        one: 'dead',
        wrong: [400, 'invalid-input', 'max'],
        strangers: [403, 403],
        unsigned: 403,
        worked: 'cannot be read',
        left: [],
      });
      expect(problems).toEqual([]);
    } finally {
      await region.stop(0);
    }
  },
);

test('the worker in Python has fewer than a hundred lines, and needs nothing but the standard library', () => {
  const lines = readFileSync(join(EXAMPLE, 'worker.py'), 'utf8').split('\n');
  expect(lines.length).toBeLessThan(100);
  expect(lines.filter((line) => /^(import|from) /.test(line))).toEqual([
    'import datetime, hashlib, hmac, json, os, time, urllib.error, urllib.parse, urllib.request',
  ]);
});
