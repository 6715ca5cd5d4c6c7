/** The exports of this module for the rest of the daemon. */
export type { ProgramName } from './candidates.js';
export type {
  Binary,
  BinarySource,
  EncodeOptions,
  EncodeProgress,
  Ffmpeg,
} from './ffmpeg-types.js';
export type { CheckedBinary, FoundBinaries } from './find-binaries.js';
export {
  damagedPrograms,
  type FfmpegReport,
  type OpenedFfmpeg,
  type OpenOptions,
  openFfmpeg,
  warningsFor,
} from './open-ffmpeg.js';
export { killOrphanProcesses } from './orphan-processes.js';
