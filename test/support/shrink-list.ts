/**
 * The items without which something no longer happens: takes away as many as it can, in ever smaller stretches. Each item that is left
 * is needed in addition to the others. `happens` returns whether it occurs with these items alone.
 */
export async function shrinkList<Item>(
  items: readonly Item[],
  happens: (items: readonly Item[]) => Promise<boolean>,
): Promise<readonly Item[]> {
  if (items.length > 0 && (await happens([]))) return [];
  let left = items;
  for (let size = Math.ceil(left.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let at = 0; at < left.length && left.length > 1;) {
      const fewer = [...left.slice(0, at), ...left.slice(at + size)];
      if (fewer.length > 0 && (await happens(fewer))) left = fewer;
      else at += size;
    }
  }
  return left;
}
