import type { SearchOptions } from '../candidates.js';
import type { Binary, Measurer } from '../ffmpeg-types.js';
import { findPackaged } from '../find-binaries.js';
import { type ProgramQueryOptions, queryProgram } from '../query-program.js';

/**
 * Finds the program that measures: the ffmpeg in use, else the packaged ffmpeg, else the packaged ffprobe. Null if none
 * has the filter. Never rejects.
 */
export async function findMeasurer(
  ffmpeg: Binary,
  options: SearchOptions & ProgramQueryOptions,
): Promise<Measurer | null> {
  const places = [
    { program: 'ffmpeg', find: async () => ffmpeg },
    { program: 'ffmpeg', find: () => findPackaged('ffmpeg', 'ffmpeg-binary', options) },
    { program: 'ffprobe', find: () => findPackaged('ffprobe', 'installer', options) },
  ] as const;
  for (const { program, find } of places) {
    const binary = await find();
    if (binary !== null && (await hasFilter(binary, options))) return { program, binary };
  }
  return null;
}

async function hasFilter({ path }: Binary, options: ProgramQueryOptions): Promise<boolean> {
  // Builds of 2018 have an older form of the filter, without this option.
  const help = await queryProgram(path, ['-hide_banner', '-h', 'filter=libvmaf'], options).catch(() => '');
  return /^ +model +<string>/m.test(help);
}
