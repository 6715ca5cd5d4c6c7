import { VencError } from '../../../src/shared/errors.js';
import { maxPixels } from '../../../src/shared/settings/limits.js';
import { swapsSides } from '../../jobs/media.js';
import type { WatermarkImage } from '../../plan/plan-types.js';
import type { Binary } from '../ffmpeg-types.js';
import { readOrientation } from './read-video.js';
import { type ProbeSettings, readHead, runFfprobe } from './run-ffprobe.js';

/** The image formats of watermarks and their first bytes (section 4.1). */
const imageKinds = [
  { demuxer: 'png_pipe', signature: '\x89PNG\r\n\x1a\n' },
  { demuxer: 'jpeg_pipe', signature: '\xff\xd8\xff' },
  { demuxer: 'gif', signature: 'GIF8' },
  { demuxer: 'bmp_pipe', signature: 'BM' },
] as const satisfies readonly { demuxer: WatermarkImage['demuxer']; signature: string }[];

/** Implements `Ffmpeg.probeImage`. */
export async function probeImage(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal?: AbortSignal,
): Promise<WatermarkImage> {
  const { head, sizeBytes } = await readHead(path);
  if (sizeBytes === 0) throw watermarkError('The watermark is empty.');
  const kind = imageKinds.find(({ signature }) => head.toString('latin1', 0, signature.length) === signature);
  if (kind === undefined) throw watermarkError('The watermark is not a PNG, GIF, JPEG or BMP image.');
  const { demuxer } = kind;
  const { output, exit } = await runFfprobe(ffprobe, argsFor(demuxer), path, {
    settings,
    subject: 'the watermark',
    timeoutErrorClass: 'WatermarkError',
    signal,
  });
  // ffprobe reports an image beyond the limit with a size of 0x0; only stderr has the reason.
  const [width = 0, height = 0] = output.trim().split('\n')[0]?.split('x').map(Number) ?? [];
  if (/picture size|max_pixels/i.test(exit.stderr) || width * height > maxPixels) {
    throw watermarkError(`The watermark has more than ${maxPixels} pixels.`);
  }
  if (exit.exitCode !== 0 || !(width > 0 && height > 0)) throw watermarkError('The watermark is damaged.');
  const orientation = demuxer === 'jpeg_pipe' ? readOrientation(head) : 1;
  if (orientation === 1) return { path, demuxer, width, height };
  const size = swapsSides(orientation) ? { width: height, height: width } : { width, height };
  return { path, demuxer, orientation, ...size };
}

function argsFor(demuxer: string): readonly string[] {
  return [
    ...['-v', 'warning', '-hide_banner', '-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer],
    ...['-max_pixels', String(maxPixels), '-f', demuxer, '-select_streams', 'v:0'],
    ...['-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x'],
  ];
}

function watermarkError(message: string): VencError {
  return new VencError('WatermarkError', message);
}
