import { type IndexSpec, type KeySpec, TABLE_NAMES, TABLE_SPECS, type TableSpec } from '../../shared/ports/table-spec.ts';
import type { Check, Finding, IndexSeen, TableSeen } from './check.ts';

/**
 * What the CDK cannot see of an adopted table: types of its keys, keys and columns of its indexes, replicas, protection. Tables that cannot be
 * read are found by `tablesCheck`.
 */
export const shapesCheck: Check = {
  name: 'table shapes',
  run: async ({ deployment: { tables }, looks }) => {
    const seen = await Promise.all(TABLE_NAMES.map(async (name) => [name, await looks.table(tables[name])] as const));
    const found = seen.flatMap(([name, look]) => ('saw' in look ? judgeShape(TABLE_SPECS[name], tables[name], look.saw) : []));
    // An emulator protects nothing.
    const judged = looks.local ? found.filter(({ check }) => check !== 'protection') : found;
    if (judged.length > 0 || !seen.every(([, look]) => 'saw' in look)) return judged;
    return [
      { check: 'table shapes', subject: 'all tables', status: 'ok', says: 'have the keys, columns and protection that are expected' },
    ];
  },
};

/** Judges the key types, indexes, replicas and protection of a table. */
export function judgeShape(spec: TableSpec, table: string, { shape, deletionProtection }: TableSeen): readonly Finding[] {
  const shapes = shape === undefined ? [] : [...judgeTypes(spec, table, shape.types), ...judgeReplicas(table, shape.replicas)];
  const indexes = Object.entries(spec.indexes).flatMap(([name, index]) => {
    const seen = shape?.indexes[name];
    return seen === undefined ? [] : judgeIndex({ table, name }, index, { seen, spec });
  });
  return [...shapes, ...indexes, ...(deletionProtection ? [] : [unprotected(table)])];
}

function judgeTypes(spec: TableSpec, table: string, types: Readonly<Record<string, string>>): Finding[] {
  const wrong = [spec, ...Object.values(spec.indexes)].flatMap(keyOf).filter((key) => (types[key] ?? 'S') !== 'S');
  if (wrong.length === 0) return [];
  const says = `has keys that are not of type S: ${[...new Set(wrong)].join(', ')}`;
  return [
    { check: 'key', subject: table, status: 'failed', says, fix: 'No row can be written. Create the table again with keys of type S.' },
  ];
}

function judgeReplicas(table: string, replicas: readonly string[]): Finding[] {
  if (replicas.length === 0) return [];
  const says = `has replicas in ${replicas.join(', ')}: two Regions may run the same job`;
  return [{ check: 'replicas', subject: table, status: 'failed', says, fix: 'Delete the replicas. See docs/operate/restore.md.' }];
}

interface Compared {
  readonly seen: IndexSeen;
  readonly spec: KeySpec;
}

function judgeIndex(
  { table, name }: { readonly table: string; readonly name: string },
  index: IndexSpec,
  { seen, spec }: Compared,
): Finding[] {
  const what = { check: 'index', subject: `${table}/${name}` };
  const wanted = keyOf(index);
  if (seen.key.join() !== wanted.join()) {
    const says = `has the key ${seen.key.join(', ')} instead of ${wanted.join(', ')}`;
    return [{ ...what, status: 'failed', says, fix: `Lists by it find nothing. Delete it, then: ${createIndex(table, name, index)}` }];
  }
  if (seen.projects === 'all') return [];
  const columns = new Set([...seen.projects, ...wanted, ...keyOf(spec)]);
  const lacking = index.projects.filter((column) => !columns.has(column));
  if (lacking.length === 0) return [];
  const says = `lacks the columns ${lacking.join(', ')}: lists by it do not show or filter them`;
  return [{ ...what, status: 'warning', says, fix: `Delete it, then: ${createIndex(table, name, index)}` }];
}

function unprotected(table: string): Finding {
  return {
    check: 'protection',
    subject: table,
    status: 'warning',
    says: 'is not protected from deletion; that is right if its removal policy is DESTROY',
    fix: `aws dynamodb update-table --table-name ${table} --deletion-protection-enabled`,
  };
}

/** The command that adds an index to a table that the stack does not make. */
export function createIndex(table: string, name: string, index: IndexSpec): string {
  const attributes = keyOf(index).map((key) => `AttributeName=${key},AttributeType=S`);
  // Keys are in every index anyway, and DynamoDB refuses to have them named.
  const columns = index.projects.filter((column) => !keyOf(index).includes(column));
  const create = {
    IndexName: name,
    KeySchema: keyOf(index).map((AttributeName, place) => ({ AttributeName, KeyType: place === 0 ? 'HASH' : 'RANGE' })),
    Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: columns },
  };
  const updates = JSON.stringify([{ Create: create }]);
  return `aws dynamodb update-table --table-name ${table} --attribute-definitions ${attributes.join(' ')} --global-secondary-index-updates '${updates}'`;
}

function keyOf({ partition, sort }: KeySpec): readonly string[] {
  return sort === undefined ? [partition] : [partition, sort];
}
