import { ageParser } from '../flag-parsers.js';
import { humanUntil } from './units.js';

/** The longest time that a key with an expiry can work: ten years. */
export const maxExpirySeconds = 3650 * 86_400;

/** When a key expires, in ISO 8601, or why not: the end of a sentence that begins with the name of the field. */
type Expiry = { readonly expiresAt: string } | { readonly problem: string; readonly hint?: string };

/**
 * Reads when a key expires: after a time such as `12h` or `90d`, or on a date such as `2027-03-31`. Dates without a zone
 * are in UTC.
 */
export function readExpiry(word: string, now: Date): Expiry {
  const expiresAt = expiryOf(word, now);
  if (Number.isNaN(expiresAt))
    return { problem: `takes a time such as 12h or 90d, or a date such as 2027-03-31, not "${word}"` };
  if (expiresAt <= now.getTime()) return { problem: `must be in the future, and "${word}" is not` };
  if (expiresAt > now.getTime() + maxExpirySeconds * 1000)
    return { problem: 'takes at most 3650d', hint: 'leave it out for a key that does not expire' };
  return { expiresAt: new Date(expiresAt).toISOString() };
}

/** In milliseconds; NaN for text that is neither a time nor a date. */
function expiryOf(word: string, now: Date): number {
  if (/^\d+(?:\.\d+)?[smhdw]$/.test(word)) return now.getTime() + ageParser('expires')(word) * 1000;
  const [, day, time = '', zone = 'Z'] =
    /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:\d{2})?)?$/.exec(word) ?? [];
  if (day === undefined) return Number.NaN;
  const midnight = Date.parse(`${day}T00:00Z`);
  // Some engines take February 30 for a day in March.
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return Number.NaN;
  return time === '' ? midnight : Date.parse(`${day}T${time}${zone}`);
}

/** When a key expires, for people: `never`, `in 89 d` or `expired`. */
export function expiryText(expiresAt: string | null, now: Date): string {
  if (expiresAt === null) return 'never';
  return Date.parse(expiresAt) > now.getTime() ? `in ${humanUntil(expiresAt, now)}` : 'expired';
}
