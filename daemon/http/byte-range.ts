/** Part of a file: first and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a `Range` header against a file of a size. null: the whole file (no header, several ranges, another unit, or nonsense,
 * which HTTP says to ignore); `unsatisfiable`: the file has no such bytes (416).
 */
export function readByteRange(
  header: string | undefined,
  sizeBytes: number,
): ByteRange | 'unsatisfiable' | null {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? '');
  const [from, to] = [match?.[1] ?? '', match?.[2] ?? ''];
  if (match === null || (from === '' && to === '')) return null;
  if (from === '') {
    const length = Math.min(Number(to), sizeBytes);
    return length === 0 ? 'unsatisfiable' : { first: sizeBytes - length, last: sizeBytes - 1 };
  }
  const first = Number(from);
  const last = to === '' ? sizeBytes - 1 : Math.min(Number(to), sizeBytes - 1);
  if (to !== '' && Number(to) < first) return null;
  return first >= sizeBytes ? 'unsatisfiable' : { first, last };
}
