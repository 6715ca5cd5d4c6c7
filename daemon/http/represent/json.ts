/** The exact type that every JSON answer carries. */
export const jsonType = 'application/json; charset=utf-8';

/** A record as the body of a JSON answer. */
export function toJson(record: unknown): string {
  return JSON.stringify(record);
}
