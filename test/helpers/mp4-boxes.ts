import { readFile, writeFile } from 'node:fs/promises';

const boxesAround = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'] as const;

/** A box of MP4: its size, its name and its content. */
export function box(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}

/** Adds boxes to the sample entry `hvc1` of an HEVC MP4 file. The index must be at the end of the file. */
export async function addToSampleEntry(path: string, ...boxes: readonly Buffer[]): Promise<void> {
  const bytes = await readFile(path);
  const added = Buffer.concat(boxes);
  const entry = bytes.lastIndexOf('hvc1');
  const grown = [...boxesAround.map((name) => bytes.lastIndexOf(name, entry)), entry];
  for (const at of grown) bytes.writeUInt32BE(bytes.readUInt32BE(at - 4) + added.length, at - 4);
  const end = entry - 4 + bytes.readUInt32BE(entry - 4) - added.length;
  await writeFile(path, Buffer.concat([bytes.subarray(0, end), added, bytes.subarray(end)]));
}
