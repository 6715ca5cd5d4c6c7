/** The exact type that every JSON answer carries. */
export const jsonType = 'application/json; charset=utf-8';

const jsonByRecord = new WeakMap<object, string>();

/** A record as the body of a JSON answer. */
export function toJson(record: unknown): string {
  return JSON.stringify(record);
}

/**
 * The same for a record that the next request is answered with as well, or a list of such: its text is made once and kept for as
 * long as the record itself.
 */
export function toCachedJson(record: unknown): string {
  if (Array.isArray(record)) return `[${record.map(toCachedJson).join(',')}]`;
  if (typeof record !== 'object' || record === null) return toJson(record);
  const cached = jsonByRecord.get(record);
  if (cached !== undefined) return cached;
  const text = toJson(record);
  jsonByRecord.set(record, text);
  return text;
}
