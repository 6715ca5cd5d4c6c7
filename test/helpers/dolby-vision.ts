import { readFile, writeFile } from 'node:fs/promises';
import { addToSampleEntry, box } from './mp4-boxes.js';

/**
 * Marks an HEVC MP4 file as Dolby Vision: its sample entry gets a configuration record (`dvcC`, Dolby Vision Streams Within the
 * ISO Base Media File Format 2.3.1) of a profile, or only the name if `profile` is null. The index must be at the end of the file.
 */
export async function addDolbyVisionBox(
  path: string,
  profile: number | null,
  compatibility = 0,
): Promise<void> {
  if (profile === null) return tagAsDolbyVision(path);
  const content = Buffer.alloc(24);
  content[0] = 1;
  // Profile, level 5, with metadata, without an enhancement layer, with a base layer.
  content.writeUInt16BE((profile << 9) | (5 << 3) | 0b101, 2);
  content[4] = compatibility << 4;
  await addToSampleEntry(path, box('dvcC', content));
}

/** Gives an HEVC MP4 file the codec tag of Dolby Vision without another way to display it. */
export async function tagAsDolbyVision(path: string): Promise<void> {
  const bytes = await readFile(path);
  bytes.write('dvh1', bytes.lastIndexOf('hvc1'), 'latin1');
  await writeFile(path, bytes);
}
