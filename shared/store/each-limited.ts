/** Does `work` for each item with at most `limit` at a time, in order of start. Rejects with the first error after all have ended. */
export async function eachLimited<Item>(items: readonly Item[], limit: number, work: (item: Item, index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const errors: unknown[] = [];
  const lane = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) {
      try {
        await work(items[index] as Item, index);
      } catch (error) {
        errors.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (errors.length > 0) throw errors[0];
}
