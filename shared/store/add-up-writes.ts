import type { CancelReason, Write } from '../ports/tables.ts';

/** Writes with distinct rows, and the mapping from each original write to its reason. */
export interface AddedUp {
  readonly writes: readonly Write[];
  reasonOf(write: Write, reasons: readonly CancelReason[]): CancelReason | undefined;
}

/**
 * Merges updates that only add to counters of the same row. A transaction may write a row only once, and a child that ends may
 * add another child to the same leaf of its batch.
 */
export function addUpWrites(given: readonly Write[]): AddedUp {
  const writes: Write[] = [];
  const places = new Map<string, number>();
  const at = given.map((write) => {
    const name = onlyAdds(write) ? JSON.stringify([write.table, write.key]) : undefined;
    const place = name === undefined ? undefined : places.get(name);
    const before = place === undefined ? undefined : writes[place];
    if (place === undefined || before?.op !== 'update' || write.op !== 'update') {
      if (name !== undefined) places.set(name, writes.length);
      return writes.push(write) - 1;
    }
    const add = { ...before.add };
    for (const [attribute, amount] of Object.entries(write.add ?? {})) add[attribute] = (add[attribute] ?? 0) + amount;
    writes[place] = { ...before, add };
    return place;
  });
  return { writes, reasonOf: (write, reasons) => reasons[at[given.indexOf(write)] ?? -1] };
}

function onlyAdds(write: Write): write is Write & { readonly op: 'update' } {
  return write.op === 'update' && write.condition === undefined && Object.keys(write.set).length === 0 && write.remove === undefined;
}
