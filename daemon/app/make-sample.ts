import { dirname } from 'node:path';
import { VencError } from '../../src/shared/errors.js';
import { openFfmpeg, type SandboxMode } from '../ffmpeg/index.js';
import { fileArgument } from '../plan/safe-input.js';
import { missingFfmpegMessage } from './health.js';

/** Length of the sample in seconds. */
const sampleSeconds = 10;

/** The options of `makeSample`. */
interface SampleOptions {
  readonly ffmpeg: string | null;
  readonly ffprobe: string | null;
  readonly sandbox?: SandboxMode;
  readonly signal: AbortSignal;
}

/**
 * Writes a test video with a tone to `path`: a source that is cheap to make and large enough to be worth
 * encoding. It is MJPEG and PCM at 1280x720, which every ffmpeg can write. Rejects with `UnavailableError` if
 * there is no ffmpeg.
 */
export async function makeSample(
  path: string,
  { ffmpeg: ffmpegPath, ffprobe, sandbox = 'auto', signal }: SampleOptions,
): Promise<void> {
  const { ffmpeg } = await openFfmpeg({ ffmpeg: ffmpegPath, ffprobe, sandbox });
  if (ffmpeg === null) throw new VencError('UnavailableError', missingFfmpegMessage);
  const video = `testsrc2=size=1280x720:rate=25:duration=${sampleSeconds}`;
  const audio = `sine=frequency=440:sample_rate=48000:duration=${sampleSeconds}`;
  const inputs = ['-f', 'lavfi', '-i', video, '-f', 'lavfi', '-i', audio];
  const encoders = ['-c:v', 'mjpeg', '-q:v', '5', '-pix_fmt', 'yuvj420p', '-c:a', 'pcm_s16le'];
  await ffmpeg.run([...inputs, ...encoders, '-f', 'mov', '-y', fileArgument(path)], {
    signal,
    scratch: dirname(path),
    onProgress: () => {},
  });
}
