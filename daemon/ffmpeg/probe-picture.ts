import { VencError } from '../../src/shared/errors.js';
import { maxPixels } from '../../src/shared/settings/limits.js';
import { swapsSides } from '../jobs/media.js';
import type { WatermarkPicture } from '../plan/plan-types.js';
import type { Binary } from './ffmpeg-types.js';
import { lookAt, type ProbeSettings, readHead } from './look-at.js';
import { readOrientation } from './read-orientation.js';

/** How the kinds of pictures begin that a watermark may be (section 4.1). */
const kinds = [
  { demuxer: 'png_pipe', start: '\x89PNG\r\n\x1a\n' },
  { demuxer: 'jpeg_pipe', start: '\xff\xd8\xff' },
  { demuxer: 'gif', start: 'GIF8' },
  { demuxer: 'bmp_pipe', start: 'BM' },
] as const satisfies readonly { demuxer: WatermarkPicture['demuxer']; start: string }[];

/** Looks at a picture as promised by `Ffmpeg.probePicture`. */
export async function probePicture(
  ffprobe: Binary,
  path: string,
  settings: ProbeSettings,
  signal?: AbortSignal,
): Promise<WatermarkPicture> {
  const { head, sizeBytes } = await readHead(path);
  if (sizeBytes === 0) throw broken('The watermark is empty.');
  const kind = kinds.find(({ start }) => head.toString('latin1', 0, start.length) === start);
  if (kind === undefined) throw broken('The watermark is no PNG, GIF, JPEG or BMP.');
  const { demuxer } = kind;
  const { answer, ending } = await lookAt(ffprobe, argsFor(demuxer), path, {
    settings,
    what: 'the watermark',
    overdue: 'WatermarkError',
    signal,
  });
  // A picture beyond the limit is given with sides of 0, and only stderr says why.
  const [width = 0, height = 0] = answer.trim().split('\n')[0]?.split('x').map(Number) ?? [];
  if (/picture size|max_pixels/i.test(ending.said) || width * height > maxPixels) {
    throw broken(`The watermark has more than ${maxPixels} pixels.`);
  }
  if (ending.exitCode !== 0 || !(width > 0 && height > 0)) throw broken('The watermark is damaged.');
  const orientation = demuxer === 'jpeg_pipe' ? readOrientation(head) : 1;
  if (orientation === 1) return { path, demuxer, width, height };
  const sides = swapsSides(orientation) ? { width: height, height: width } : { width, height };
  return { path, demuxer, orientation, ...sides };
}

function argsFor(demuxer: string): readonly string[] {
  return [
    ...['-v', 'warning', '-hide_banner', '-protocol_whitelist', 'file,pipe', '-format_whitelist', demuxer],
    ...['-max_pixels', String(maxPixels), '-f', demuxer, '-select_streams', 'v:0'],
    ...['-show_entries', 'stream=width,height', '-of', 'csv=p=0:s=x'],
  ];
}

function broken(message: string): VencError {
  return new VencError('WatermarkError', message);
}
