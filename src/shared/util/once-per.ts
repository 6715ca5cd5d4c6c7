/**
 * Makes of a function one that works once for each object: later calls with the same object give the very same result, for as long as
 * the object lives. For what is made of data that is never edited in place.
 */
export function oncePer<From extends object, To>(make: (from: From) => To): (from: From) => To {
  const made = new WeakMap<From, { readonly value: To }>();
  return (from) => {
    const known = made.get(from);
    if (known !== undefined) return known.value;
    const value = make(from);
    made.set(from, { value });
    return value;
  };
}
