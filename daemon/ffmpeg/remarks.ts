import type { FfmpegReport } from './open-ffmpeg.js';

/**
 * What a person should know of the programs that were found, one full sentence each; empty where all is well. What their
 * encoders and filters rule out is the plan's to tell.
 */
export function remarksOn(report: FfmpegReport): readonly string[] {
  const missing = (['ffmpeg', 'ffprobe'] as const).filter((name) => report[name] === null);
  return [
    ...missing.map((name) => `There is no ${name}: install ffmpeg 5.0 or newer, or name one with --${name}.`),
    ...(report.ffmpeg?.source === 'installer'
      ? ['This ffmpeg is from 2018: use it for files that you trust, and install a newer one.']
      : []),
    ...(report.diesWithParent
      ? []
      : [
          'There is no setpriv: when the daemon is killed, its encoders run on until the next start ends them.',
        ]),
  ];
}
