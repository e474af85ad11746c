/**
 * Does `work` for each item with at most `limit` at a time, started in order, and gives the results in order. All items are
 * worked on even when some fail; then it rejects with the first error.
 */
export function mapLimited<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = Array.from({ length: items.length });
  const errors: unknown[] = [];
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      try {
        results[index] = await work(items[index] as Item, index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  return Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane)).then(() => {
    if (errors.length > 0) throw errors[0];
    return results;
  });
}
