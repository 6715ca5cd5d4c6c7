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

/** What an image is for, as messages name it. */
interface ImageOptions {
  readonly signal?: AbortSignal | undefined;
  readonly subject?: 'watermark' | 'cover image' | undefined;
}

/** Implements `Ffmpeg.probeImage`. */
export async function probeImage(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  { signal, subject = 'watermark' }: ImageOptions = {},
): Promise<WatermarkImage> {
  const imageError = (what: string) => new VencError('WatermarkError', `The ${subject} ${what}.`);
  const { head, sizeBytes } = await readHead(path);
  if (sizeBytes === 0) throw imageError('is empty');
  const kind = imageKinds.find(({ signature }) => head.toString('latin1', 0, signature.length) === signature);
  if (kind === undefined) throw imageError('is not a PNG, GIF, JPEG or BMP image');
  const { demuxer } = kind;
  const { output, exit } = await runFfprobe(ffprobe, argsFor(demuxer), path, {
    settings,
    subject: `the ${subject}`,
    timeoutErrorClass: 'WatermarkError',
    signal,
  });
  // ffprobe reports an image beyond the limit with a size of 0x0; only stderr has the reason.
  const [width = 0, height = 0] = output.trim().split('\n')[0]?.split('x').map(Number) ?? [];
  if (/picture size|max_pixels/i.test(exit.stderr) || width * height > maxPixels) {
    throw imageError(`has more than ${maxPixels} pixels`);
  }
  if (exit.exitCode !== 0 || !(width > 0 && height > 0)) throw imageError('is damaged');
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
