/**
 * Runs `task` on every item, at most `limit` at a time. Resolves to the results in the order of the items; rejects with the first error.
 *
 * Not p-map: nothing else of it is needed, and these lines are on the daemon's start-up path.
 */
export async function mapWithConcurrency<T, R>(
  items: readonly T[],
  limit: number,
  task: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const worker = async () => {
    for (const [index, item] of queue) results[index] = await task(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}
