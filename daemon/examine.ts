import { type FfmpegReport, openFfmpeg, remarksOn } from './ffmpeg/index.js';
import { rulesOut } from './plan/rules-out.js';

/** What `venc doctor` tells of the programs that encode. */
export interface Examination {
  readonly report: FfmpegReport;
  /** What a person should know of them, one sentence each. */
  readonly remarks: readonly string[];
  /** What cannot be encoded with them, one sentence each. */
  readonly rulesOut: readonly string[];
}

/** Looks for ffmpeg and ffprobe afresh and says what they are good for. */
export async function examine(options: {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
}): Promise<Examination> {
  const { report } = await openFfmpeg({ ...options, isFresh: true });
  return {
    report,
    remarks: remarksOn(report),
    rulesOut: report.abilities === null ? [] : rulesOut(report.abilities),
  };
}
