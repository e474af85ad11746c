import { expect, it } from 'vitest';
import { KeyContestedError } from '../../shared/job/errors.ts';
import { defineJob } from '../../shared/job/job-type.ts';
import { uniqueKeyHash } from '../../shared/job/unique-key.ts';
import { SettableClock } from '../../shared/adapters/memory/settable-clock.ts';
import type { Tables } from '../../shared/ports/tables.ts';
import { uniqueKeyRow } from '../../shared/store/control-rows.ts';
import { anyPayload, Rig } from '../support/rig.ts';
import { rigTables } from '../support/rig-tables.ts';

const work = defineJob('work', { payload: anyPayload });

it('a unique key that changes hands at each try is refused by an error of its own, which says that the call may succeed later', async () => {
  const clock = new SettableClock();
  const tables = rigTables(clock);
  const rig = new Rig({ clock, tables });
  const transact = tables.transact.bind(tables);
  const afterAnother: Tables['transact'] = async (...call) => {
    // Someone takes the key, and their job ends before anyone can look for it.
    await tables.write({ op: 'put', table: 'control', row: uniqueKeyRow(uniqueKeyHash('work', undefined, 'k'), rig.client.newId()) });
    return transact(...call);
  };
  Object.assign(tables, { transact: afterAnother });
  const refused = await rig.client.enqueue(work, {}, { key: 'k' }).catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(KeyContestedError);
  expect(refused).toMatchObject({ code: 'KEY_CONTESTED', retryable: true });
  expect((await rig.counts()).jobs).toBe(0);
});
