import type { Scalar } from '../../../shared/job/job.ts';
import { rowBytes } from '../../../shared/adapters/memory/row-size.ts';
import type { Write } from '../../../shared/ports/tables.ts';
import { stored, type Stored } from './sorted-rows.ts';

/** The row after a write that applies; undefined when there is none. */
export function after(write: Write, old: Stored | undefined): Stored | undefined {
  if (write.op === 'put') return stored(write.row);
  if (write.op !== 'update') return write.op === 'check' ? old : undefined;
  return old === undefined ? stored(changed(write, write.key)) : updated(write, old);
}

type Update = Extract<Write, { readonly op: 'update' }>;

/** Only attributes that an update touches are measured again. */
function updated(write: Update, old: Stored): Stored {
  const row = changed(write, old.row);
  const touched = [...Object.keys(write.set), ...(write.remove ?? []), ...Object.keys(write.add ?? {})];
  let { bytes } = old;
  for (const name of new Set(touched)) bytes += bytesOf(name, row[name]) - bytesOf(name, old.row[name]);
  return { row, bytes };
}

function changed(write: Update, base: Stored['row']): Stored['row'] {
  const row: Record<string, Scalar> = { ...base, ...write.set };
  for (const name of write.remove ?? []) delete row[name];
  for (const [name, amount] of Object.entries(write.add ?? {})) row[name] = Number(row[name] ?? 0) + amount;
  return row;
}

const bytesOf = (name: string, value: Scalar | undefined): number => (value === undefined ? 0 : rowBytes({ [name]: value }));
