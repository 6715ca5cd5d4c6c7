import { copyFile, rename } from 'node:fs/promises';
import { dirname, extname, join, resolve } from 'node:path';
import { isVencError, VencError } from '../../src/shared/errors.js';
import type { ThumbnailSettings } from '../../src/shared/settings/thumbnails.js';
import { makeFolder } from '../../src/shared/util/disk.js';
import type { Ffmpeg } from '../ffmpeg/index.js';
import { takeImages } from '../pipeline/extract-thumbnails.js';
import { imageEncoderArgs } from '../plan/write/thumbnails.js';
import { mapDiskError } from '../transfer/disk-errors.js';
import {
  type LocalPrograms,
  openLocalFfmpeg,
  probeVideo,
  type VideoFile,
  withScratch,
} from './local-files.js';

/** What images of a file are made for a command. */
interface ImageOptions extends LocalPrograms {
  /** The file to write: PNG or JPEG, by its extension. It is replaced. */
  readonly output: string;
  /** The width of an image in pixels; that of the video if undefined. */
  readonly width: number | undefined;
  readonly signal: AbortSignal;
}

/**
 * Writes the frame of a video that is displayed at a time, in seconds, as an image (`venc frame`). Rejects with
 * `UsageError` if the video ends before, `NoMediaError` if the file has no video, `ThumbnailError` if no frame is found.
 */
export async function saveFrame(path: string, seconds: number, options: ImageOptions): Promise<void> {
  const ffmpeg = await openLocalFfmpeg(options);
  const file = await probeVideo(ffmpeg, path, options.signal);
  const { durationSeconds } = file.media;
  if (durationSeconds !== null && seconds >= durationSeconds)
    throw new VencError('UsageError', `${path} ends after ${durationSeconds.toFixed(3)} s (--at).`);
  await withScratch(options, async (scratch) => {
    const [image = ''] = await imagesOf(ffmpeg, file, { times: [seconds] }, { ...options, scratch });
    await save(image, options.output);
  });
}

/**
 * Writes images of a video, at even distances, as one image with so many columns and rows (`venc sheet`). Rejects as
 * `saveFrame` does.
 */
export async function saveSheet(
  path: string,
  { columns, rows }: { readonly columns: number; readonly rows: number },
  options: ImageOptions,
): Promise<void> {
  const ffmpeg = await openLocalFfmpeg(options);
  const file = await probeVideo(ffmpeg, path, options.signal);
  await withScratch(options, async (scratch) => {
    const images = await imagesOf(ffmpeg, file, { number: columns * rows }, { ...options, scratch });
    for (const [index, image] of images.entries())
      await rename(image, join(scratch, `tile-${String(index).padStart(4, '0')}.${formatOf(options)}`));
    const sheet = join(scratch, `sheet.${formatOf(options)}`);
    const input = ['-f', 'image2', '-framerate', '1', '-i', `tile-%04d.${formatOf(options)}`];
    const tile = `tile=${columns}x${rows}:padding=${gapPixels}:margin=${gapPixels}:color=black`;
    const args = ['-y', ...input, '-vf', tile, '-frames:v', '1', ...imageEncoderArgs[formatOf(options)]];
    await ffmpeg.run([...args, '-f', 'image2', '-update', '1', sheet], {
      ...{ signal: options.signal, scratch, onProgress: () => {} },
    });
    await save(sheet, options.output);
  });
}

/** What `takeThumbnails` works with. */
interface ThumbnailOptions extends LocalPrograms {
  /** An empty folder to work in. */
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/**
 * Takes the images of a set of thumbnails of a video into a folder. Resolves to the path of each, and its size. Rejects
 * as `saveFrame` does.
 */
export async function takeThumbnails(
  path: string,
  set: ThumbnailSettings,
  { scratch, signal, ...programs }: ThumbnailOptions,
): Promise<readonly string[]> {
  const ffmpeg = await openLocalFfmpeg(programs);
  const file = await probeVideo(ffmpeg, path, signal);
  return takeImages(ffmpeg, file, set, { signal, scratch });
}

/** The distance of two images of a sheet, and the border around them. */
const gapPixels = 4;

function formatOf({ output }: Pick<ImageOptions, 'output'>): 'png' | 'jpg' {
  return /^\.jpe?g$/i.test(extname(output)) ? 'jpg' : 'png';
}

function imagesOf(
  ffmpeg: Ffmpeg,
  file: VideoFile,
  when: Pick<ThumbnailSettings, 'times' | 'number'>,
  { width, output, signal, scratch }: ImageOptions & { readonly scratch: string },
): Promise<readonly string[]> {
  const sizes = width === undefined ? {} : { width };
  const set = { ...when, ...sizes, format: formatOf({ output }) };
  return takeImages(ffmpeg, file, set, { signal, scratch }).catch((error: unknown) => {
    if (!isVencError(error, 'ThumbnailError')) throw error;
    const message = `${file.path}: ${error.message.replace('The thumbnails', 'The images')}`;
    const hint = 'play the video to its end to see whether it is damaged';
    throw new VencError('ThumbnailError', message, { cause: error, hint });
  });
}

async function save(image: string, output: string): Promise<void> {
  const folder = dirname(resolve(output));
  try {
    await makeFolder(folder);
    await copyFile(image, output);
  } catch (error) {
    const failed = mapDiskError(error, 'upload', output);
    if (failed.errorClass !== 'OutOfSpaceError') throw failed;
    const hint = 'free space there, or name another file with -o';
    throw new VencError('OutOfSpaceError', `There is no space left in ${folder}.`, { cause: error, hint });
  }
}
