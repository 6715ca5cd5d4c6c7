/** Larger files go up in parts (contract, section 9). */
export const maxSingleBytes = 16 * 1024 * 1024;

const mebibyte = 1024 * 1024;
const minPartBytes = 8 * mebibyte;
/** The service takes no more of them. */
const maxParts = 10_000;
/** What all parts on their way may take up in memory together. */
const maxBufferedBytes = 32 * mebibyte;
const maxConcurrency = 4;

/** How a file goes up in parts. */
export interface PartPlan {
  /** Of every part but the last. */
  readonly partBytes: number;
  readonly count: number;
  /** How many go up side by side. */
  readonly concurrency: number;
}

/** Cuts a file into parts: never more than are taken, and so that those on their way stay within bounds of memory. */
export function planParts(sizeBytes: number): PartPlan {
  const requiredPartBytes = Math.ceil(sizeBytes / maxParts / mebibyte) * mebibyte;
  const partBytes = Math.max(minPartBytes, requiredPartBytes);
  const count = Math.max(1, Math.ceil(sizeBytes / partBytes));
  const concurrency = Math.max(1, Math.min(maxConcurrency, count, Math.floor(maxBufferedBytes / partBytes)));
  return { partBytes, count, concurrency };
}
