import { createAdminOver } from '../../../../operate/admin.ts';
import { defineJob } from '../../../../shared/job/job-type.ts';
import { uniqueKeyHash } from '../../../../shared/job/unique-key.ts';
import type { Tables } from '../../../../shared/ports/tables.ts';
import { uniqueKeyKey } from '../../../../shared/store/control-rows.ts';
import { idKey } from '../../../../shared/store/rows.ts';
import { aimAt, faultyTables } from '../../../support/faulty-tables.ts';
import { anyPayload, Rig } from '../../../support/rig.ts';
import type { Break } from './break.ts';

const work = defineJob('work', { payload: anyPayload });
const context = { reason: 'by two' };

/** Two operators bury a job at once. Before the second one looks again, the first one has redriven it. */
export async function buriedInBetween(): Promise<readonly Break[]> {
  const rig = new Rig({ handlers: [work.handle(() => undefined)] });
  const faults = faultyTables(rig.tables);
  const other = createAdminOver(rig.deps);
  const { id } = await rig.client.enqueue(work, {}, { delay: 'PT5H', key: 'k' });
  faults.before(aimAt('put', 'deadLetters'), async () => other.bury(id, context));
  const transact: Tables['transact'] = async (...request) => {
    const outcome = await faults.tables.transact(...request);
    if (!outcome.applied) await other.redrive(id);
    return outcome;
  };
  await createAdminOver({ ...rig.deps, tables: { ...faults.tables, transact } }).bury(id, context);
  const key = await rig.tables.get('control', uniqueKeyKey(uniqueKeyHash('work', undefined, 'k')));
  const dead = await rig.tables.get('deadLetters', idKey(id));
  return [
    ...(key === undefined ? [] : [{ rule: 'key-held', what: 'a job that was buried keeps its unique key' }]),
    ...(dead === undefined ? [{ rule: 'legal-transition', what: 'a job was buried under another id' }] : []),
  ];
}
