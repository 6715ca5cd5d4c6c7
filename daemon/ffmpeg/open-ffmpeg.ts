import type { Capabilities } from '../plan/plan-types.js';
import type { SearchOptions } from './candidates.js';
import { queryCapabilities } from './capabilities.js';
import type { Ffmpeg } from './ffmpeg-types.js';
import { type FoundBinaries, findBinaries, wrongChecksumMessage } from './find-binaries.js';
import { findParentDeathWrapper } from './launch.js';
import { findDisplayedFrame, measureVideo } from './probe/measure-streams.js';
import { probeFile } from './probe/probe-file.js';
import { probeImage } from './probe/probe-image.js';
import { defaultCacheFolder } from './query-program.js';
import { runEncoder } from './run.js';

/** How ffmpeg is to be found and used. */
export interface OpenOptions extends SearchOptions {
  /** Where copies of programs and their answers are kept; the user's own cache where absent. */
  readonly cacheFolder?: string;
  /** Asks the programs again instead of trusting the cache. */
  readonly isFresh?: boolean;
  /** Seconds without any progress after which an encoding is given up; 600 where absent. */
  readonly stallSeconds?: number;
  /** Seconds that looking at a file may take; 60 where absent. */
  readonly probeSeconds?: number;
}

/** What was found, for `doctor` and for the first lines of a log. */
export interface FfmpegReport extends FoundBinaries {
  /** Null without an ffmpeg. */
  readonly capabilities: Capabilities | null;
  /** Whether an encoder ends together with a daemon that is killed; otherwise the next start ends it. */
  readonly diesWithParent: boolean;
}

/** The way to ffmpeg, null where one of the two programs is missing, and how it was found. */
export interface OpenedFfmpeg {
  readonly ffmpeg: Ffmpeg | null;
  readonly report: FfmpegReport;
}

/**
 * Finds ffmpeg and ffprobe and learns what they can do. Rejects with `UsageError` where a path was given that is not
 * the program; that there is none at all is no error here, since the daemon starts without. Starts no program
 * when the cache knows the answers, save one short `setpriv`.
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
      run: (args, encode) => runEncoder(ffmpeg, args, runSettings, encode),
    },
    report,
  };
}

/**
 * What a person should know of the programs that were found, one full sentence each; empty where all is well. That one is missing
 * shows in the report itself, and what their encoders and filters rule out is the plan's to tell.
 */
export function warningsFor(report: FfmpegReport): readonly string[] {
  return [
    ...(report.ffmpeg?.source === 'installer'
      ? ['This ffmpeg is from 2018: use it for files that you trust, and install a newer one.']
      : []),
    ...(report.ffmpeg?.source === 'ffmpeg-binary'
      ? [
          'This ffmpeg is from April 2024 and gets no updates: an ffmpeg of 5.0 or newer on PATH is used instead of it.',
        ]
      : []),
    ...damagedPrograms(report),
    ...(report.diesWithParent
      ? []
      : [
          'There is no setpriv: when the daemon is killed, its encoders run on until the next start ends them.',
        ]),
  ];
}

/** A sentence for each packaged program that is not run because its file is not the one that venc was made for. */
export function damagedPrograms(report: Pick<FfmpegReport, 'looked'>): readonly string[] {
  return report.looked
    .filter(({ reason }) => reason === wrongChecksumMessage)
    .map(
      ({ path }) =>
        `${path} is damaged or was changed and is not run: it ${wrongChecksumMessage}. Install venc again.`,
    );
}
