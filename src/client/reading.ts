/*
 * Careful reading of what a service answers: other services that speak the document send numbers as text,
 * leave keys out and add keys of their own.
 */

/** The fields of an object; none where the value is no object. */
export function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : {};
}

/** The items of an array; a lone object counts as an array of one, anything else as an empty one. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return typeof value === 'object' && value !== null ? [value] : [];
}

/** A finite number, also where it came as text; null for all else. */
export function readNumber(value: unknown): number | null {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value !== 'string' || value.trim() === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

/** A text, also where it came as a number; null for all else. */
export function readText(value: unknown): string | null {
  if (typeof value === 'string') return value;
  return typeof value === 'number' ? String(value) : null;
}

/** True for `true`, `1` and these as text; false for all else. */
export function readBoolean(value: unknown): boolean {
  return value === true || value === 1 || value === '1' || value === 'true';
}
