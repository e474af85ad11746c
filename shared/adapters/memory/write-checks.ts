import { StoreRefusedError } from '../../job/errors.ts';
import type { Scalar } from '../../job/job.ts';
import type { KeySpec, TableSpec } from '../../ports/table-spec.ts';
import { TABLE_SPECS } from '../../ports/table-spec.ts';
import type { Condition, Row, RowKey, Write } from '../../ports/tables.ts';
import { rowBytes } from './row-size.ts';

const MAX_ROW_BYTES = 400 * 1024;
const MAX_TRANSACTION_BYTES = 4 * 1024 * 1024;
const MAX_TRANSACTION_WRITES = 100;
const MAX_KEY_BYTES = { partition: 2048, sort: 1024 } as const;

/** The refusal that DynamoDB answers to a request that can never be right. */
export function refused(operation: string, why: string): StoreRefusedError {
  return new StoreRefusedError(operation, Object.assign(new Error(why), { name: 'ValidationException' }));
}

/** Refuses a write that DynamoDB would refuse before reading any row. */
export function checkWrite(write: Write): void {
  const spec = TABLE_SPECS[write.table];
  if (write.op === 'put') checkRow(write.op, spec, write.row);
  else checkExactKey(write.op, spec, write.key);
  if (write.op === 'update') checkUpdate(write, spec);
  if (write.condition !== undefined) checkCondition(write.op, write.condition);
}

/** Refuses a row that is too large, holds a number that is none, or has a key attribute of the wrong kind. */
export function checkRow(operation: string, spec: TableSpec, row: Row): void {
  checkKeys(operation, spec, row);
  for (const [name, value] of Object.entries(row)) checkScalar(operation, name, value);
  checkIndexKeys(operation, spec, row);
  const bytes = rowBytes(row);
  if (bytes > MAX_ROW_BYTES) throw refused(operation, `the row has ${bytes} bytes, at most ${MAX_ROW_BYTES} are allowed`);
}

/** Why a batch of puts can never be written; DynamoDB refuses the whole batch for one of its rows. */
export function refusalOfRows(spec: TableSpec, rows: readonly Row[]): StoreRefusedError | undefined {
  try {
    for (const row of rows) checkRow('putAll', spec, row);
    return undefined;
  } catch (error) {
    if (error instanceof StoreRefusedError) return error;
    throw error;
  }
}

/** Refuses a transaction with too many writes, none, or two of the same row. */
export function checkTransaction(writes: readonly Write[]): void {
  if (writes.length === 0 || writes.length > MAX_TRANSACTION_WRITES) {
    throw refused('transact', `${writes.length} writes, 1 to ${MAX_TRANSACTION_WRITES} are allowed`);
  }
  const seen = new Set<string>();
  for (const write of writes) {
    checkWrite(write);
    const key = write.op === 'put' ? write.row : write.key;
    const name = JSON.stringify([write.table, ...keyAttributes(TABLE_SPECS[write.table]).map((attribute) => key[attribute])]);
    if (seen.has(name)) throw refused('transact', `two writes name the same row ${name}`);
    if (write.op === 'check' && write.condition === undefined) throw refused('transact', `the check of ${name} has no condition`);
    if (write.op === 'update' && isEmptyUpdate(write)) throw refused('transact', `the update of ${name} changes nothing`);
    seen.add(name);
  }
}

/** Refuses a transaction whose rows exceed 4 MB in total. */
export function checkTransactionBytes(rows: readonly (Row | undefined)[]): void {
  const bytes = rows.reduce((sum, row) => sum + (row === undefined ? 0 : rowBytes(row)), 0);
  if (bytes > MAX_TRANSACTION_BYTES) throw refused('transact', `${bytes} bytes, at most ${MAX_TRANSACTION_BYTES} are allowed`);
}

/** Names of the key attributes, partition first. */
export function keyAttributes(spec: KeySpec): readonly string[] {
  return spec.sort === undefined ? [spec.partition] : [spec.partition, spec.sort];
}

/** Refuses a key that is not exactly the table's key attributes. */
export function checkExactKey(operation: string, spec: TableSpec, key: RowKey): void {
  checkKeys(operation, spec, key);
  if (Object.keys(key).length !== keyAttributes(spec).length) {
    throw refused(operation, `table ${spec.name}: the key has other attributes than ${keyAttributes(spec).join(', ')}`);
  }
}

function checkKeys(operation: string, spec: TableSpec, row: Row): void {
  for (const [part, attribute] of keyParts(spec)) checkKeyText(operation, { ...spec, part, attribute }, row[attribute]);
}

type KeyPart = keyof typeof MAX_KEY_BYTES;

function keyParts(spec: KeySpec): readonly (readonly [part: KeyPart, attribute: string])[] {
  return spec.sort === undefined
    ? [['partition', spec.partition]]
    : [
        ['partition', spec.partition],
        ['sort', spec.sort],
      ];
}

function checkKeyText(
  operation: string,
  { name, part, attribute }: { readonly name: string; readonly part: KeyPart; readonly attribute: string },
  value: Scalar | undefined,
): void {
  if (typeof value === 'string' && value !== '' && Buffer.byteLength(value) <= MAX_KEY_BYTES[part]) return;
  throw refused(operation, `table ${name}: key attribute ${attribute} must be a text of 1 to ${MAX_KEY_BYTES[part]} bytes`);
}

function checkIndexKeys(operation: string, spec: TableSpec, row: Row): void {
  for (const index of Object.values(spec.indexes)) {
    for (const [part, attribute] of keyParts(index)) {
      if (row[attribute] !== undefined) checkKeyText(operation, { ...spec, part, attribute }, row[attribute]);
    }
  }
}

function checkUpdate(write: Write & { readonly op: 'update' }, spec: TableSpec): void {
  const touched = [...Object.keys(write.set), ...(write.remove ?? []), ...Object.keys(write.add ?? {})];
  if (new Set(touched).size !== touched.length) throw refused('update', 'an attribute is changed twice');
  const key = keyAttributes(spec).find((attribute) => touched.includes(attribute));
  if (key !== undefined) throw refused('update', `key attribute ${key} cannot be changed`);
  checkIndexKeys('update', spec, write.set);
  for (const [name, value] of Object.entries({ ...write.set, ...write.add })) checkScalar('update', name, value);
}

function isEmptyUpdate(write: Write & { readonly op: 'update' }): boolean {
  return Object.keys(write.set).length + (write.remove?.length ?? 0) + Object.keys(write.add ?? {}).length === 0;
}

/** Refuses a condition that has no expression: an empty list, or a comparison that DynamoDB does not support. */
export function checkCondition(operation: string, condition: Condition): void {
  if (condition.test === 'all' || condition.test === 'any') {
    if (condition.of.length === 0) throw refused(operation, `condition ${condition.test} names no conditions`);
    for (const one of condition.of) checkCondition(operation, one);
  } else if (condition.test === 'beginsWith' && typeof condition.value !== 'string') {
    throw refused(operation, `condition beginsWith on ${condition.attribute} needs a text`);
  } else if (condition.test === 'atMost' && typeof condition.value === 'boolean') {
    throw refused(operation, `condition atMost on ${condition.attribute} needs a text or a number`);
  }
}

function checkScalar(operation: string, name: string, value: Scalar): void {
  const fits =
    typeof value === 'number'
      ? value === 0 || (Math.abs(value) >= 1e-130 && Math.abs(value) < 1e126)
      : typeof value === 'string' || typeof value === 'boolean';
  if (!fits)
    throw refused(operation, `attribute ${name} holds ${String(value)}, which is not a string, boolean or number that DynamoDB holds`);
}
