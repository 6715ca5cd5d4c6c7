/** The exports of this module for the rest of the daemon. */
export type { ProgramName } from './candidates.js';
export type { SandboxMode } from './containment/find-containment.js';
export { defaultEncodeLimits, type EncodeLimits } from './containment/program-limits.js';
export { hiddenFileName, inputName } from './containment/sandbox.js';
export type { ProgramEndHook } from './containment/usage-meter.js';
export { changedAudioStream, isIndexTooLarge, undecodedTrack } from './explain.js';
export type {
  Binary,
  BinarySource,
  EncodeOptions,
  EncodeProgress,
  Ffmpeg,
  NewerFfmpeg,
  RunReport,
  TrackCounts,
} from './ffmpeg-types.js';
export { type CheckedBinary, type FoundBinaries, missingFfmpegMessage } from './find-binaries.js';
export { inputDurationError } from './limit-errors.js';
export { shownCommand, withCommandLog } from './log-commands.js';
export {
  damagedPrograms,
  type FfmpegReport,
  ioIdleWarnings,
  limitWarnings,
  noIoIdle,
  type OpenedFfmpeg,
  type OpenOptions,
  openFfmpeg,
  sandboxWarnings,
  warningsFor,
} from './open-ffmpeg.js';
export { killOrphanProcesses } from './orphan-processes.js';
export { readWebp } from './probe/read-webp.js';
