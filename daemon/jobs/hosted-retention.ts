import type { Job, JobOutput } from './job.js';

/** How long hosted files are kept unless the job says otherwise, in seconds (section 1). */
export const defaultRetentionSeconds = 86_400;

/** At most a century, so that every time of expiry can be written. */
const suffix = /-(\d{1,10})s$/;

/**
 * The token of hosted files that are kept for a time: it is part of the token, so that every daemon and every copy of
 * the files knows it. A random token alone, which has no hyphen, stands for the default.
 */
export function tokenWithRetention(randomToken: string, seconds: number | null): string {
  return seconds === null ? randomToken : `${randomToken}-${seconds}s`;
}

/** How long the files of a token are kept, in seconds. */
export function retentionSecondsOf(token: string): number {
  return Math.min(Number(suffix.exec(token)?.[1] ?? defaultRetentionSeconds), 3_155_760_000);
}

/** When a hosted output expires, in ISO 8601; null if it is not hosted, or has not finished. */
export function expiryOf({ destination, state, finishedAt, deliverySeconds = 0 }: JobOutput): string | null {
  const token = /^hosted:\/\/([^/]+)\//.exec(destination)?.[1];
  if (token === undefined || state !== 'finished' || finishedAt === null) return null;
  // Each file has its own time: the first one is there since the delivery began.
  const deliveredAtMs = Date.parse(finishedAt) - deliverySeconds * 1000;
  const expiresAt = new Date(deliveredAtMs + retentionSecondsOf(token) * 1000);
  return Number.isNaN(expiresAt.getTime()) ? null : expiresAt.toISOString();
}

/** The hosted files of an output, and when they expire. */
export interface HostedSize {
  readonly sizeBytes: number;
  readonly expiresAtMs: number;
}

/** The hosted outputs of a job, with their thumbnails. */
export function hostedSizesOf(outputs: readonly JobOutput[]): readonly HostedSize[] {
  return outputs.flatMap((output) => {
    const expiresAt = expiryOf(output);
    if (expiresAt === null) return [];
    const ofThumbnails = output.thumbnails.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0);
    return [{ sizeBytes: (output.file?.sizeBytes ?? 0) + ofThumbnails, expiresAtMs: Date.parse(expiresAt) }];
  });
}

/** The bytes of those that have not expired. */
export function hostedBytesOf(sizes: readonly HostedSize[], now: Date): number {
  return sizes.reduce(
    (sum, { sizeBytes, expiresAtMs }) => (expiresAtMs > now.getTime() ? sum + sizeBytes : sum),
    0,
  );
}

/** How long an output was encoded, and how long its files were delivered, in milliseconds; null if that is not known. */
export function durationsOf({ state, startedAt, finishedAt, deliverySeconds }: JobOutput) {
  if (state !== 'finished' || startedAt === undefined || finishedAt === null) return null;
  const deliveredMs = Math.round((deliverySeconds ?? 0) * 1000);
  const encodedMs = Date.parse(finishedAt) - Date.parse(startedAt) - deliveredMs;
  // A clock that was set meanwhile may make it negative.
  return Number.isNaN(encodedMs) ? null : { encodedMs: Math.max(0, encodedMs), deliveredMs };
}

/** How long a job waited before it began, in milliseconds; null if it has not begun. */
export function waitedMsOf({ submittedAt, startedAt }: Job): number | null {
  if (startedAt === undefined) return null;
  const waitedMs = Date.parse(startedAt) - Date.parse(submittedAt);
  return Number.isNaN(waitedMs) ? null : Math.max(0, waitedMs);
}
