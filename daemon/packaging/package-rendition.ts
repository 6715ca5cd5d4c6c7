import { packageAudio } from './package-audio.js';
import { packageMovie } from './package-movie.js';
import { packageTransportStream } from './package-transport-stream.js';
import type { PackagedRendition, PackageOptions } from './rendition-files.js';

/**
 * Cuts an encoded file into segments, and writes them and their playlists from what was measured. The file at `path` is left unchanged or
 * moved. Throws `RangeError` if it has no frames.
 */
export function packageRendition(path: string, options: PackageOptions): Promise<PackagedRendition> {
  return packagers[options.packaging.container](path, options);
}

const packagers = {
  ts: packageTransportStream,
  fmp4: packageMovie,
  aac: packageAudio,
  mp3: packageAudio,
  ac3: packageAudio,
  ec3: packageAudio,
} as const;
