import { expect, it } from 'vitest';
import type { Admin } from '../../../operate/admin.ts';
import { createAdmin } from '../../../operate/create-admin.ts';
import { encodeEnvironment } from '../../../shared/config/environment.ts';
import { InvalidInputError } from '../../../shared/job/errors.ts';
import { TABLE_NAMES } from '../../../shared/ports/table-spec.ts';
import type { TableName } from '../../../shared/ports/tables.ts';

const tables = Object.fromEntries(TABLE_NAMES.map((name) => [name, name])) as Record<TableName, string>;
const environment = { AWS_REGION: 'eu-west-1', ...encodeEnvironment({ tables, workers: {} }) };
const no = 'no id' as never;

it.each<[string, (admin: Admin) => Promise<unknown>]>([
  ['redrive', (admin) => admin.redrive(no)],
  ['setRetries', (admin) => admin.setRetries(no, 1)],
  ['setDueDate', (admin) => admin.setDueDate(no, { delay: 'PT1M' })],
  ['delete', (admin) => admin.delete(no)],
  ['setPriority', (admin) => admin.setPriority(no, 1)],
  ['cancelWhere', (admin) => admin.cancelWhere({})],
  ['bulk', (admin) => admin.bulk({ verb: 'delete' }, {})],
  ['schedules.runNow', (admin) => admin.schedules.runNow('')],
  ['schedules.backfill', (admin) => admin.schedules.backfill('', { from: 0, to: 0 })],
  ['a verb for one tenant', (admin) => admin.forTenant('acme').delete(no)],
])('what was journalled is written out when a verb of an operator ends, however it ends: %s', async (_name, call) => {
  let flushes = 0;
  const journal = { record: () => {}, gauge: () => {}, flush: () => void flushes++ };
  await expect(call(createAdmin({ environment, journal }))).rejects.toThrow(InvalidInputError);
  expect(flushes).toBeGreaterThan(0);
});
