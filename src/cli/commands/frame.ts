import type { Command } from 'commander';
import { durationParser } from '../../shared/flag-parsers.js';
import type { Context } from '../context.js';
import { addImageOptions, type ImageCommandOptions, writeImage } from '../run/write-image.js';

interface FrameOptions extends ImageCommandOptions {
  readonly at: number;
}

/** `venc frame FILE --at TIME`: writes a frame of a video as an image. */
export function define(command: Command, { handler }: Context): void {
  command
    .argument('<file>', 'a local video')
    .addOption(
      command
        .createOption('--at <time>', 'the time of the frame: 90, 90s, 1:30 or 0:10.5')
        .argParser(durationParser('--at'))
        .default(0, 'the first frame'),
    );
  addImageOptions(command).addHelpText('after', details).action(handler(run));
}

const details = `
The image is shown as a player shows it: rotated, with square pixels, without the comb of interlaced video, and in standard
range. Without -o it is written into the current folder, as FILE-10s.png. Runs on this machine, without a daemon.

Examples:
  venc frame film.mov --at 0:10
  venc frame film.mov --at 1:02:03.5 -o start.jpg --width 1280`;

function run(file: string, options: FrameOptions, context: Context) {
  return writeImage(file, options, context, {
    suffix: `${options.at}s`,
    make: ({ saveFrame }, image) => saveFrame(file, options.at, image),
  });
}
