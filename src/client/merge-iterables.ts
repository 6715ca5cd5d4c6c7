type Outcome<T> =
  | { readonly source: AsyncIterator<T>; readonly result: IteratorResult<T> }
  | { readonly error: unknown };

/**
 * Yields the values of several async iterators in the order in which they arrive. Each source is advanced only when the consumer has
 * taken its previous value, so a slow consumer slows its sources down. Throws the first error of a source. Does not end the other
 * sources then: the caller aborts what they wait for.
 *
 * Not `Promise.race` over the pending values: each race would add a reaction to the promise of an idle source, which grows without limit
 * while another source is busy.
 */
export async function* mergeIterables<T>(
  sources: readonly AsyncIterator<T>[],
): AsyncGenerator<T, void, undefined> {
  const outcomes: Outcome<T>[] = [];
  let wake = () => {};
  let activeCount = sources.length;
  const advance = (source: AsyncIterator<T>) => {
    const onSettled = (outcome: Outcome<T>) => {
      outcomes.push(outcome);
      wake();
    };
    source.next().then(
      (result) => onSettled({ source, result }),
      (error: unknown) => onSettled({ error }),
    );
  };
  for (const source of sources) advance(source);
  while (activeCount > 0) {
    const outcome = outcomes.shift();
    if (outcome === undefined) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
      continue;
    }
    if ('error' in outcome) throw outcome.error;
    if (outcome.result.done === true) activeCount -= 1;
    else {
      yield outcome.result.value;
      advance(outcome.source);
    }
  }
}
