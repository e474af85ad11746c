import { describe, expect, it } from 'vitest';
import type { Row } from '../../../../shared/ports/tables.ts';
import type { Change, Mutation } from '../world/observed-store.ts';
import type { JobEntry } from './job-tracker.ts';
import { quietWorld } from './quiet-world.ts';
import { TenantInvariants } from './tenant-invariants.ts';
import { Violations } from './violations.ts';

const ASKED = { name: 'changeBatchTenant', args: [], steps: new Set<string>() };
const control = (pk: string, sk: string, after: Row, before?: Row): Change => ({ table: 'control', key: { pk, sk }, before, after });
const head = (tenant: string, before?: Row): Change => control('batch#b', 'head', { tenant }, before);
const callback = (tenant: string): Change => control('batch#b', 'call#completed', { json: JSON.stringify({ tenant }) });
const BEFORE = { tenant: 'acme' };

/** The checks of a batch of acme's with a callback, and what they found. */
function stage() {
  const by = quietWorld().process('admin', 'operator');
  const violations = new Violations(() => 0);
  const checks = new TenantInvariants(violations);
  const see = (call: Mutation['call'], ...changes: readonly Change[]) => checks.seeRows({ by, at: 0, call, changes });
  const step = (before: Row | undefined, after: Row) =>
    checks.see({
      entry: { id: 'job' } as JobEntry,
      by,
      from: before === undefined ? 'none' : 'waiting',
      to: 'waiting',
      before,
      after,
      verb: 'edit',
    });
  see(undefined, head('acme'), callback('acme'));
  return { see, step, broken: () => violations.list.map(({ what }) => what) };
}

describe('the invariants of tenants of batches', () => {
  it('let an operator move a batch with its callbacks, and its jobs after it', () => {
    const { see, step, broken } = stage();
    see(ASKED, head('globex', BEFORE), callback('globex'), control('batches', 'b', { tenant: 'globex' }));
    step({ ...BEFORE, batch: 'b' }, { tenant: 'globex', batch: 'b' });
    step(undefined, { tenant: 'globex', callbackOf: 'b' });
    expect(broken()).toEqual([]);
  });

  it('see a batch that moves though no operator asked for it', () => {
    const { see, broken } = stage();
    see(undefined, head('globex', BEFORE), callback('globex'));
    expect(broken()).toEqual([expect.stringContaining('was not asked to')]);
  });

  it('see a callback that is left behind, unless it was enqueued before', () => {
    const [left, fired] = [stage(), stage()];
    left.see(ASKED, head('globex', BEFORE));
    expect(left.broken()).toEqual([expect.stringContaining('its callback call#completed is of acme')]);
    fired.see(ASKED, control('batch#b', 'head', { tenant: 'globex', completedFired: true }, BEFORE));
    expect(fired.broken()).toEqual([]);
  });

  it('see a list that names the old tenant, a callback of the old tenant, and a job that goes elsewhere', () => {
    const { see, step, broken } = stage();
    see(ASKED, head('globex', BEFORE), callback('globex'), control('batches', 'b', BEFORE));
    step(undefined, { ...BEFORE, callbackOf: 'b' });
    step({ ...BEFORE, batch: 'b' }, { tenant: 'umbrella', batch: 'b' });
    expect(broken()).toEqual([
      expect.stringContaining('is listed with acme'),
      expect.stringContaining('enqueued callback job for acme'),
      expect.stringContaining('moved job to umbrella'),
    ]);
  });
});
