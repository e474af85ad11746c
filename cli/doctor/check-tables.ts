import { TABLE_NAMES, TABLE_SPECS, type TableSpec } from '../../shared/ports/table-spec.ts';
import type { TableName } from '../../shared/ports/tables.ts';
import { createIndex } from './check-shapes.ts';
import { type Check, type DoctorLooks, type Finding, type Look, type TableSeen, unseen } from './check.ts';

/** Tables exist with their keys and indexes, are active, keep no rows that expired, and can be restored. */
export const tablesCheck: Check = {
  name: 'tables',
  run: async ({ deployment, looks }) =>
    (await Promise.all(TABLE_NAMES.map(async (name) => lookAt(name, deployment.tables[name], looks)))).flat(),
};

async function lookAt(name: TableName, table: string, looks: DoctorLooks): Promise<readonly Finding[]> {
  const spec = TABLE_SPECS[name];
  const [seen, expiry, recovery] = await Promise.all([
    looks.table(table),
    spec.ttl === undefined ? undefined : looks.timeToLive(table),
    looks.pointInTimeRecovery(table),
  ]);
  return [
    ...judgeTable(spec, table, seen),
    ...(expiry === undefined || 'absent' in seen ? [] : [judgeExpiry(spec, table, expiry)]),
    ...('absent' in seen ? [] : [judgeRecovery(table, recovery, looks.local)]),
  ];
}

/** Pure: the findings from a table's description. */
export function judgeTable(spec: TableSpec, table: string, look: Look<TableSeen>): readonly Finding[] {
  const what = { check: 'table', subject: table };
  const not = unseen(look, what);
  if (not !== undefined || !('saw' in look)) return not === undefined ? [] : [not];
  const { status, key, indexes, deletionProtection } = look.saw;
  const wanted = [spec.partition, ...(spec.sort === undefined ? [] : [spec.sort])];
  if (key.join() !== wanted.join()) {
    return [
      {
        ...what,
        status: 'failed',
        says: `has the key ${key.join(', ')} instead of ${wanted.join(', ')}`,
        fix: 'It is a different table: check NIGHTCREW_TABLES.',
      },
    ];
  }
  const missing = Object.keys(spec.indexes).filter((index) => indexes[index] === undefined);
  const building = Object.entries(indexes).filter(([, state]) => state !== 'ACTIVE');
  if (status !== 'ACTIVE') return [{ ...what, status: 'failed', says: `is ${status}`, fix: 'Wait until it is ACTIVE, then check again.' }];
  if (missing.length > 0) {
    return [{ ...what, status: 'failed', says: `lacks the index ${missing.join(', ')}`, fix: fixOfIndexes(spec, table, missing) }];
  }
  if (building.length > 0) {
    const states = building.map(([index, state]) => `${index} is ${state}`).join(', ');
    return [{ ...what, status: 'warning', says: `index ${states}`, fix: 'Lists by that index are incomplete until it is ACTIVE.' }];
  }
  return [{ ...what, status: 'ok', says: `active${deletionProtection ? ', protected from deletion' : ''}` }];
}

function fixOfIndexes({ indexes }: TableSpec, table: string, missing: readonly string[]): string {
  // DynamoDB creates one index at a time.
  const [first] = missing.flatMap((name) => (indexes[name] === undefined ? [] : createIndex(table, name, indexes[name])));
  return `Deploy the stack again. An adopted table needs: ${first}`;
}

function judgeExpiry(spec: TableSpec, table: string, look: Look<string | undefined>): Finding {
  const what = { check: 'expiry', subject: table };
  const not = unseen(look, what);
  if (not !== undefined || !('saw' in look)) return not ?? { ...what, status: 'unknown', says: 'could not be read' };
  if (look.saw === spec.ttl) return { ...what, status: 'ok', says: `rows expire by ${look.saw}` };
  return {
    ...what,
    status: 'failed',
    says: look.saw === undefined ? 'rows do not expire: the table grows forever' : `rows expire by ${look.saw} instead of ${spec.ttl}`,
    fix: `aws dynamodb update-time-to-live --table-name ${table} --time-to-live-specification Enabled=true,AttributeName=${spec.ttl}`,
  };
}

function judgeRecovery(table: string, look: Look<boolean>, local: boolean): Finding {
  const what = { check: 'backup', subject: table };
  const not = unseen(look, what);
  if (not !== undefined || !('saw' in look)) return not ?? { ...what, status: 'unknown', says: 'could not be read' };
  if (look.saw) return { ...what, status: 'ok', says: 'point-in-time recovery is on' };
  if (local) return { ...what, status: 'unknown', says: 'an emulator keeps no backups' };
  return {
    ...what,
    status: 'failed',
    says: 'point-in-time recovery is off: rows deleted by mistake are lost',
    fix: `aws dynamodb update-continuous-backups --table-name ${table} --point-in-time-recovery-specification PointInTimeRecoveryEnabled=true`,
  };
}
