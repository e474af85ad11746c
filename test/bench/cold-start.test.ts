import { describe, expect, it } from 'vitest';
import { benchColdStart } from '../../bench/cold-start/bench-cold-start.ts';
import { bytesByGroup } from '../../bench/cold-start/bytes-by-group.ts';

describe('bytes of a bundle by what they belong to', () => {
  it('count what the SDK brings in as the SDK, packages by name, and our own by folder, largest first', () => {
    const bytesInOutput = (bytes: number): { readonly bytesInOutput: number } => ({ bytesInOutput: bytes });
    const groups = bytesByGroup({
      'node_modules/@smithy/core/dist-es/index.js': bytesInOutput(30),
      'node_modules/@aws-sdk/client-sqs/node_modules/@smithy/core/dist-es/index.js': bytesInOutput(4),
      'node_modules/@aws-lambda-powertools/logger/lib/esm/Logger.js': bytesInOutput(9),
      'node_modules/@aws-lambda-powertools/metrics/lib/esm/Metrics.js': bytesInOutput(8),
      'node_modules/zod/v4/mini/index.js': bytesInOutput(5),
      'shared/job/job.ts': bytesInOutput(20),
      'shared/features/schedules/model/cron.ts': bytesInOutput(1),
      'shared/ports/tables.ts': bytesInOutput(0),
    });
    expect(Object.entries(groups)).toEqual([
      ['AWS SDK', 34],
      ['shared/job', 20],
      ['Powertools', 17],
      ['zod', 5],
      ['shared/features/schedules', 1],
    ]);
  });
});

describe('the bench of cold starts', () => {
  it('gives each figure in its short form', async () => {
    const { measurements } = await benchColdStart.run({ rounds: 1, short: true, progress: () => {}, scenarios: [] });
    const figures = Object.fromEntries(measurements.map((measurement) => [measurement.id, measurement]));
    for (const name of ['executor', 'acquirer', 'sweeper']) {
      for (const figure of ['bytes', 'gzip', 'init', 'cpu', 'bytesOverLean', 'initOverLean', 'cpuOverLean'])
        expect(figures[`cold-start.${name}.${figure}`]?.ratio?.median, `${name} ${figure}`).toBeGreaterThan(0);
    }
    expect(Object.keys(figures)).toHaveLength(25);
    expect(Object.keys(figures).filter((id) => id.startsWith('cold-start.client.'))).toHaveLength(4);
  });
});
