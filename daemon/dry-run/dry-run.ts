import { VencError } from '../../src/shared/errors.js';
import type { ReportedWarning } from '../../src/shared/settings/setting.js';
import { missingFfmpegMessage, openFfmpeg, type SandboxMode } from '../ffmpeg/index.js';
import { checkDryRunRequest } from './check-dry-run-request.js';
import { type PlannedOutputs, planOutputs } from './plan-outputs.js';

/** The options of a dry run. */
interface DryRunOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox?: SandboxMode;
  /** The local file of each output, in order; null for an output that is delivered elsewhere. */
  readonly files: readonly (string | null)[];
}

/** The plan of a request. */
interface DryRun extends Pick<PlannedOutputs, 'outputs' | 'steps' | 'warnings'> {
  /** Path of the ffmpeg that a run would use. */
  readonly program: string;
  /** Warnings about the request, as the response to a create has them. */
  readonly requestWarnings: readonly ReportedWarning[];
}

/**
 * Plans the ffmpeg runs of a request with a local input (`venc plan`). Only reads files, with ffprobe: writes
 * none, encodes nothing, contacts no other machine. The input and local watermarks keep their own paths; all
 * other files are in `./`, except outputs with files of their own. Rejects with `InvalidRequestError` if the
 * request is invalid, with the error that the job would fail with if the input cannot be read, and with
 * `UnavailableError` if there is no ffmpeg.
 */
export async function dryRun(
  request: unknown,
  { ffmpeg: ffmpegPath, ffprobe, sandbox = 'auto', files }: DryRunOptions,
): Promise<DryRun> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe, sandbox });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const { requestWarnings, ...checked } = await checkDryRunRequest(request, ffmpeg);
  const { outputs, steps, warnings } = await planOutputs(ffmpeg, { ...checked, files, readsImages: true });
  return { program: ffmpeg.ffmpeg.path, outputs, steps, warnings, requestWarnings };
}
