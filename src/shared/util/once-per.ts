/**
 * Makes of a function one that works once for each object: later calls with the same object give the very same result, for as long as
 * the object lives. For what is made of data that is never edited in place.
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
