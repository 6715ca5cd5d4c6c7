/** How many bytes lie in pieces. */
export function totalByteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
}

/** The pieces of the first so many bytes. */
export function firstBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return sliceChunks(chunks, 0, bytes);
}

/** The pieces of what follows the first so many bytes. */
export function skipBytes(chunks: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  return sliceChunks(chunks, bytes, Number.POSITIVE_INFINITY);
}

function sliceChunks(chunks: readonly Uint8Array[], from: number, to: number): readonly Uint8Array[] {
  let position = 0;
  return chunks.flatMap((chunk) => {
    const part = chunk.subarray(Math.max(0, from - position), Math.max(0, to - position));
    position += chunk.byteLength;
    return part.byteLength > 0 ? [part] : [];
  });
}
