import { wrongChecksumMessage } from './find-binaries.js';
import type { FfmpegReport } from './open-ffmpeg.js';

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
