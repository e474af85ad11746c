import { expect, it } from 'vitest';
import { createAdminOver } from '../../operate/admin.ts';
import { defineJob } from '../../shared/index.ts';
import { anyPayload, Rig } from '../support/rig.ts';

const MINUTE = 60_000;
const KEYS = { suspended: ['id'], control: ['pk', 'sk'] } as const;
const plain = defineJob('plain', { payload: anyPayload });

/** Writes every row of a table anew, as a version would have that calls the scope `type#plain` by the name `region#eu`. */
async function rename(rig: Rig, table: 'suspended' | 'control'): Promise<void> {
  for (const row of await rig.rows(table)) {
    const key = Object.fromEntries(KEYS[table].map((name) => [name, row[name]])) as { [name: string]: string };
    await rig.tables.write({ op: 'delete', table, key });
    await rig.tables.write({ op: 'put', table, row: JSON.parse(JSON.stringify(row).replaceAll('type#plain', 'region#eu')) as typeof row });
  }
}

it('a job that a later version suspended by a scope that this one does not know stays so until the suspension is over', async () => {
  const ran: string[] = [];
  const rig = new Rig({ handlers: [plain.handle(({ job }) => void ran.push(job.id))] });
  const admin = createAdminOver(rig.deps);
  await admin.suspend({ type: 'plain' }, { reason: 'r', until: new Date(rig.clock.now() + 60 * MINUTE) });
  const { id } = await rig.client.enqueue(plain, {});
  await rig.drain();
  await rename(rig, 'suspended');
  await rename(rig, 'control');
  for (let passed = 0; passed < 50; passed += 10) {
    await rig.clock.advance(10 * MINUTE);
    await rig.sweep();
    await rig.drain();
  }
  expect([await rig.client.get(id), ran]).toMatchObject([{ state: 'suspended' }, []]);
  await rig.clock.advance(11 * MINUTE);
  await rig.sweep();
  await rig.drain();
  expect(ran).toEqual([id]);
});
