/** Most levels of a value that are gone through one within the other: what is made of requests and answers has a handful. */
const maxDepth = 500;

/** Whether a parsed value has more levels than can be worked with: what walks through it calls itself for each of them. */
export function isTooDeep(value: unknown): boolean {
  let level = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > maxDepth) return true;
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
  }
  return false;
}
