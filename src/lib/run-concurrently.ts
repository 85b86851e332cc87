/** Works through items in their order, so many at a time. Rejects with the first failure; the others continue. */
export async function runConcurrently<Item>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = [...items];
  const runNext = async (): Promise<void> => {
    while (waiting.length > 0) await work(waiting.shift() as Item);
  };
  await Promise.all(Array.from({ length: Math.min(concurrency, waiting.length) }, runNext));
}
