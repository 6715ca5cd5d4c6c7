import type { Capabilities } from '../plan/plan-types.js';
import type { SearchOptions } from './candidates.js';
import { queryCapabilities } from './capabilities.js';
import type { Ffmpeg } from './ffmpeg-types.js';
import { type FoundBinaries, findBinaries, wrongChecksumMessage } from './find-binaries.js';
import { findParentDeathWrapper } from './launch.js';
import { readMeasurement } from './measure-audio.js';
import { findDisplayedFrame, measureVideo } from './probe/measure-streams.js';
import { probeFile } from './probe/probe-file.js';
import { probeImage } from './probe/probe-image.js';
import { defaultCacheFolder } from './query-program.js';
import { runEncoder } from './run.js';

/** Options for finding and using ffmpeg. */
export interface OpenOptions extends SearchOptions {
  /** Folder for copies of programs and cached outputs; the user's cache folder if absent. */
  readonly cacheFolder?: string;
  /** Queries the programs again instead of using the cache. */
  readonly isFresh?: boolean;
  /** Seconds without progress after which an encode fails; 600 if absent. */
  readonly stallSeconds?: number;
  /** Maximum seconds to probe a file; 60 if absent. */
  readonly probeSeconds?: number;
}

/** The programs that were found, for `doctor` and the first lines of the log. */
export interface FfmpegReport extends FoundBinaries {
  /** Null without an ffmpeg. */
  readonly capabilities: Capabilities | null;
  /** Whether encoders end when the daemon is killed; otherwise its next start ends them. */
  readonly diesWithParent: boolean;
}

/** The opened ffmpeg, null if one of the two programs is missing, and a report of the search. */
export interface OpenedFfmpeg {
  readonly ffmpeg: Ffmpeg | null;
  readonly report: FfmpegReport;
}

/**
 * Finds ffmpeg and ffprobe and reads their capabilities. Rejects with `UsageError` if a given path is not the program. A missing program is
 * not an error, because the daemon starts without it. With cached outputs it starts no program but one short `setpriv`.
 */
export async function openFfmpeg(options: OpenOptions = {}): Promise<OpenedFfmpeg> {
  const queryOptions = {
    cacheFolder: options.cacheFolder ?? defaultCacheFolder(),
    isFresh: options.isFresh ?? false,
  };
  const [found, parentDeathWrapper] = await Promise.all([
    findBinaries({ ...options, ...queryOptions }),
    findParentDeathWrapper(options.searchPath ?? process.env.PATH ?? ''),
  ]);
  const { ffmpeg, ffprobe } = found;
  const capabilities = ffmpeg === null ? null : await queryCapabilities(ffmpeg.path, queryOptions);
  const report = { ...found, capabilities, diesWithParent: parentDeathWrapper.length > 0 };
  if (ffmpeg === null || ffprobe === null || capabilities === null) return { ffmpeg: null, report };
  const runSettings = { parentDeathWrapper, stallSeconds: options.stallSeconds ?? 600 };
  const probeSettings = { parentDeathWrapper, seconds: options.probeSeconds ?? 60 };
  return {
    ffmpeg: {
      ffmpeg,
      ffprobe,
      capabilities,
      probe: (path, signal) => probeFile(ffprobe, path, probeSettings, signal),
      probeImage: (path, signal) => probeImage(ffprobe, path, probeSettings, signal),
      findDisplayedFrame: (path, moment, signal) =>
        findDisplayedFrame(ffprobe, path, moment, probeSettings, signal),
      measureVideo: (path, signal) => measureVideo(ffprobe, path, probeSettings, signal),
      measureAudio: async (args, measurement, encode) =>
        readMeasurement(measurement, await runEncoder(ffmpeg, args, runSettings, encode, 'info')),
      run: async (args, encode) => {
        await runEncoder(ffmpeg, args, runSettings, encode);
      },
    },
    report,
  };
}

/**
 * Warnings about the programs that were found, one sentence each. Missing programs are shown by the report itself, and settings that
 * the encoders and filters rule out are reported by the plan.
 */
export function warningsFor(report: FfmpegReport): readonly string[] {
  return [
    ...(report.ffmpeg?.source === 'installer'
      ? ['This ffmpeg is from 2018: use it for files that you trust, and install a newer one.']
      : []),
    ...(report.ffmpeg?.source === 'ffmpeg-binary'
      ? [
          'This ffmpeg is from April 2024 and gets no updates; an ffmpeg 5.0 or newer on PATH takes precedence.',
        ]
      : []),
    ...damagedPrograms(report),
    ...(report.diesWithParent
      ? []
      : [
          'setpriv is not installed: if the daemon is killed, its encoders continue until the next start ends them.',
        ]),
  ];
}

/** A sentence for each packaged program that is not run because its checksum is wrong. */
export function damagedPrograms(report: Pick<FfmpegReport, 'looked'>): readonly string[] {
  return report.looked
    .filter(({ reason }) => reason === wrongChecksumMessage)
    .map(
      ({ path }) =>
        `${path} is damaged or was modified, and is not run: it ${wrongChecksumMessage}. Reinstall venc.`,
    );
}
