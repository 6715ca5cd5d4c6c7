import type { Capabilities } from '../plan/plan-types.js';
import { defaultCacheFolder } from './cache-folder.js';
import type { SearchOptions } from './candidates.js';
import type { Ffmpeg } from './ffmpeg-types.js';
import { type FoundBinaries, findBinaries } from './find-binaries.js';
import { findDisplayedFrame } from './find-displayed-frame.js';
import { findParentDeathWrapper } from './launch.js';
import { measureVideo } from './measure-video.js';
import { probeFile } from './probe.js';
import { probeImage } from './probe-image.js';
import { queryCapabilities } from './query-capabilities.js';
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
