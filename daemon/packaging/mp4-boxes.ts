/*
 * Reads and writes the boxes of MP4 files: ISO 14496-12, section 4.2.
 */

/** A box: its type, of four characters, and its content without the header. */
interface Box {
  readonly type: string;
  readonly content: Buffer;
}

/** The boxes that are directly in the content of another one. Ends at the first that is not complete. */
export function boxesOf(parent: Buffer): readonly Box[] {
  const found: Box[] = [];
  for (let at = 0; at + 8 <= parent.length; ) {
    const short = parent.readUInt32BE(at);
    const isLarge = short === 1 && at + 16 <= parent.length;
    const size = isLarge ? Number(parent.readBigUInt64BE(at + 8)) : short;
    // A size of 0 means that the box ends with its parent.
    const end = size === 0 ? parent.length : at + size;
    if (end <= at || end > parent.length) break;
    const type = parent.toString('latin1', at + 4, at + 8);
    found.push({ type, content: parent.subarray(at + (isLarge ? 16 : 8), end) });
    at = end;
  }
  return found;
}

/** The contents of the boxes of a type that are directly in `parent`. */
export function boxesIn(parent: Buffer, type: string): readonly Buffer[] {
  return boxesOf(parent).flatMap((box) => (box.type === type ? [box.content] : []));
}

/**
 * The content of the first box at a path, such as `mdia`, `hdlr` below a `trak`. Throws `RangeError` if there is none.
 */
export function requireBox(parent: Buffer, ...path: readonly string[]): Buffer {
  let content = parent;
  for (const type of path) {
    const [first] = boxesIn(content, type);
    if (first === undefined) throw new RangeError(`the file has no box ${path.join('/')}`);
    content = first;
  }
  return content;
}

/** A box with its header. */
export function box(type: string, ...content: readonly Buffer[]): Buffer {
  const header = Buffer.alloc(8);
  header.writeUInt32BE(content.reduce((sum, { length }) => sum + length, header.length));
  header.write(type, 4, 'latin1');
  return Buffer.concat([header, ...content]);
}

/** A box with a version and flags. */
export function fullBox(
  type: string,
  { version = 0, flags = 0 }: { readonly version?: number; readonly flags?: number },
  ...content: readonly Buffer[]
): Buffer {
  return box(type, words([version * 2 ** 24 + flags]), ...content);
}

/** Unsigned numbers of 32 bits. */
export function words(values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}
