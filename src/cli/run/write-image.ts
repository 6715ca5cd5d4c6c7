import { basename, extname } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Command } from 'commander';
import { VencError } from '../../shared/errors.js';
import { integerParser } from '../../shared/flag-parsers.js';
import { safeText } from '../../shared/text/safe-text.js';
import { isUrl } from '../../shared/text/url-text.js';
import { rejectInputAsOutput, requireAbsent, requireWritable } from '../../shared/util/check-destinations.js';
import type { Context, ProgramFlags } from '../context.js';
import { readableFileSize } from '../input/files.js';
import { listenForInterrupt } from '../terminal/interrupt.js';

/** The options of commands that write an image of a video. */
export interface ImageCommandOptions extends ProgramFlags {
  readonly out?: string;
  readonly width?: number;
  readonly force?: boolean;
}

/** Adds the options of {@link ImageCommandOptions}. `width` is the default of `--width`, that of the video if absent. */
export function addImageOptions(command: Command, width?: number): Command {
  const widthOption = command
    .createOption(
      '--width <pixels>',
      width === undefined ? 'the width of the image' : 'the width of each image',
    )
    .argParser(integerParser('--width', 2, 8192));
  if (width !== undefined) widthOption.default(width);
  return command
    .option('-o, --out <file>', 'the image to write: .png, .jpg or .jpeg')
    .addOption(widthOption)
    .option('--force', 'overwrite an existing file')
    .option('--ffmpeg <path>', 'the ffmpeg to use (or VENC_FFMPEG)')
    .option('--ffprobe <path>', 'the ffprobe to use (or VENC_FFPROBE)');
}

type StillImages = typeof import('../../../daemon/app/still-images.js');

/** Checks the file and the image of a command, makes the image, and prints its path. */
export async function writeImage(
  file: string,
  { out, width, force = false, ...flags }: ImageCommandOptions,
  context: Context,
  {
    suffix,
    make,
  }: {
    /** What follows the name of the file in the name of an image without `-o`. */
    readonly suffix: string;
    readonly make: (images: StillImages, image: Parameters<StillImages['saveFrame']>[2]) => Promise<void>;
  },
): Promise<void> {
  if (isUrl(file)) throw new VencError('UsageError', 'The video must be a local file, not a URL.');
  await readableFileSize(file);
  const output = out ?? `${basename(file, extname(file))}-${suffix}.png`;
  if (!/\.(?:png|jpe?g)$/i.test(output))
    throw new VencError('UsageError', `"${output}" must end in .png, .jpg or .jpeg (-o).`);
  await requireWritable([output]);
  await rejectInputAsOutput(pathToFileURL(file).href, [output]);
  if (!force) await requireAbsent([output]);
  const programs = await context.programs(flags);
  const { signal, dispose } = listenForInterrupt(context.io);
  try {
    await make(await import('../../../daemon/app/still-images.js'), {
      ...{ ...programs, output, width, signal },
      onDetail: context.io.isVerbose
        ? (line) => context.io.writeStderr(`venc: ${safeText(line)}\n`)
        : undefined,
    });
  } finally {
    dispose();
  }
  await context.io.writeStdout(`${output}\n`);
}
