/** With a longer `Retry-After` a command fails instead of waiting. */
const maxCommandWaitMs = 5000;

/**
 * The delay in milliseconds after an error: `Retry-After` if the service sent it, otherwise `delayMs`. Null if
 * `delayMs` is undefined (no attempt is left) or the service asks for too long a delay.
 */
export function delayAfterError(
  { retryAfterSeconds }: { readonly retryAfterSeconds: number | null },
  delayMs: number | undefined,
  maxWaitMs = maxCommandWaitMs,
): number | null {
  if (delayMs === undefined) return null;
  const waitMs = retryAfterSeconds === null ? delayMs : retryAfterSeconds * 1000;
  return waitMs <= maxWaitMs ? waitMs : null;
}

/** `Retry-After` in seconds, as text; the header may also be a date. `nowMs` is the time now. */
export function secondsOfRetryAfter(header: string | undefined, nowMs: number): string | undefined {
  if (header === undefined || /^\s*[\d.]+\s*$/.test(header)) return header;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : String(Math.max(0, Math.ceil((time - nowMs) / 1000)));
}
