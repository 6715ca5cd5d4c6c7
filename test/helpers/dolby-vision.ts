import { readFile, writeFile } from 'node:fs/promises';

const boxesAround = ['moov', 'trak', 'mdia', 'minf', 'stbl', 'stsd'] as const;

/**
 * Marks an HEVC MP4 file as Dolby Vision: its sample entry gets a configuration record (`dvcC`, Dolby Vision Streams Within the
 * ISO Base Media File Format 2.3.1) of a profile, or only the name if `profile` is null. The index must be at the end of the file.
 */
export async function addDolbyVisionBox(
  path: string,
  profile: number | null,
  compatibility = 0,
): Promise<void> {
  const bytes = await readFile(path);
  const entry = bytes.lastIndexOf('hvc1');
  if (profile === null) {
    bytes.write('dvh1', entry, 'latin1');
    await writeFile(path, bytes);
    return;
  }
  const record = Buffer.alloc(32);
  record.writeUInt32BE(record.length, 0);
  record.write('dvcC', 4, 'latin1');
  record[8] = 1;
  // Profile, level 5, with metadata, without an enhancement layer, with a base layer.
  record.writeUInt16BE((profile << 9) | (5 << 3) | 0b101, 10);
  record[12] = compatibility << 4;
  const grown = [...boxesAround.map((name) => bytes.lastIndexOf(name, entry)), entry];
  for (const at of grown) bytes.writeUInt32BE(bytes.readUInt32BE(at - 4) + record.length, at - 4);
  const end = entry - 4 + bytes.readUInt32BE(entry - 4) - record.length;
  await writeFile(path, Buffer.concat([bytes.subarray(0, end), record, bytes.subarray(end)]));
}
