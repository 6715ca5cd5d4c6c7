/**
 * Memoizes a function by object: later calls with the same object return the same result, for the lifetime of the
 * object. For results derived from immutable data.
 */
export function memoizeByKey<From extends object, To>(compute: (from: From) => To): (from: From) => To {
  const cached = new WeakMap<From, { readonly value: To }>();
  return (from) => {
    const known = cached.get(from);
    if (known !== undefined) return known.value;
    const value = compute(from);
    cached.set(from, { value });
    return value;
  };
}

/** Remembers only the latest result: it is asked for again soon, and one for each object would take much memory. */
export function memoizeLatest<From extends object, To>(compute: (from: From) => To): (from: From) => To {
  let latest: { readonly from: From; readonly value: To } | null = null;
  return (from) => {
    if (latest?.from !== from) latest = { from, value: compute(from) };
    return latest.value;
  };
}

/** Returns a function that runs each work once, by its key: later calls with the same key return its first promise. */
export function createOnce<T>(): <Result extends T>(
  key: string,
  work: () => Promise<Result>,
) => Promise<Result> {
  const started = new Map<string, Promise<T>>();
  return <Result extends T>(key: string, work: () => Promise<Result>) => {
    const found = (started.get(key) as Promise<Result> | undefined) ?? work();
    started.set(key, found);
    return found;
  };
}

/** The items in their order, at most `size` at a time. */
export function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += size) yield items.slice(start, start + size);
}
