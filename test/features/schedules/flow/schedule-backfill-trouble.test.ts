import { describe, expect, it } from 'vitest';
import { InvalidInputError, StoreUnavailableError, UnauditedError } from '../../../../shared/job/errors.ts';
import { schedule, scheduled, type ScheduledRig } from '../../../support/scheduled-rig.ts';

/** The rig begins on 2026-03-01. */
const FEBRUARY = { from: '2026-02-01T00:00:00Z', to: '2026-02-28T23:59:59Z' };

const put = async (rig: ScheduledRig, more: object = {}) => rig.admin.schedules.put(schedule({ cron: '0 9 * * *', ...more }));
const backfill = async (rig: ScheduledRig, options: object = {}) => rig.admin.schedules.backfill('nightly', { ...FEBRUARY, ...options });

describe('a backfill that cannot be', () => {
  it.each([
    [{ from: undefined }, /^from: /],
    [{ to: 'yesterday' }, /^to: /],
    [{ to: '2026-01-01T00:00:00Z' }, /^to: .*before from/],
    [{ to: '2026-03-01T00:00:11Z' }, /^to: .*not past/],
    [{ limit: 0 }, /^limit: .*1 to 1000/],
    [{ limit: 1_001 }, /^limit: /],
    [{ limit: 1.5 }, /^limit: /],
    [{ apply: 'yes' }, /^apply: /],
    [{ ratePerSecond: 0 }, /^ratePerSecond: /],
    [{ ratePerSecond: 1_001 }, /^ratePerSecond: /],
    [{ ratePerSecond: '1' }, /^ratePerSecond: /],
    [{ reason: 1 }, /^reason: /],
    [{ actor: 1 }, /^actor: /],
    [{ overlap: 'skip' }, /overlap/],
  ])('%j names the field and the fix', async (options, message) => {
    const rig = scheduled();
    await put(rig);
    const refused = backfill(rig, { apply: true, ...options });
    await expect(refused).rejects.toThrow(InvalidInputError);
    await expect(refused).rejects.toThrow(message);
    expect(await rig.counts()).toMatchObject({ jobs: 0 });
  });

  it('takes the begin and the end of what is allowed', async () => {
    const rig = scheduled();
    await put(rig);
    for (const options of [{ limit: 1 }, { limit: 1_000 }, { ratePerSecond: 0.01 }, { ratePerSecond: 1_000 }, { to: rig.clock.now() }]) {
      expect(await backfill(rig, options)).toMatchObject({ applied: false });
    }
    const at = '2026-02-01T09:00:00Z';
    expect(await backfill(rig, { from: at, to: at })).toMatchObject({ count: 1 });
  });

  it('of a name that is none is refused', async () => {
    const rig = scheduled();
    await expect(rig.admin.schedules.backfill('not a name', FEBRUARY)).rejects.toThrow(/^name: /);
  });
});

describe('a backfill whose store fails', () => {
  it('half-way says so in the audit, sends the hints of what it enqueued, and goes on when it is called again', async () => {
    const rig = scheduled();
    await put(rig);
    const transact = rig.tables.transact.bind(rig.tables);
    let left = 5;
    rig.tables.transact = async (...request) => {
      if (left-- <= 0) throw new StoreUnavailableError('transact', new Error('down'));
      return transact(...request);
    };
    await expect(backfill(rig, { apply: true })).rejects.toThrow(StoreUnavailableError);
    rig.tables.transact = transact;
    expect((await rig.admin.audit()).map(({ detail }) => detail)).toContain(
      '2026-02-01T09:00:00.000Z to 2026-02-28T09:00:00.000Z: failed after 5 enqueued',
    );
    await rig.drain();
    expect(rig.ran).toHaveLength(5);
    expect(await backfill(rig, { apply: true })).toMatchObject({ enqueued: 23, known: 5 });
  });

  it('half-way gives the error that ended it, although the audit takes no entry either', async () => {
    const rig = scheduled();
    await put(rig);
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.transact = async () => {
      throw new StoreUnavailableError('transact', new Error('the jobs are down'));
    };
    rig.tables.write = async (request, ...more) => {
      if (JSON.stringify(request).includes('failed after')) throw new StoreUnavailableError('write', new Error('the audit is down'));
      return write(request, ...more);
    };
    await expect(backfill(rig, { apply: true })).rejects.toThrow(/^transact: /);
  });

  it('at its last entry says what was done', async () => {
    const rig = scheduled();
    await put(rig);
    const write = rig.tables.write.bind(rig.tables);
    rig.tables.write = async (request, ...more) => {
      if (JSON.stringify(request).includes('28 enqueued')) throw new StoreUnavailableError('write', new Error('down'));
      return write(request, ...more);
    };
    await expect(backfill(rig, { apply: true })).rejects.toThrow(UnauditedError);
    expect(await rig.counts()).toMatchObject({ jobs: 28 });
  });
});
