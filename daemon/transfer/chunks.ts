/** How many bytes lie in pieces. */
export function bytesOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The pieces of the first so many bytes. */
export function firstOf(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return between(pieces, 0, bytes);
}

/** The pieces of what follows the first so many bytes. */
export function restOf(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return between(pieces, bytes, Number.POSITIVE_INFINITY);
}

function between(pieces: readonly Uint8Array[], from: number, to: number): readonly Uint8Array[] {
  let at = 0;
  return pieces.flatMap((piece) => {
    const part = piece.subarray(Math.max(0, from - at), Math.max(0, to - at));
    at += piece.byteLength;
    return part.byteLength > 0 ? [part] : [];
  });
}
