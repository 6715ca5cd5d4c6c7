/** The door of this room: what the rest of the house calls. */
export type { ProgramName } from './candidates.js';
export type {
  Binary,
  BinarySource,
  EncodeOptions,
  EncodeProgress,
  Ffmpeg,
} from './ffmpeg-types.js';
export type { CheckedBinary, FoundBinaries } from './find-binaries.js';
export { killOrphanProcesses } from './leftovers.js';
export { type FfmpegReport, type OpenedFfmpeg, type OpenOptions, openFfmpeg } from './open-ffmpeg.js';
export { damagedPrograms, warningsFor } from './remarks.js';
