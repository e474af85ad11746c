import { describe, expect, it } from 'vitest';
import { measurementsOf } from '../../bench/page/missed.ts';
import { TUNING_IDS, tuningPage } from '../../bench/page/tuning-page.ts';
import { levers } from '../../bench/tuning/levers.ts';
import { compared } from '../../bench/frame/measurement.ts';
import { savedReport } from '../../scripts/generate-performance-doc.ts';

const JOBS = 20;

describe('the levers', () => {
  it('each give a figure on both sides', async () => {
    for (const { id, turned, baseline } of levers(JOBS)) {
      const figures = await Promise.all([turned(), baseline()]);
      expect([id, figures.every((figure) => Number.isFinite(figure) && figure > 0)]).toEqual([id, true]);
    }
  });

  it('show that a whole batch beats single messages, and that one group runs in turn', async () => {
    const by = new Map(levers(JOBS).map((lever) => [lever.id, lever]));
    for (const [id, isFaster] of [
      ['enqueueMany', true],
      ['batchSize', true],
      ['oneGroup', false],
    ] as const) {
      const lever = by.get(id);
      const [turned = 0, baseline = 0] = [await lever?.turned(), await lever?.baseline()];
      expect([id, turned > baseline]).toEqual([id, isFaster]);
    }
  });
});

describe('docs/operate/tuning.md', () => {
  it('names only what is measured', () => {
    const measured = [...levers(JOBS).map(({ id }) => `tuning.${id}`), 'tuning.batchWindow'];
    expect(TUNING_IDS.toSorted()).toEqual(measured.filter((id) => id !== 'tuning.manyGroups').toSorted());
  });

  it('has every effect from the last full run', () => {
    const known = new Set(measurementsOf(savedReport()).map(({ id }) => id));
    expect(TUNING_IDS.filter((id) => !known.has(id))).toEqual([]);
  });

  it('says an effect as the report does, and where there is none that it was not measured', () => {
    const one = compared({ id: 'tuning.enqueueMany', what: 'all at once', unit: 'jobs/s', baselineName: 'one by one' }, [50], [10]);
    const page = tuningPage({ ...savedReport(), benches: { tuning: { what: 'any', measurements: [one], tookSeconds: 1 } } });
    expect(page).toContain('| **5x**: all at once, 50 jobs/s; one by one, 10 |');
    expect(page).toContain('not part of the last full run');
  });
});
