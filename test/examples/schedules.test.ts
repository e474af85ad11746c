import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { expect, onTestFinished, test } from 'vitest';
import { everyNight, everyTwentyMinutes } from '../../examples/schedules/jobs.ts';
import { runLedger } from '../../examples/schedules/ledger.ts';
import { runNight } from '../../examples/schedules/night.ts';
import { runOverlaps } from '../../examples/schedules/overlap.ts';
import { ReportStack } from '../../examples/schedules/stack.ts';

test('a night in which the clocks change, a pause and a run by hand give the reports that they should', async () => {
  expect(await runNight()).toEqual([
    'preview 2026-10-25T00:30, 2026-10-25T02:30:00 in Berlin',
    'preview 2026-10-26T01:30, 2026-10-26T02:30:00 in Berlin',
    'report for berlin of 2026-10-25T00:30',
    'rates: 72 runs',
    'resumed',
    'report for berlin of 2026-10-26T01:30',
    'report for berlin of 2026-10-27T12:10',
    'next: 2026-10-28T01:30',
  ]);
});

test('hours of a ledger are closed in their order after a retry, none on a holiday, and those of the past by a backfill', async () => {
  expect(await runLedger()).toEqual([
    'fails 2026-04-30T07:00',
    ...['07', '08', '09', '10'].map((hour) => `closed 2026-04-30T${hour}:00`),
    'next: 2026-04-30T11:00',
    'backfill: 3 hours',
    ...['13', '14', '15'].map((hour) => `closed 2026-04-29T${hour}:00`),
    'closed 2026-04-30T15:00',
    'next: 2026-05-04T15:00',
    'deleted: true',
  ]);
});

test('an index that is late is updated once for all that came meanwhile, and a newer fetch of prices cancels the one that is tried again', async () => {
  expect(await runOverlaps()).toEqual({
    index: ['10:00 completed', '10:10 completed', '10:20 skipped'],
    prices: ['10:00 cancelled', '10:10 completed', '10:20 completed'],
  });
});

test('the stack carries its schedules beside the code of the acquirer', () => {
  const outdir = mkdtempSync(join(tmpdir(), 'nightcrew-schedules-'));
  onTestFinished(() => rmSync(outdir, { recursive: true, force: true }));
  const app = new App({ outdir, builtinCloudFormationValidation: false });
  new ReportStack(app, 'Reports');
  app.synth();
  const files = readdirSync(outdir).map((name) => join(outdir, name, 'schedules.json'));
  const declared = files.filter((file) => existsSync(file));
  expect(declared.map((file) => JSON.parse(readFileSync(file, 'utf8')) as unknown)).toEqual([[everyNight, everyTwentyMinutes]]);
  expect(existsSync(join(declared[0] ?? '', '..', 'index.mjs'))).toBe(true);
});
